import { firstOf, lastOf } from '../../../lists.ts'
import { pieces } from '../../text-pieces.ts'
import type { Cue } from './cues.ts'

/** A piece of text and when it is spoken, seconds from the start. */
export interface Said {
  startS: number
  endS: number
  text: string
}

/** Output of a speech model: usually a sentence, with word times if known. */
export interface SpeechSegment extends Said {
  words?: readonly Said[]
}

// Broadcast guidelines: two lines of 42 letters (16 for Chinese, Japanese and Korean), displayed for 5/6 s to 7 s.
const LINE_WIDTH = 42
const WIDE_LETTER = 42 / 16
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u
const MIN_LENGTH_S = 5 / 6
const MAX_LENGTH_S = 7
/** Silence after which a new cue is better than a longer one, seconds. */
const PAUSE_S = 0.7

const SENTENCE_END = /[.!?…。！？]["'”’»)\]」』]*\s*$/u
const CLAUSE_END = /[,;:–—、，；：]["'”’»)\]」』]*\s*$/u

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

const letterWidth = (letter: string): number => (/\p{M}/u.test(letter) ? 0 : WIDE.test(letter) ? WIDE_LETTER : 1)

const widthOf = (text: string): number => sum([...text.trim()].map(letterWidth))

const textOf = (parts: readonly Said[]): string =>
  parts
    .map(({ text }) => text)
    .join('')
    .trim()

/** Bonus for a break after this text over a break anywhere, as a share of the total. */
const breakBonus = (text: string): number => (SENTENCE_END.test(text) ? 0.3 : CLAUSE_END.test(text) ? 0.15 : 0)

/** The index of the cheapest break between parts; 0 if there is none. */
function bestBreak(parts: readonly Said[], costOf: (left: readonly Said[], right: readonly Said[]) => number): number {
  const costs = parts.slice(1).map((_, index) => costOf(parts.slice(0, index + 1), parts.slice(index + 1)))
  const least = Math.min(...costs)
  return Number.isFinite(least) ? costs.indexOf(least) + 1 : 0
}

/**
 * The text of a cue on one line, or on two lines of similar width with the upper one shorter; undefined if it is too
 * long.
 */
function linesOf(parts: readonly Said[]): string[] | undefined {
  const whole = textOf(parts)
  const width = widthOf(whole)
  if (width <= LINE_WIDTH) return [whole]
  const at = bestBreak(parts, (left, right) => {
    const [upper, lower] = [widthOf(textOf(left)), widthOf(textOf(right))]
    if (Math.max(upper, lower) > LINE_WIDTH) return Number.POSITIVE_INFINITY
    return Math.abs(lower - upper) / width - breakBonus(textOf(left)) + (upper > lower ? 0.05 : 0)
  })
  return at === 0 ? undefined : [textOf(parts.slice(0, at)), textOf(parts.slice(at))]
}

/** The parts of a segment, between which lines and cues may break, with their times. */
function partsOf({ text, startS, endS, words = [] }: SpeechSegment): Said[] {
  const plain = text.replace(/\s+/g, ' ').trim()
  const known = [{ at: 0, timeS: startS }]
  let from = 0
  for (const word of words) {
    const letters = word.text.trim()
    const at = letters === '' ? -1 : plain.indexOf(letters, from)
    if (at < 0) continue
    from = at + letters.length
    known.push({ at, timeS: word.startS }, { at: from, timeS: word.endS })
  }
  known.push({ at: plain.length, timeS: endS })
  // Between known times, every letter is assumed to take equally long.
  const between = (before: number, position: number): number => {
    const [one, other] = [known[Math.max(0, before)]!, known[Math.min(known.length - 1, before + 1)]!]
    const share = other.at === one.at ? 0 : (position - one.at) / (other.at - one.at)
    return one.timeS + share * (other.timeS - one.timeS)
  }
  let position = 0
  return pieces(plain).map((piece) => {
    const start = position
    const end = start + piece.trimEnd().length
    position += piece.length
    return {
      text: piece,
      startS: between(
        known.findLastIndex(({ at }) => at <= start),
        start,
      ),
      endS: between(known.findIndex(({ at }) => at >= end) - 1, end),
    }
  })
}

const pauseAfter = (left: readonly Said[], right: readonly Said[]): number => firstOf(right).startS - lastOf(left).endS

const lengthOf = (parts: readonly Said[]): number => lastOf(parts).endS - firstOf(parts).startS

/** Splits text that is too long for one cue near the middle, preferably at pauses and sentence ends. */
function splitUp(parts: readonly Said[]): (readonly Said[])[] {
  if (parts.length < 2) return [parts]
  const width = widthOf(textOf(parts))
  const isTooLong = lengthOf(parts) > MAX_LENGTH_S && width > LINE_WIDTH / 2
  const hasPause = parts.slice(1).some((part, index) => part.startS - parts[index]!.endS > PAUSE_S)
  if (linesOf(parts) !== undefined && !isTooLong && !hasPause) return [parts]
  const count = Math.max(2, Math.ceil(width / (2 * LINE_WIDTH * 0.9)))
  const share = Math.floor(count / 2) / count
  const at = bestBreak(parts, (left, right) => {
    const pauseBonus = pauseAfter(left, right) > PAUSE_S ? 2 : 0
    return Math.abs(widthOf(textOf(left)) / width - share) - breakBonus(textOf(left)) - pauseBonus
  })
  return [...splitUp(parts.slice(0, at)), ...splitUp(parts.slice(at))]
}

/** Joins the parts of two cues, with a space between them if their script uses spaces. */
function together(one: readonly Said[], other: readonly Said[]): Said[] {
  const last = lastOf(one)
  const isWide = WIDE.test(last.text.trimEnd().slice(-1)) && WIDE.test(firstOf(other).text.slice(0, 1))
  return [...one.slice(0, -1), { ...last, text: isWide ? last.text : `${last.text.trimEnd()} ` }, ...other]
}

/** Merges a cue that would disappear too early to be read with the next one, if they fit into one cue. */
function joinShort(cues: readonly (readonly Said[])[]): (readonly Said[])[] {
  const found: (readonly Said[])[] = []
  for (const next of cues) {
    const last = found.at(-1)
    const both = last && firstOf(next).startS - firstOf(last).startS < MIN_LENGTH_S ? together(last, next) : undefined
    if (both && linesOf(both) !== undefined && lengthOf(both) <= MAX_LENGTH_S) found[found.length - 1] = both
    else found.push(next)
  }
  return found
}

/**
 * Converts the output of a speech model to cues: at most two balanced lines each, broken at natural pauses, displayed
 * long enough to be read, without overlaps.
 */
export function speechCues(segments: readonly SpeechSegment[]): Cue[] {
  const spoken = segments.filter(({ text }) => text.trim() !== '').toSorted((one, other) => one.startS - other.startS)
  const parts = joinShort(spoken.flatMap((segment) => splitUp(partsOf(segment))))
  const cues: Cue[] = []
  for (const [index, own] of parts.entries()) {
    // A cue that starts within the minimum duration of the previous one is delayed.
    const startS = Math.max(firstOf(own).startS, cues.at(-1)?.endS ?? 0)
    const next = parts[index + 1]?.[0]?.startS ?? Number.POSITIVE_INFINITY
    const readableS = startS + MIN_LENGTH_S
    const endS = Math.min(Math.max(lastOf(own).endS, readableS), startS + MAX_LENGTH_S)
    cues.push({
      startS,
      endS: next - startS < MIN_LENGTH_S ? readableS : Math.min(endS, next),
      text: (linesOf(own) ?? [textOf(own)]).join('\n'),
    })
  }
  return cues
}
