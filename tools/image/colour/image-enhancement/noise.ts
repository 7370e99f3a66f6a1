import type { Pixels } from '../../../../src/media/image/frame.ts'

/**
 * The standard deviation of an image's noise, 0 to 255: J. Immerkaer, "Fast Noise Variance Estimation", Computer Vision
 * and Image Understanding 64(2), 1996, with the median instead of the mean, so that edges and texture do not count.
 * Uses the green channel, or grey.
 */
export function noiseOf({ data, width, height, channels }: Pixels): number {
  const counts = new Uint32Array(8 * 255 + 1)
  const offset = channels < 3 ? 0 : 1
  const at = (x: number, y: number): number => data[(y * width + x) * channels + offset]!
  let total = 0
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const corners = at(x - 1, y - 1) + at(x + 1, y - 1) + at(x - 1, y + 1) + at(x + 1, y + 1)
      const sides = at(x, y - 1) + at(x - 1, y) + at(x + 1, y) + at(x, y + 1)
      counts[Math.abs(corners - 2 * sides + 4 * at(x, y))]! += 1
      total += 1
    }
  let seen = 0
  const median = counts.findIndex((count) => {
    seen += count
    return seen * 2 >= total
  })
  // The mask multiplies noise by 6; the median of absolute values is 0.6745 of the deviation.
  return median / (6 * 0.6745)
}
