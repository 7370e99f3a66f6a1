import { required } from '../../../lists.ts'
import { BlockBits, between, partitionOf, WEIGHTS } from './bptc.ts'

interface Mode {
  /** Bits of an assembled endpoint. */
  bits: number
  /** Bits stored for the further endpoints, for red, green and blue. */
  deltas: readonly [number, number, number]
  /** The further endpoints are offsets from the first. */
  isRelative: boolean
  /** Two subsets, with a five-bit partition number. */
  isDivided: boolean
  /**
   * The fields after the mode number: component and endpoint, then a bit, or a range of bits with a dash; `r0:11-10`
   * counts down.
   */
  layout: string
}

const divided = (bits: number, deltas: Mode['deltas'], layout: string, isRelative = true): Mode => ({
  ...{ bits, deltas, isRelative, isDivided: true, layout },
})
const whole = (bits: number, delta: number, layout: string): Mode => ({
  ...{ bits, deltas: [delta, delta, delta] as const, isRelative: delta < bits, isDivided: false, layout },
})

/** Tables MF and F of ARB_texture_compression_bptc, by mode number. */
const MODES: Record<number, Mode> = {
  0: divided(
    10,
    [5, 5, 5],
    'g2:4 b2:4 b3:4 r0:0-9 g0:0-9 b0:0-9 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 ' +
      'b3:2 r3:0-4 b3:3',
  ),
  1: divided(
    7,
    [6, 6, 6],
    'g2:5 g3:4 g3:5 r0:0-6 b3:0 b3:1 b2:4 g0:0-6 b2:5 b3:2 g2:4 b0:0-6 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 ' +
      'g1:0-5 g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5',
  ),
  2: divided(
    11,
    [5, 4, 4],
    'r0:0-9 g0:0-9 b0:0-9 r1:0-4 r0:10 g2:0-3 g1:0-3 g0:10 b3:0 g3:0-3 b1:0-3 b0:10 b3:1 b2:0-3 r2:0-4 ' +
      'b3:2 r3:0-4 b3:3',
  ),
  3: whole(10, 10, 'r0:0-9 g0:0-9 b0:0-9 r1:0-9 g1:0-9 b1:0-9'),
  6: divided(
    11,
    [4, 5, 4],
    'r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:10 g3:4 g2:0-3 g1:0-4 g0:10 g3:0-3 b1:0-3 b0:10 b3:1 b2:0-3 r2:0-3 ' +
      'b3:0 b3:2 r3:0-3 g2:4 b3:3',
  ),
  7: whole(11, 9, 'r0:0-9 g0:0-9 b0:0-9 r1:0-8 r0:10 g1:0-8 g0:10 b1:0-8 b0:10'),
  10: divided(
    11,
    [4, 4, 5],
    'r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:10 b2:4 g2:0-3 g1:0-3 g0:10 b3:0 g3:0-3 b1:0-4 b0:10 b2:0-3 r2:0-3 ' +
      'b3:1 b3:2 r3:0-3 b3:4 b3:3',
  ),
  11: whole(12, 8, 'r0:0-9 g0:0-9 b0:0-9 r1:0-7 r0:11-10 g1:0-7 g0:11-10 b1:0-7 b0:11-10'),
  14: divided(
    9,
    [5, 5, 5],
    'r0:0-8 b2:4 g0:0-8 g2:4 b0:0-8 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 b2:0-3 r2:0-4 ' +
      'b3:2 r3:0-4 b3:3',
  ),
  15: whole(16, 4, 'r0:0-9 g0:0-9 b0:0-9 r1:0-3 r0:15-10 g1:0-3 g0:15-10 b1:0-3 b0:15-10'),
  18: divided(
    8,
    [6, 5, 5],
    'r0:0-7 g3:4 b2:4 g0:0-7 b3:2 g2:4 b0:0-7 b3:3 b3:4 r1:0-5 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-4 b3:1 ' +
      'b2:0-3 r2:0-5 r3:0-5',
  ),
  22: divided(
    8,
    [5, 6, 5],
    'r0:0-7 b3:0 b2:4 g0:0-7 g2:5 g2:4 b0:0-7 g3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-5 g3:0-3 b1:0-4 b3:1 ' +
      'b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3',
  ),
  26: divided(
    8,
    [5, 5, 6],
    'r0:0-7 b3:1 b2:4 g0:0-7 b2:5 g2:4 b0:0-7 b3:5 b3:4 r1:0-4 g3:4 g2:0-3 g1:0-4 b3:0 g3:0-3 b1:0-5 ' +
      'b2:0-3 r2:0-4 b3:2 r3:0-4 b3:3',
  ),
  30: divided(
    6,
    [6, 6, 6],
    'r0:0-5 g3:4 b3:0 b3:1 b2:4 g0:0-5 g2:5 b2:5 b3:2 g2:4 b0:0-5 g3:5 b3:3 b3:5 b3:4 r1:0-5 g2:0-3 ' +
      'g1:0-5 g3:0-3 b1:0-5 b2:0-3 r2:0-5 r3:0-5',
    false,
  ),
}

interface Field {
  /** Index of the value: endpoint × 3 + component. */
  value: number
  from: number
  to: number
}

const fieldsOf = (layout: string): Field[] =>
  layout.split(' ').map((field) => {
    const [, component = '', end, from, to = from] = /^([rgb])(\d):(\d+)(?:-(\d+))?$/.exec(field)!
    return { value: Number(end) * 3 + 'rgb'.indexOf(component), from: Number(from), to: Number(to) }
  })

const FIELDS = new Map(Object.entries(MODES).map(([number, { layout }]) => [Number(number), fieldsOf(layout)]))

const signExtend = (value: number, bits: number): number => (value << (32 - bits)) >> (32 - bits)

/** Unquantizes an endpoint to the full 16-bit range. */
function stretch(value: number, bits: number, isSigned: boolean): number {
  if (!isSigned) {
    if (bits >= 15 || value === 0) return value
    return value === (1 << bits) - 1 ? 0xffff : ((value << 15) + 0x4000) >> (bits - 1)
  }
  if (bits >= 16 || value === 0) return value
  const size = Math.abs(value)
  const stretched = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1)
  return value < 0 ? -stretched : stretched
}

/** The value of the 15 bits below the sign as a float (IEEE 754, binary16). No block contains infinity. */
function halfFloat(half: number): number {
  const [exponent, fraction] = [half >> 10, half & 1023]
  return exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Scales an unquantized value to the range of half floats. */
function toFloat(value: number, isSigned: boolean): number {
  if (!isSigned) return halfFloat((value * 31) >> 6)
  return value < 0 ? -halfFloat((-value * 31) >> 5) : halfFloat((value * 31) >> 5)
}

function readEnds(bits: BlockBits, fields: readonly Field[]): number[] {
  const values = new Array<number>(12).fill(0)
  for (const { value, from, to } of fields)
    if (from <= to) values[value]! |= bits.read(to - from + 1) << from
    else for (let bit = from; bit >= to; bit -= 1) values[value]! |= bits.read(1) << bit
  return values
}

/**
 * Decodes a block of BC6H to linear RGB, 16 pixels row by row. A block with a reserved mode is black.
 * @param start offset of its 16 bytes
 */
export function decodeBc6h(bytes: Uint8Array, start: number, isSigned: boolean, pixels: Float32Array): void {
  const bits = new BlockBits(bytes, start)
  const low = bits.read(2)
  const number = low < 2 ? low : low | (bits.read(3) << 2)
  const mode = MODES[number]
  if (!mode) {
    pixels.fill(0)
    return
  }
  const raw = readEnds(bits, required(FIELDS, number))
  const ends = raw.map((value, index) => {
    if (index < 3) return isSigned ? signExtend(value, mode.bits) : value
    const delta = mode.deltas[index % 3]!
    if (!mode.isRelative) return isSigned ? signExtend(value, delta) : value
    const sum = (raw[index % 3]! + signExtend(value, delta)) & ((1 << mode.bits) - 1)
    return isSigned ? signExtend(sum, mode.bits) : sum
  })
  const stretched = ends.map((value) => stretch(value, mode.bits, isSigned))
  const count = mode.isDivided ? 2 : 1
  const partition = mode.isDivided ? bits.read(5) : 0
  const { subsets, anchors } = partitionOf(count, partition)
  const indexBits = mode.isDivided ? 3 : 4
  const indices = bits.readIndices(indexBits, anchors)
  for (let pixel = 0; pixel < 16; pixel += 1) {
    const weight = WEIGHTS[indexBits]![indices[pixel]!]!
    for (let channel = 0; channel < 3; channel += 1) {
      const end = subsets[pixel]! * 6 + channel
      pixels[pixel * 3 + channel] = toFloat(between(stretched[end]!, stretched[end + 3]!, weight), isSigned)
    }
  }
}
