import type { Samples } from '../../../../src/media/image/frame.ts'

/** A step of 8 bits in 16 bits, and half of it: the original value was within this distance. */
const STEP = 257
const HALF_STEP = 128
/** Variance of a smooth area, in steps squared: an edge that enters it exceeds this at once. */
const SMOOTH = 4
/** Radius of the mean as a share of the longer side, and its limits, px: wide steps need a wide mean. */
const RADIUS = 1 / 40
const RADII = [4, 64] as const

/** Running sums of a plane over squares, row by row: keeps the sums of the last `2 * radius + 1` rows only. */
interface Sums {
  /** For every column, over the rows of the window. */
  total: Float64Array
  /** Sums along each row of the window, at row % length. */
  rows: Float32Array[]
}

const sumsOf = (width: number, radius: number): Sums => ({
  total: new Float64Array(width),
  rows: Array.from({ length: 2 * radius + 1 }, () => new Float32Array(width)),
})

/** Adds a row in place of the oldest one. Beyond the ends of the line, its end values are repeated. */
function addRow({ total, rows }: Sums, index: number, line: Float32Array, radius: number): void {
  const kept = rows[index % rows.length] as Float32Array
  const last = line.length - 1
  const at = (x: number): number => line[x < 0 ? 0 : x > last ? last : x] as number
  let sum = 0
  for (let x = -radius; x <= radius; x += 1) sum += at(x)
  for (let x = 0; x <= last; x += 1) {
    const before = kept[x] as number
    kept[x] = sum
    total[x] = (total[x] as number) + (kept[x] as number) - before
    sum += at(x + radius + 1) - at(x - radius)
  }
}

/**
 * Replaces the steps of smooth gradients by slopes, in place: every 16-bit sample that was made from 8 bits becomes the
 * mean of its surroundings, but stays within half a step. So nothing changes that 8 bits could show, and a steeper tone
 * curve does not make the steps visible. Areas with edges or texture, and alpha, are unchanged.
 */
export function dequantise(samples: Samples): void {
  const { width, height, channels, pages } = samples
  const colours = channels - (channels % 2 === 0 ? 1 : 0)
  for (let page = 0; page < pages; page += 1)
    for (let channel = 0; channel < colours; channel += 1)
      dequantisePlane(samples, page * width * height * channels + channel)
}

function dequantisePlane({ data, width, height, channels }: Samples, start: number): void {
  const radius = Math.min(RADII[1], Math.max(RADII[0], Math.round(Math.max(width, height) * RADIUS)))
  const [means, squares] = [sumsOf(width, radius), sumsOf(width, radius)]
  const [line, squared] = [new Float32Array(width), new Float32Array(width)]
  const count = (2 * radius + 1) ** 2
  const read = (y: number, index: number): void => {
    const from = start + Math.min(height - 1, Math.max(0, y)) * width * channels
    for (let x = 0; x < width; x += 1) {
      const value = (data[from + x * channels] as number) / STEP
      line[x] = value
      squared[x] = value * value
    }
    addRow(means, index, line, radius)
    addRow(squares, index, squared, radius)
  }
  for (let index = 0; index < 2 * radius; index += 1) read(index - radius, index)
  for (let y = 0; y < height; y += 1) {
    // Every row is read before it is written. The last one can be read again: it changed by half a step at most.
    read(y + radius, y + 2 * radius)
    for (let x = 0, at = start + y * width * channels; x < width; x += 1, at += channels) {
      const value = data[at] as number
      const mean = (means.total[x] as number) / count
      // Values at the ends of the range can be clipped, so their mean is not the original value.
      if (value === 0 || value === 65535 || (squares.total[x] as number) / count - mean * mean > SMOOTH) continue
      data[at] = Math.min(value + HALF_STEP, Math.max(value - HALF_STEP, mean * STEP))
    }
  }
}
