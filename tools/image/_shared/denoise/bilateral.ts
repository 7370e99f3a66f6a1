import type { Planes } from './non-local-means.ts'

export interface BilateralOptions {
  /** Radius of the window, px. */
  reach: number
  /** Standard deviation of the difference, in the planes' own units. */
  range: number
  /** Standard deviation of the distance, px. */
  space: number
}

const STEPS = 1024
/** Weights are zero beyond three deviations. */
const MOST = 4.5
const WEIGHTS = Float32Array.from({ length: STEPS + 1 }, (_, step) => Math.exp((-step * MOST) / STEPS))

/**
 * Replaces every pixel with the mean of its neighbours, weighted by distance and similarity: smooths flat areas and
 * keeps edges. C. Tomasi, R. Manduchi, "Bilateral filtering for gray and color images" (ICCV 1998).
 */
export function bilateral({ data, width, height }: Planes, { reach, range, space }: BilateralOptions): Float32Array[] {
  const results = data.map((plane) => Float32Array.from(plane))
  const weights = new Float32Array(width * height).fill(1)
  const scale = STEPS / MOST / (2 * range * range)
  for (let dy = 0; dy <= reach; dy += 1)
    for (let dx = dy === 0 ? 1 : -reach; dx <= reach; dx += 1) {
      if (dx * dx + dy * dy > reach * reach || dy >= height || Math.abs(dx) >= width) continue
      const near = Math.exp(-(dx * dx + dy * dy) / (2 * space * space))
      const offset = dy * width + dx
      for (let y = 0; y < height - dy; y += 1)
        for (
          let here = y * width + Math.max(0, -dx), end = y * width + Math.min(width, width - dx);
          here < end;
          here += 1
        ) {
          let difference = 0
          for (const plane of data) difference += (plane[here]! - plane[here + offset]!) ** 2
          const step = difference * scale
          if (step >= STEPS) continue
          const weight = near * WEIGHTS[step | 0]!
          weights[here]! += weight
          weights[here + offset]! += weight
          for (let plane = 0; plane < data.length; plane += 1) {
            results[plane]![here]! += weight * data[plane]![here + offset]!
            results[plane]![here + offset]! += weight * data[plane]![here]!
          }
        }
    }
  return results.map((sum) => sum.map((value, at) => value / weights[at]!))
}
