import type { Samples } from '../../../../src/media/image/frame.ts'

/** Changes a colour: replaces its three samples in place. Fractions are truncated when stored. */
export type ColourChange = (colour: Float64Array) => void

/** Maximum number of cached 8-bit results, as a power of 2: one megabyte, which fits in the CPU cache. */
const MOST_SLOTS = 17

/** Knuth's multiplicative hash: 2^32 divided by the golden ratio, made odd. */
const SPREAD = 0x9e3779b1

/** Lookup tables by sample: one each for red, green and blue. */
type Tables = readonly [Float64Array, Float64Array, Float64Array]
/** A matrix, row by row. */
type Rows = readonly (readonly [number, number, number])[]

/** The change that looks up each sample, multiplies by a matrix and encodes the result. */
export function mixedBy([reds, greens, blues]: Tables, rows: Rows, encoded: (value: number) => number): ColourChange {
  const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = rows as readonly [Rows[number], Rows[number], Rows[number]]
  return (colour) => {
    const red = reds[colour[0]!]!
    const green = greens[colour[1]!]!
    const blue = blues[colour[2]!]!
    colour[0] = encoded(rr * red + rg * green + rb * blue)
    colour[1] = encoded(gr * red + gg * green + gb * blue)
    colour[2] = encoded(br * red + bg * green + bb * blue)
  }
}

/**
 * Changes every colour of RGB samples in place; keeps alpha. A photo has a hundred times as many pixels as colours, so
 * 8-bit results are cached: 95 to 99 of 100 pixels are looked up instead of computed.
 */
export function changeColours({ data, channels }: Pick<Samples, 'data' | 'channels'>, change: ColourChange): void {
  const colour = new Float64Array(3)
  if (data instanceof Uint16Array) {
    for (let at = 0; at < data.length; at += channels) {
      colour[0] = data[at]!
      colour[1] = data[at + 1]!
      colour[2] = data[at + 2]!
      change(colour)
      data[at] = colour[0]
      data[at + 1] = colour[1]
      data[at + 2] = colour[2]
    }
    return
  }
  const bits = Math.min(MOST_SLOTS, Math.ceil(Math.log2(1 + data.length / channels)))
  // Pairs of a colour and its result. A colour replaces another one that hashes to the same slot.
  const slots = new Int32Array(2 << bits).fill(-1)
  for (let at = 0; at < data.length; at += channels) {
    const given: number = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
    const slot = (Math.imul(given, SPREAD) >>> (32 - bits)) << 1
    if (slots[slot] !== given) {
      colour[0] = data[at]!
      colour[1] = data[at + 1]!
      colour[2] = data[at + 2]!
      change(colour)
      slots[slot] = given
      slots[slot + 1] = (colour[0] << 16) | (colour[1] << 8) | colour[2]
    }
    const made = slots[slot + 1]!
    data[at] = made >>> 16
    data[at + 1] = made >>> 8
    data[at + 2] = made
  }
}
