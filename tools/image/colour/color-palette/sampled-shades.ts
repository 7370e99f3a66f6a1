import type { Pixels } from '../../../../src/media/image/frame.ts'
import type { Shades } from './median-cut.ts'

/** Maximum number of columns and rows sampled: original pixels, since a smaller copy would mix colours. */
const SIDE = 200

/** Offset of each row of samples, as a share of the sampling distance: avoids hitting stripes always or never. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * The colours of an image with their visible amounts: half-transparent pixels count half, transparent ones not at all.
 */
export function sampledShades({ data, width, height, channels }: Omit<Pixels, 'pageHeight'>): Shades {
  const [columns, rows] = [Math.min(SIDE, width), Math.min(SIDE, height)]
  // A colour and its alpha in one number, 0xRRGGBBAA: sorting brings equal colours together.
  const samples = new Uint32Array(columns * rows)
  let count = 0
  for (let row = 0; row < rows; row += 1) {
    const y = Math.floor(((row + 0.5) * height) / rows)
    const offset = columns === width ? 0.5 : (row * GOLDEN) % 1
    for (let column = 0; column < columns; column += 1) {
      const at = (y * width + Math.floor(((column + offset) * width) / columns)) * channels
      const alpha = channels === 4 ? data[at + 3]! : 255
      if (alpha === 0) continue
      samples[count] = (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | alpha
      count += 1
    }
  }
  return eachOnce(samples.subarray(0, count).sort())
}

/** The colours of sorted samples, each once, with the sum of their alpha. */
function eachOnce(sorted: Uint32Array): Shades {
  const colours = new Uint32Array(sorted.length)
  const weights = new Uint32Array(sorted.length)
  let last = -1
  for (const sample of sorted) {
    const colour = sample >>> 8
    if (last < 0 || colours[last] !== colour) {
      last += 1
      colours[last] = colour
    }
    weights[last]! += sample & 255
  }
  return { colours: colours.subarray(0, last + 1), weights: weights.subarray(0, last + 1) }
}
