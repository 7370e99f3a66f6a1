import type { Samples, Size } from '../../../../src/media/image/frame.ts'
import { type Corners, projection } from './quadrilateral.ts'

/** Weights of the four samples around a place, by its distance from the second: Catmull-Rom. */
function weigh(into: Float64Array, t: number): void {
  into[0] = t * (-0.5 + t * (1 - 0.5 * t))
  into[1] = 1 + t * t * (-2.5 + 1.5 * t)
  into[2] = t * (0.5 + t * (2 - 1.5 * t))
  into[3] = t * t * (-0.5 + 0.5 * t)
}

/**
 * The rectangle that a quadrilateral of the image shows, on every page. Outside the image, its edge is repeated. With
 * alpha, colours are weighted by it.
 */
export function warp(samples: Samples, corners: Corners, size: Size): Samples {
  const { data, width, height, channels, pages } = samples
  const { a, b, c, d, e, f, g, h } = projection(corners)
  const white = data instanceof Uint16Array ? 65535 : 255
  const length = size.width * size.height * channels * pages
  const result = data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length)
  const hasAlpha = channels % 2 === 0
  const colours = channels - (hasAlpha ? 1 : 0)
  const [across, down] = [new Float64Array(4), new Float64Array(4)]
  const sums = new Float64Array(channels)
  const columns = new Int32Array(4)
  const bound = (value: number, side: number): number => (value < 0 ? 0 : value >= side ? side - 1 : value)
  let to = 0
  for (let page = 0; page < pages; page += 1)
    for (let row = 0; row < size.height; row += 1) {
      const v = (row + 0.5) / size.height
      for (let column = 0; column < size.width; column += 1) {
        const u = (column + 0.5) / size.width
        const depth = g * u + h * v + 1
        const [x, y] = [(a * u + b * v + c) / depth - 0.5, (d * u + e * v + f) / depth - 0.5]
        const [left, top] = [Math.floor(x), Math.floor(y)]
        weigh(across, x - left)
        weigh(down, y - top)
        for (let tap = 0; tap < 4; tap += 1) columns[tap] = bound(left + tap - 1, width) * channels
        sums.fill(0)
        for (let line = 0; line < 4; line += 1) {
          const start = (page * height + bound(top + line - 1, height)) * width * channels
          for (let tap = 0; tap < 4; tap += 1) {
            const from = start + (columns[tap] ?? 0)
            let weight = (down[line] ?? 0) * (across[tap] ?? 0)
            if (hasAlpha) {
              weight *= (data[from + colours] ?? 0) / white
              sums[colours] = (sums[colours] ?? 0) + weight
            }
            for (let channel = 0; channel < colours; channel += 1)
              sums[channel] = (sums[channel] ?? 0) + weight * (data[from + channel] ?? 0)
          }
        }
        const alpha = hasAlpha ? (sums[colours] ?? 0) : 1
        for (let channel = 0; channel < colours; channel += 1) {
          const value = alpha > 0 ? (sums[channel] ?? 0) / alpha + 0.5 : 0
          result[to + channel] = value < 0 ? 0 : value > white ? white : value
        }
        if (hasAlpha) result[to + colours] = Math.min(1, Math.max(0, alpha)) * white + 0.5
        to += channels
      }
    }
  return { ...samples, data: result, width: size.width, height: size.height }
}
