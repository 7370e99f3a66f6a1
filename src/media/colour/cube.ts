/**
 * Colour look-up tables in `.cube` files: Adobe, Cube LUT Specification 1.0 (2013), and the two input ranges of
 * DaVinci Resolve, which may put a one-dimensional table before a three-dimensional one.
 */
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { type MediaFile, printableName } from '../file.ts'
import { readText } from '../text-file.ts'

type Triple = readonly [number, number, number]

/** A table from input values to output values; both are encoded, with 0 as black and 1 as white. */
export interface LookUpTable {
  /** Entries per axis. */
  size: number
  /** Input values of the first and last entry, by channel; others are clamped. */
  low: Triple
  high: Triple
  /** Triples of red, green and blue; in three dimensions, red changes fastest. */
  entries: Float32Array
}

export interface Cube {
  /** Applied first, to each channel on its own. */
  curves?: LookUpTable
  /** `size`³ entries. */
  colours?: LookUpTable
}

/** Whether a table is for inputs from 0 to 1, without another domain. */
export const isOfUnitDomain = ({ low, high }: LookUpTable): boolean =>
  low.every((value) => value === 0) && high.every((value) => value === 1)

/** Largest sizes that are read; the specification allows 65,536 and 256. Grading programs write 17 to 65. */
const MAX_CURVE = 65_536
const MAX_COLOURS = 129
/** 129³ lines of 30 characters. */
const MAX_BYTES = 64 * 1024 * 1024

const NUMBERS = /^[-+]?(?:\d|\.\d)/

/** Reads a `.cube` file. @throws MediaprocError INVALID_FILE with the line, LIMIT_EXCEEDED */
export async function readCube(file: MediaFile): Promise<Cube> {
  return parseCube(await readText(file, { maxBytes: MAX_BYTES }), file.name)
}

/** @param name file name for messages */
export function parseCube(text: string, name: string): Cube {
  const shown = printableName(name)
  const wrong = (line: number, what: string): MediaprocError =>
    new MediaprocError('INVALID_FILE', `${shown}: line ${line}: ${what}`, {
      hint: 'Export the look-up table as .cube once more.',
    })
  const sizes = { curves: 0, colours: 0 }
  let low: Triple = [0, 0, 0]
  let high: Triple = [1, 1, 1]
  const ranges: Partial<Record<keyof Cube, [Triple, Triple]>> = {}
  let entries = new Float32Array(0)
  let filled = 0
  const triple = (words: string[], line: number): Triple => {
    const values = words.map(Number)
    if (values.length !== 3 || !values.every(Number.isFinite)) throw wrong(line, 'three numbers are expected')
    return values as unknown as Triple
  }
  const sizeOf = (word: string | undefined, max: number, line: number): number => {
    const size = Number(word)
    if (!Number.isInteger(size) || size < 2) throw wrong(line, 'a size is a whole number of at least 2')
    if (size > max)
      throw limitExceeded(`${shown}: line ${line}: a size of ${size}; at most ${max} is read`, {
        hint: 'Export the table with 33 or 65 entries per axis.',
      })
    return size
  }
  const rangeOf = (words: string[], line: number): [Triple, Triple] => {
    const [from = Number.NaN, to = Number.NaN] = words.map(Number)
    if (!(from < to)) throw wrong(line, 'the range is empty')
    return [
      [from, from, from],
      [to, to, to],
    ]
  }
  let start = 0
  for (let line = 1; start < text.length; line += 1) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const content = text.slice(start, end).trim()
    start = end + 1
    if (content === '' || content.startsWith('#')) continue
    const [word = '', ...rest] = content.split(/\s+/)
    if (NUMBERS.test(word)) {
      if (filled === 0) entries = new Float32Array(3 * (sizes.curves + sizes.colours ** 3))
      if (filled >= entries.length)
        throw wrong(line, entries.length === 0 ? 'entries before a size' : `more than ${filled / 3} entries`)
      entries.set(triple([word, ...rest], line), filled)
      filled += 3
    } else if (filled > 0) throw wrong(line, `${word} after the entries`)
    else if (word === 'LUT_1D_SIZE') sizes.curves = sizeOf(rest[0], MAX_CURVE, line)
    else if (word === 'LUT_3D_SIZE') sizes.colours = sizeOf(rest[0], MAX_COLOURS, line)
    else if (word === 'DOMAIN_MIN') low = triple(rest, line)
    else if (word === 'DOMAIN_MAX') high = triple(rest, line)
    else if (word === 'LUT_1D_INPUT_RANGE') ranges.curves = rangeOf(rest, line)
    else if (word === 'LUT_3D_INPUT_RANGE') ranges.colours = rangeOf(rest, line)
    else if (word !== 'TITLE') throw wrong(line, `${printableName(word)} is not a keyword of .cube files`)
  }
  const expected = sizes.curves + sizes.colours ** 3
  if (expected === 0 || filled !== 3 * expected)
    throw new MediaprocError('INVALID_FILE', `${shown} has ${filled / 3} of ${expected} entries`, {
      hint: 'The file is cut off, or no look-up table.',
    })
  if (!(low[0] < high[0] && low[1] < high[1] && low[2] < high[2]))
    throw new MediaprocError('INVALID_FILE', `${shown}: DOMAIN_MIN is not below DOMAIN_MAX`, {})
  const tableOf = (kind: keyof Cube, from: number, to: number): LookUpTable => {
    const [least, most] = ranges[kind] ?? [low, high]
    return { size: sizes[kind], low: least, high: most, entries: entries.subarray(3 * from, 3 * to) }
  }
  return {
    ...(sizes.curves > 0 && { curves: tableOf('curves', 0, sizes.curves) }),
    ...(sizes.colours > 0 && { colours: tableOf('colours', sizes.curves, expected) }),
  }
}
