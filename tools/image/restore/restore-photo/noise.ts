import type { Plane } from './plane.ts'

/** Side of the squares for measuring noise, px. */
const SIDE = 16

/** The share of squares that count as calmest: those in which the image itself has no texture. */
const CALMEST = 0.1

/** Squares of clipped black or white are skipped. */
const CLIPPED = 3

/** The noise standard deviation of a square: J. Immerkær, "Fast Noise Variance Estimation", CVIU 64, 1996. */
function noiseOfSquare({ data, width }: Plane, left: number, top: number): number | undefined {
  const curvature = (at: number): number => data[at - 1]! - 2 * data[at]! + data[at + 1]!
  let [difference, sum] = [0, 0]
  for (let y = top + 1; y < top + SIDE - 1; y += 1)
    for (let x = left + 1; x < left + SIDE - 1; x += 1) {
      const at = y * width + x
      difference += Math.abs(curvature(at - width) - 2 * curvature(at) + curvature(at + width))
      sum += data[at]!
    }
  const count = (SIDE - 2) ** 2
  const mean = sum / count
  if (mean < CLIPPED || mean > 255 - CLIPPED) return undefined
  return (Math.sqrt(Math.PI / 2) * difference) / (6 * count)
}

/** The noise of an image: its standard deviation in the calmest areas, 0 to 255; 0 if it cannot be measured. */
export function noiseOf(light: Plane): number {
  const measured: number[] = []
  for (let top = 0; top + SIDE <= light.height; top += SIDE)
    for (let left = 0; left + SIDE <= light.width; left += SIDE) {
      const noise = noiseOfSquare(light, left, top)
      if (noise !== undefined) measured.push(noise)
    }
  measured.sort((one, other) => one - other)
  return measured[Math.floor(measured.length * CALMEST)] ?? 0
}
