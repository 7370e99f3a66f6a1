import { median } from '../../median.ts'
import type { ReadCharacter } from './ctc.ts'
import type { Picture } from './detect.ts'

/**
 * A gap is a space from this share of the strip's height on, and from this multiple of the usual gap between letters.
 * If the recogniser read spaces in the line, they set the width of a space, and narrower gaps are none.
 */
const LEAST_OF_HEIGHT = 0.13
const LEAST_ALONE = 0.2
const LEAST_OF_GAPS = 2.5
const LEAST_OF_SPACES = 0.75

/**
 * Next to letters without side bearings (S A, E A in capitals) a space is narrower than elsewhere in the line: it
 * counts from this share of the clear spaces on, if the gaps between letters are smaller by this factor.
 */
const LEAST_OF_CLEAR = 0.65
const LEAST_JUMP = 1.5

/**
 * In a fixed-pitch line (typewriter, label) narrow letters leave gaps like spaces, but a space is as wide as a letter:
 * the letters around it are two pitches apart. Detected from this many letters whose mean deviation in pitch is below
 * this share.
 */
const FIXED_PITCH = { letters: 10, variation: 0.1, space: 1.5 }

/** Scripts that separate words with spaces. */
const SPACED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}\p{P}\p{S}]$/u

/** Whether a space may be missing between two characters; between digits, the gap next to a 1 looks like one. */
const mayPart = (one: string, other: string): boolean =>
  SPACED.test(one) &&
  SPACED.test(other) &&
  !(/[\d.,]/.test(one) && /[\d.,%]/.test(other)) &&
  !/[([{“‘'"\-–/]/.test(one) &&
  !/[)\]}.,;:!?”’'"\-–/]/.test(other)

/** The grey threshold between ink and paper (Otsu: maximum between-class variance). */
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

/** Which columns of a strip contain ink: the rarer of the two classes. */
export function inkedColumns({ data, width, height }: Picture): boolean[] {
  const greys = new Uint8Array(width * height)
  for (let at = 0; at < greys.length; at += 1)
    greys[at] = (data[at * 3]! + 2 * data[at * 3 + 1]! + data[at * 3 + 2]!) / 4
  const threshold = inkThreshold(greys)
  let dark = 0
  for (const grey of greys) if (grey <= threshold) dark += 1
  const isInk = (grey: number): boolean => grey <= threshold === dark < greys.length / 2
  const [from, to] = lineRows(height, (row) => {
    for (let column = 0; column < width; column += 1) if (isInk(greys[row * width + column]!)) return true
    return false
  })
  return Array.from({ length: width }, (_, column) => {
    for (let row = from; row < to; row += 1) if (isInk(greys[row * width + column]!)) return true
    return false
  })
}

/** Empty rows within a line, between a letter and its dots, as a share of the strip's height. */
const WITHIN_LINE = 0.06

/**
 * The rows of the line itself: the top and bottom of a strip may contain parts of other lines, behind an empty row; the
 * bar of a T also touches the top, and would bridge a gap between letters.
 */
function lineRows(height: number, hasInk: (row: number) => boolean): [number, number] {
  const most = Math.max(1, Math.round(height * WITHIN_LINE))
  const reach = (step: 1 | -1): number => {
    let [last, row] = [Math.floor(height / 2), Math.floor(height / 2)]
    for (; row >= 0 && row < height && Math.abs(row - last) <= most; row += step) if (hasInk(row)) last = row
    return last
  }
  // Shapes that reach the outermost rows without an empty row are kept whole.
  return [Math.min(reach(-1), Math.round(height * 0.1)), Math.max(reach(1) + 1, Math.round(height * 0.9))]
}

/** The longest gap without ink between two columns. */
function emptyBetween(inked: readonly boolean[], from: number, to: number): number {
  let [longest, length] = [0, 0]
  for (let column = Math.max(0, from); column < Math.min(inked.length, to); column += 1) {
    length = inked[column] ? 0 : length + 1
    longest = Math.max(longest, length)
  }
  return longest
}

/**
 * Inserts spaces that the strip shows and the recogniser missed, as models trained mostly on Chinese do: where a gap is
 * several times as wide as the others between letters of the line, and about as wide as the spaces that were read.
 */
export function withSeenSpaces(
  characters: readonly ReadCharacter[],
  strip: Picture,
  inked: readonly boolean[] = inkedColumns(strip),
): ReadCharacter[] {
  if (!characters.some((character, at) => at > 0 && mayPart(characters[at - 1]!.text, character.text)))
    return [...characters]
  const column = ({ at }: ReadCharacter): number => Math.round(at * strip.width)
  const gapBetween = (one: ReadCharacter, other: ReadCharacter): number =>
    emptyBetween(inked, column(one), column(other))
  const isSpace = (at: number): boolean => characters[at]?.text === ' '
  const gaps = characters.map((character, at) => (at === 0 ? 0 : gapBetween(characters[at - 1]!, character)))
  const usual = median(gaps.filter((_, at) => at > 0 && !isSpace(at) && !isSpace(at - 1)))
  const spaces = characters.flatMap((_, at) =>
    isSpace(at) && at > 0 && at + 1 < characters.length ? [gapBetween(characters[at - 1]!, characters[at + 1]!)] : [],
  )
  const ofOthers = spaces.length > 0 ? LEAST_OF_SPACES * median(spaces) : LEAST_ALONE * strip.height
  const clear = Math.max(LEAST_OF_HEIGHT * strip.height, LEAST_OF_GAPS * usual, ofOthers)
  const parting = gaps.filter((_, at) => at > 0 && mayPart(characters[at - 1]!.text, characters[at]!.text))
  const least = spaces.length > 0 ? clear : withNarrowSpaces(parting, clear)
  const apart = leastApart(characters)
  return characters.flatMap((character, at) => {
    const before = characters[at - 1]
    if (!before || gaps[at]! < least || !mayPart(before.text, character.text)) return [character]
    if (character.at - before.at < apart) return [character]
    const confidence = Math.min(before.confidence, character.confidence)
    return [{ text: ' ', confidence, at: (before.at + character.at) / 2 }, character]
  })
}

/** The minimum gap that is a space, at most `clear`: less if the narrower gaps of the line fall into two groups. */
function withNarrowSpaces(gaps: readonly number[], clear: number): number {
  const spaces = gaps.filter((gap) => gap >= clear)
  // A single wide gap may separate columns.
  if (spaces.length < 2) return clear
  const narrower = gaps.filter((gap) => gap < clear).sort((one, other) => other - one)
  const least = LEAST_OF_CLEAR * median(spaces)
  return narrower.find((gap, at) => gap >= least && gap >= LEAST_JUMP * (narrower[at + 1] ?? gap)) ?? clear
}

/** Minimum distance of letters with a space between them, as a share of the strip: 0 for proportional fonts. */
function leastApart(characters: readonly ReadCharacter[]): number {
  const steps = characters.flatMap((character, at) => {
    const before = characters[at - 1]
    return before && before.text !== ' ' && character.text !== ' ' ? [character.at - before.at] : []
  })
  if (steps.length + 1 < FIXED_PITCH.letters) return 0
  const pitch = median(steps)
  const single = steps.filter((step) => step < FIXED_PITCH.space * pitch)
  const variation = single.reduce((sum, step) => sum + Math.abs(step - pitch), 0) / single.length / pitch
  return variation <= FIXED_PITCH.variation ? FIXED_PITCH.space * pitch : 0
}
