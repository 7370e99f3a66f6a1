import type { ReadCharacter } from './ctc.ts'
import type { Picture } from './detect.ts'

/** The share of a strip's height from which on an empty stretch is a space, and how many times the usual gap it must be. */
const LEAST_OF_HEIGHT = 0.13
const LEAST_OF_GAPS = 2.5

/** Scripts that put spaces between words. */
const SPACED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{P}\p{S}]$/u

/** Behind these a space may be missing, before those; between digits the gap beside a 1 looks like one. */
const mayPart = (one: string, other: string): boolean =>
  SPACED.test(one) &&
  SPACED.test(other) &&
  !(/[\d.,]/.test(one) && /[\d.,%]/.test(other)) &&
  !/[([{“‘'"\-–/]/.test(one) &&
  !/[)\]}.,;:!?”’'"\-–/]/.test(other)

/** The grey that parts ink from paper best (Otsu: most variance between the two). */
export function inkThreshold(greys: Uint8Array): number {
  const counts = new Float64Array(256)
  let total = 0
  for (const grey of greys) {
    counts[grey]! += 1
    total += grey
  }
  let [best, threshold, below, sum] = [-1, 127, 0, 0]
  for (let grey = 0; grey < 255; grey += 1) {
    below += counts[grey]!
    sum += grey * counts[grey]!
    if (below === 0 || below === greys.length) continue
    const apart = sum / below - (total - sum) / (greys.length - below)
    const variance = below * (greys.length - below) * apart * apart
    if (variance > best) [best, threshold] = [variance, grey]
  }
  return threshold
}

/** Which columns of a strip have ink: the rarer of the two kinds of grey. */
function inkedColumns({ data, width, height }: Picture): boolean[] {
  const greys = new Uint8Array(width * height)
  for (let at = 0; at < greys.length; at += 1)
    greys[at] = (data[at * 3]! + 2 * data[at * 3 + 1]! + data[at * 3 + 2]!) / 4
  const threshold = inkThreshold(greys)
  let dark = 0
  for (const grey of greys) if (grey <= threshold) dark += 1
  const isInk = (grey: number): boolean => grey <= threshold === dark < greys.length / 2
  // The top and the bottom of a strip may hold parts of other lines.
  const [from, to] = [Math.round(height * 0.1), Math.round(height * 0.9)]
  return Array.from({ length: width }, (_, column) => {
    for (let row = from; row < to; row += 1) if (isInk(greys[row * width + column]!)) return true
    return false
  })
}

/** The longest stretch without ink between two columns. */
function emptyBetween(inked: readonly boolean[], from: number, to: number): number {
  let [longest, length] = [0, 0]
  for (let column = Math.max(0, from); column < Math.min(inked.length, to); column += 1) {
    length = inked[column] ? 0 : length + 1
    longest = Math.max(longest, length)
  }
  return longest
}

/**
 * A line with the spaces that its strip shows and the recogniser left out, as those that were taught mostly Chinese do: where
 * a stretch without ink is several times as long as those between the other letters of the line.
 */
export function withSeenSpaces(characters: readonly ReadCharacter[], strip: Picture): ReadCharacter[] {
  if (!characters.some((character, at) => at > 0 && mayPart(characters[at - 1]!.text, character.text)))
    return [...characters]
  const inked = inkedColumns(strip)
  const column = ({ at }: ReadCharacter): number => Math.round(at * strip.width)
  const gaps = characters.map((character, at) =>
    at === 0 ? 0 : emptyBetween(inked, column(characters[at - 1]!), column(character)),
  )
  const inWords = gaps.filter((_, at) => at > 0 && characters[at]!.text !== ' ' && characters[at - 1]!.text !== ' ')
  const usual = [...inWords].sort((one, other) => one - other)[Math.floor(inWords.length / 2)] ?? 0
  const least = Math.max(LEAST_OF_HEIGHT * strip.height, LEAST_OF_GAPS * usual)
  return characters.flatMap((character, at) => {
    const before = characters[at - 1]
    if (!before || gaps[at]! < least || !mayPart(before.text, character.text)) return [character]
    const confidence = Math.min(before.confidence, character.confidence)
    return [{ text: ' ', confidence, at: (before.at + character.at) / 2 }, character]
  })
}
