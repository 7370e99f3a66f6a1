/**
 * Restoration of rows of bars. A row averaged along the bars has little noise, so it tolerates filters that would ruin
 * a whole image: deconvolution of the lens blur, and local thresholds for light and dark.
 */

/** Grey samples, row by row. */
export interface Grey {
  data: Buffer
  width: number
  height: number
}

/** How a row is restored; lengths in its own pixels. */
export interface Clearing {
  /** The blur to remove: standard deviation of a Gaussian. None when absent. */
  blur?: number
  /** Noise-to-signal ratio in the inverse of the blur (Wiener filter): smaller values amplify more noise. */
  noise?: number
  /** Light and dark are the extremes within this many pixels on each side. */
  window: number
}

/** Number of frequencies for designing the filter: more than it has taps. */
const FREQUENCIES = 256
/** Taps extend this many deviations to each side. */
const REACH = 6

/**
 * The Wiener inverse of a Gaussian blur, as taps whose sum is 1: the centre tap, then its neighbours, the same on both
 * sides.
 */
function inverseOf(blur: number, noise: number): Float64Array {
  const reach = Math.min(FREQUENCIES / 2 - 1, Math.ceil(blur * REACH))
  const gains = new Float64Array(FREQUENCIES)
  for (let index = 0; index < FREQUENCIES; index += 1) {
    const frequency = Math.min(index, FREQUENCIES - index) / FREQUENCIES
    const kept = Math.exp(-2 * (Math.PI * frequency * blur) ** 2)
    gains[index] = kept / (kept * kept + noise)
  }
  const taps = new Float64Array(reach + 1)
  for (let tap = 0; tap <= reach; tap += 1)
    for (let index = 0; index < FREQUENCIES; index += 1)
      taps[tap]! += gains[index]! * Math.cos((2 * Math.PI * index * tap) / FREQUENCIES)
  const sum = taps.reduce((all, tap) => all + 2 * tap, -taps[0]!)
  return taps.map((tap) => tap / sum)
}

const inByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value)

/** Convolves every row; the ends are extended with their last value. */
function convolved({ data, width }: Grey, taps: Float64Array): Buffer {
  const reach = taps.length - 1
  const made = Buffer.allocUnsafe(data.length)
  const row = new Float64Array(width + 2 * reach)
  for (let start = 0; start < data.length; start += width) {
    row.fill(data[start]!, 0, reach)
    row.set(data.subarray(start, start + width), reach)
    row.fill(data[start + width - 1]!, reach + width)
    for (let x = 0; x < width; x += 1) {
      const middle = x + reach
      let sum = row[middle]! * taps[0]!
      for (let tap = 1; tap <= reach; tap += 1) sum += (row[middle - tap]! + row[middle + tap]!) * taps[tap]!
      made[start + x] = inByte(sum)
    }
  }
  return made
}

/** Block size for finding the local minimum and maximum, px. */
const BLOCK_BITS = 3
const BLOCK = 1 << BLOCK_BITS
/**
 * Smaller differences are grain, not bars: an area without larger ones counts as light, like the quiet zone next to
 * bars. Of 255.
 */
const LEAST_CONTRAST = 24

/** The minimum (sign 1) or maximum (sign -1) within `reach` positions, averaged over that range: a smooth bound. */
function softBound(values: Float32Array, reach: number, sign: 1 | -1): Float32Array {
  const count = values.length
  const bounds = new Float32Array(count)
  const made = new Float32Array(count)
  for (let at = 0; at < count; at += 1) {
    const end = Math.min(count, at + reach + 1)
    let bound = values[at]!
    for (let near = Math.max(0, at - reach); near < end; near += 1)
      if ((values[near]! - bound) * sign < 0) bound = values[near]!
    bounds[at] = bound
  }
  for (let at = 0; at < count; at += 1) {
    const [start, end] = [Math.max(0, at - reach), Math.min(count, at + reach + 1)]
    let sum = 0
    for (let near = start; near < end; near += 1) sum += bounds[near]!
    made[at] = sum / (end - start)
  }
  return made
}

/** Stretches each row from black to white between its local minimum and maximum. */
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
    // Bounds apply to the centres of blocks and are interpolated linearly between them.
    for (let left = -1; left < blocks; left += 1) {
      const [first, second] = [Math.max(0, left), Math.min(blocks - 1, left + 1)]
      const middle = left * BLOCK + BLOCK / 2
      const end = Math.min(width, middle + BLOCK)
      for (let x = Math.max(0, middle); x < end; x += 1) {
        const part = (x + 0.5 - middle) / BLOCK
        const low = dark[first]! * (1 - part) + dark[second]! * part
        const high = light[first]! * (1 - part) + light[second]! * part
        const black = low < high - LEAST_CONTRAST ? low : high - LEAST_CONTRAST
        made[start + x] = inByte(((data[start + x]! - black) / (high - black)) * 255)
      }
    }
  }
  return made
}

/** Rows across bars, restored. */
export function clearedRows(rows: Grey, { blur = 0, noise = 0.005, window }: Clearing): Grey {
  const data = blur > 0 ? convolved(rows, inverseOf(blur, noise)) : rows.data
  return { ...rows, data: stretched({ ...rows, data }, window) }
}
