/**
 * Rows of bars made clear. A row that is the mean of several along the bars has little noise, so that it bears what would
 * spoil a whole picture: the blur of the lens is undone, and light and dark are told by what is near.
 */

/** Grey samples, row by row. */
export interface Grey {
  data: Buffer
  width: number
  height: number
}

/** How a row is made clear; lengths in its own pixels. */
export interface Clearing {
  /** The blur to undo: standard deviation of a Gaussian. None when absent. */
  blur?: number
  /** Noise against signal in the blur's inverse (Wiener's filter): the smaller, the more noise it brings out. */
  noise?: number
  /** Light and dark are those within so many pixels to each side. */
  window: number
}

/** Frequencies in which the filter is made: more than it has taps. */
const FREQUENCIES = 256
/** Taps reach so many deviations to each side. */
const REACH = 6

/** Wiener's inverse of a Gaussian blur, as taps whose sum is 1. */
function inverseOf(blur: number, noise: number): Float32Array {
  const reach = Math.min(FREQUENCIES / 2 - 1, Math.ceil(blur * REACH))
  const gains = Float64Array.from({ length: FREQUENCIES }, (_, index) => {
    const frequency = Math.min(index, FREQUENCIES - index) / FREQUENCIES
    const kept = Math.exp(-2 * (Math.PI * frequency * blur) ** 2)
    return kept / (kept * kept + noise)
  })
  const taps = Float32Array.from({ length: 2 * reach + 1 }, (_, tap) =>
    gains.reduce((sum, gain, index) => sum + gain * Math.cos((2 * Math.PI * index * (tap - reach)) / FREQUENCIES), 0),
  )
  const sum = taps.reduce((all, tap) => all + tap, 0)
  return taps.map((tap) => tap / sum)
}

const inByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value)

/** Every row convolved; beyond the ends it goes on as it ends. */
function convolved({ data, width, height }: Grey, taps: Float32Array): Buffer {
  const reach = (taps.length - 1) / 2
  const made = Buffer.allocUnsafe(data.length)
  const row = new Float32Array(width + 2 * reach)
  for (let start = 0; start < data.length; start += width) {
    row.fill(data[start]!, 0, reach)
    row.set(data.subarray(start, start + width), reach)
    row.fill(data[start + width - 1]!, reach + width)
    for (let x = 0; x < width; x += 1) {
      let sum = 0
      for (let tap = 0; tap < taps.length; tap += 1) sum += row[x + tap]! * taps[tap]!
      made[start + x] = inByte(sum)
    }
  }
  return made.subarray(0, width * height)
}

/** Pixels that are looked at together when the darkest and the lightest nearby are sought. */
const BLOCK_BITS = 3
const BLOCK = 1 << BLOCK_BITS
/** Smaller differences are grain, not bars: what has no others is light, as the quiet zone beside bars is. Of 255. */
const LEAST_CONTRAST = 24

/** The least (sign 1) or the greatest (sign -1) within `reach` places, then the mean of those: a bound that runs softly. */
function softBound(values: Float32Array, reach: number, sign: 1 | -1): Float32Array {
  const count = values.length
  const bounds = values.map((_, at) => {
    const end = Math.min(count, at + reach + 1)
    let bound = values[at]!
    for (let near = Math.max(0, at - reach); near < end; near += 1)
      if ((values[near]! - bound) * sign < 0) bound = values[near]!
    return bound
  })
  return bounds.map((_, at) => {
    const [start, end] = [Math.max(0, at - reach), Math.min(count, at + reach + 1)]
    let sum = 0
    for (let near = start; near < end; near += 1) sum += bounds[near]!
    return sum / (end - start)
  })
}

/** Each row from black to white between its darkest and lightest within the window. */
function stretched({ data, width }: Grey, window: number): Buffer {
  const reach = Math.max(1, Math.ceil(window / BLOCK))
  const made = Buffer.allocUnsafe(data.length)
  const blocks = Math.ceil(width / BLOCK)
  const [darkest, lightest] = [new Float32Array(blocks), new Float32Array(blocks)]
  for (let start = 0; start < data.length; start += width) {
    darkest.fill(255)
    lightest.fill(0)
    for (let x = 0; x < width; x += 1) {
      const block = x >> BLOCK_BITS
      const value = data[start + x]!
      if (value < darkest[block]!) darkest[block] = value
      if (value > lightest[block]!) lightest[block] = value
    }
    const [dark, light] = [softBound(darkest, reach, 1), softBound(lightest, reach, -1)]
    for (let x = 0; x < width; x += 1) {
      const place = Math.min(blocks - 1, Math.max(0, (x + 0.5) / BLOCK - 0.5))
      const left = Math.floor(place)
      const right = left + 1 < blocks ? left + 1 : left
      const part = place - left
      const low = dark[left]! * (1 - part) + dark[right]! * part
      const high = light[left]! * (1 - part) + light[right]! * part
      const black = Math.min(low, high - LEAST_CONTRAST)
      made[start + x] = inByte(((data[start + x]! - black) / (high - black)) * 255)
    }
  }
  return made
}

/** Rows across bars in which the bars stand clear. */
export function clearedRows(rows: Grey, { blur = 0, noise = 0.005, window }: Clearing): Grey {
  const data = blur > 0 ? convolved(rows, inverseOf(blur, noise)) : rows.data
  return { ...rows, data: stretched({ ...rows, data }, window) }
}
