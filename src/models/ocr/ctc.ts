import { MediaprocError } from '../../errors.ts'
import { firstOf, lastOf } from '../../lists.ts'

/** The characters of a recogniser by class number; class 0 is the blank. */
export type Alphabet = readonly string[]

/**
 * The classes of a dictionary with one character per line: blank, the lines, and the space, which some models lack.
 * @throws MediaprocError PROCESSING_FAILED if the model's classes do not match its dictionary
 */
export function alphabetOf(dictionary: string, classes: number): Alphabet {
  const lines = dictionary.replace(/\r?\n$/, '').split(/\r?\n/)
  const space = classes === lines.length + 2 ? [' '] : []
  const alphabet = ['', ...lines, ...space]
  if (alphabet.length === classes) return alphabet
  throw new MediaprocError(
    'PROCESSING_FAILED',
    `The text recognition model has ${classes} classes, and its dictionary ${lines.length} characters`,
    { hint: { shell: 'mediaproc models verify looks for damaged files.' } },
  )
}

/** A recognised character. */
export interface ReadCharacter {
  text: string
  confidence: number
  /** Position in the strip, from 0 (left) to 1. */
  at: number
}

/**
 * Greedy CTC decoding: the best class of each time step, with repetitions merged and blanks removed.
 * @param steps time steps of the output, each with a probability for every class
 * @param width the part of the strip that is image rather than padding, 0 to 1
 */
export function decodeLine(scores: Float32Array, steps: number, alphabet: Alphabet, width = 1): ReadCharacter[] {
  const classes = alphabet.length
  const read: (ReadCharacter & { steps: number })[] = []
  let before = 0
  for (let step = 0; step < steps; step += 1) {
    let best = 0
    const row = step * classes
    for (let one = 1; one < classes; one += 1) if (scores[row + one]! > scores[row + best]!) best = one
    const at = (step + 0.5) / steps / width
    // Beyond the image there is only padding.
    if (at > 1) break
    const last = read[read.length - 1]
    if (best !== 0 && best === before && last) {
      last.at = (last.at * last.steps + at) / (last.steps + 1)
      last.steps += 1
      last.confidence = Math.max(last.confidence, scores[row + best]!)
    } else if (best !== 0) read.push({ text: alphabet[best]!, confidence: scores[row + best]!, at, steps: 1 })
    before = best
  }
  return read.map(({ text, confidence, at }) => ({ text, confidence, at }))
}

/** A word of a line, with its start and end from 0 to 1. */
export interface ReadWord {
  text: string
  confidence: number
  from: number
  to: number
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/**
 * The words of a line. A character has only a centre position; a word ends half way to the next space, and the first
 * and last of a line extend half a character beyond their centres.
 */
export function wordsOf(characters: readonly ReadCharacter[]): ReadWord[] {
  const groups: ReadCharacter[][] = [[]]
  for (const character of characters)
    if (character.text.trim() === '') groups.push([])
    else lastOf(groups).push(character)
  return groups
    .filter((group) => group.length > 0)
    .map((group) => {
      const [first, last] = [firstOf(group), lastOf(group)]
      const pitch = group.length > 1 ? (last.at - first.at) / (group.length - 1) : pitchOf(characters)
      return {
        text: group.map(({ text }) => text).join(''),
        confidence: meanOf(group.map(({ confidence }) => confidence)),
        from: Math.max(0, first.at - pitch / 2),
        to: Math.min(1, last.at + pitch / 2),
      }
    })
}

function pitchOf(characters: readonly ReadCharacter[]): number {
  if (characters.length < 2) return 1
  return (lastOf(characters).at - firstOf(characters).at) / (characters.length - 1)
}
