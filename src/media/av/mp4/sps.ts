import { expect, known, type RawStream } from '../doubt.ts'
import { expGolomb, unescaped } from '../smart/nal.ts'

/** What the parameter sets of a video state. Sizes in pixels. */
export interface ParameterFacts {
  profile: string
  width: number
  height: number
  /** `num:den`, if stated. */
  ratio: string | undefined
  /** Codes of primaries, transfer and matrix, if stated. */
  colourCodes: readonly number[] | undefined
  colour: Pick<RawStream, 'color_range' | 'color_primaries' | 'color_transfer' | 'color_space'>
}

/** Profiles of pictures with 8 bits in 4:2:0. */
const PROFILES: Readonly<Record<number, string>> = { 66: 'Baseline', 77: 'Main', 100: 'High' }
const HIGH = 100
/** A flag of Baseline streams that are also Main. */
const CONSTRAINED = 0x40
const MACROBLOCK = 16

/** Shapes of pixels by code (ITU-T H.264, table E-1); the first states none, 255 is followed by the numbers. */
const RATIOS = ' 1:1 12:11 10:11 16:11 40:33 24:11 20:11 32:11 80:33 18:11 15:11 64:33 160:99 4:3 3:2 2:1'.split(' ')
const OTHER_RATIO = 255

/** ffmpeg's names of the usual codes; 2 is unknown. */
const PRIMARIES: Readonly<Record<number, string>> = { 1: 'bt709', 2: 'unknown', 5: 'bt470bg', 6: 'smpte170m' }
const TRANSFERS: Readonly<Record<number, string>> = { 1: 'bt709', 2: 'unknown', 6: 'smpte170m', 13: 'iec61966-2-1' }
const MATRICES: Readonly<Record<number, string>> = { 1: 'bt709', 2: 'unknown', 5: 'bt470bg', 6: 'smpte170m' }

/** Reads bits and numbers of a parameter set in order. */
class Bits {
  readonly #bytes: Buffer
  #at = 8

  /** @param unit the header of the unit, a byte, is skipped */
  constructor(unit: Buffer) {
    this.#bytes = unescaped(unit)
  }

  read(count: number): number {
    expect(this.#at + count <= this.#bytes.length * 8)
    let value = 0
    for (let index = 0; index < count; index += 1, this.#at += 1)
      value = value * 2 + ((known(this.#bytes[this.#at >> 3]) >> (7 - (this.#at & 7))) & 1)
    return value
  }

  flag(): boolean {
    return this.read(1) === 1
  }

  number(): number {
    const { value, end } = expGolomb(this.#bytes, this.#at)
    expect(end <= this.#bytes.length * 8)
    this.#at = end
    return value
  }
}

/** Whether a picture parameter set announces the order of fields in each frame (ITU-T H.264, 7.3.2.2). */
export function readPps(unit: Buffer): { hasFieldOrder: boolean } {
  const bits = new Bits(unit)
  // Its id, the id of its sequence, and the entropy coding.
  bits.number()
  bits.number()
  bits.read(1)
  return { hasFieldOrder: bits.flag() }
}

/** Reads a sequence parameter set (ITU-T H.264, 7.3.2.1.1). @throws Doubt for fields, more bits and other colours */
export function readSps(unit: Buffer): ParameterFacts {
  const bits = new Bits(unit)
  const [code, flags] = [bits.read(8), bits.read(8)]
  // The level, and the id.
  bits.read(8)
  bits.number()
  // 4:2:0 with 8 bits, which also without transform, and without scaling lists.
  if (code === HIGH) expect(bits.number() === 1 && bits.number() === 0 && bits.number() === 0 && bits.read(2) === 0)
  skipOrder(bits)
  const [columns, rows] = [bits.number() + 1, bits.number() + 1]
  const isFrames = bits.flag()
  expect(isFrames)
  bits.read(1)
  const [left, right, top, bottom] = bits.flag() ? [0, 0, 0, 0].map(() => bits.number()) : [0, 0, 0, 0]
  const usability = bits.flag() ? readUsability(bits) : { ratio: undefined, colourCodes: undefined, colour: {} }
  const isConstrained = code === 66 && (flags & CONSTRAINED) !== 0
  return {
    profile: `${isConstrained ? 'Constrained ' : ''}${known(PROFILES[code])}`,
    // Cropping counts pairs of pixels in 4:2:0.
    width: columns * MACROBLOCK - 2 * (known(left) + known(right)),
    height: rows * MACROBLOCK - 2 * (known(top) + known(bottom)),
    ...usability,
  }
}

/** Skips what states the order of pictures. */
function skipOrder(bits: Bits): void {
  bits.number()
  const type = bits.number()
  // Type 1 is not written by common encoders.
  expect(type === 0 || type === 2)
  if (type === 0) bits.number()
  bits.number()
  bits.read(1)
}

/** Reads how pictures are shown (ITU-T H.264, E.1.1). */
function readUsability(bits: Bits): Pick<ParameterFacts, 'ratio' | 'colourCodes' | 'colour'> {
  const ratio = bits.flag() ? readRatio(bits) : undefined
  if (bits.flag()) bits.read(1)
  const { colourCodes, colour } = bits.flag() ? readColour(bits) : { colourCodes: undefined, colour: {} }
  if (bits.flag()) {
    bits.number()
    bits.number()
  }
  // The clock: two numbers and a flag.
  if (bits.flag()) bits.read(65)
  // Buffer parameters, for which nothing is read, and an order of fields in each picture.
  expect(!bits.flag() && !bits.flag() && !bits.flag())
  return { ratio, colourCodes, colour }
}

function readRatio(bits: Bits): string | undefined {
  const code = bits.read(8)
  const ratio = code === OTHER_RATIO ? `${bits.read(16)}:${bits.read(16)}` : known(RATIOS[code])
  return /^[1-9]\d*:[1-9]\d*$/.test(ratio) ? ratio : undefined
}

function readColour(bits: Bits): Pick<ParameterFacts, 'colourCodes' | 'colour'> {
  bits.read(3)
  // The full range has a pixel format of its own.
  expect(!bits.flag())
  if (!bits.flag()) return { colourCodes: undefined, colour: { color_range: 'tv' } }
  const [primaries, transfer, matrix] = [bits.read(8), bits.read(8), bits.read(8)]
  return {
    colourCodes: [primaries, transfer, matrix],
    colour: {
      color_range: 'tv',
      color_primaries: known(PRIMARIES[primaries]),
      color_transfer: known(TRANSFERS[transfer]),
      color_space: known(MATRICES[matrix]),
    },
  }
}
