import type { Samples } from '../../../../src/media/image/frame.ts'
import { depthOf, type Sight, tilesFor } from './plan.ts'
import { viewOf } from './view.ts'

/** Thinner holes show no structure: any fill looks right, px. */
const LEAST_DEPTH = 6
/** In the copy in which structure is measured, a hole is about this deep, px: finer texture disappears. */
const COARSE_DEPTH = 3
/** A larger difference between neighbours at the edge of a hole is the outline of something, of 1. */
const OUTLINE = 0.2

/**
 * Whether the outline of something large, such as a horizon, a wall or a body, ends at a hole: a fill without a network
 * then has to guess how it continues.
 * @param holes one byte per pixel, 1 if it is missing
 */
export function hasCutStructure(samples: Samples, holes: Uint8Array, sight: Sight): boolean {
  return tilesFor(holes, samples, sight).some(({ part, seen }) => {
    const depth = depthOf(holes, samples.width, part)
    if (depth < LEAST_DEPTH) return false
    const factor = COARSE_DEPTH / depth
    const longest = Math.max(8, Math.round(Math.max(seen.width, seen.height) * Math.min(1, factor)))
    const view = viewOf(samples, holes, seen, longest)
    const { data, width, height, channels } = view
    const isKnown = (x: number, y: number): boolean =>
      x >= 0 && y >= 0 && x < width && y < height && view.holes[y * width + x] === 0
    const isAtHole = (x: number, y: number): boolean =>
      isKnown(x, y) &&
      [-1, 0, 1].some((down) => [-1, 0, 1].some((across) => view.holes[(y + down) * width + x + across] === 1))
    for (let y = 1; y < height - 1; y += 1)
      for (let x = 1; x < width - 1; x += 1) {
        if (!isAtHole(x, y)) continue
        for (const [across, down] of [
          [1, 0],
          [0, 1],
          [1, 1],
          [1, -1],
        ] as const) {
          if (!isAtHole(x + across, y + down)) continue
          for (let channel = 0; channel < channels; channel += 1) {
            const [one, other] = [y * width + x, (y + down) * width + x + across]
            if (
              Math.abs((data[one * channels + channel] as number) - (data[other * channels + channel] as number)) >
              OUTLINE
            )
              return true
          }
        }
      }
    return false
  })
}
