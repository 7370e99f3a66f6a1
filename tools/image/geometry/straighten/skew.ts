import type { Pixels } from '../../../../src/media/image/frame.ts'

/** A step of brightness from one row to the next that can be the edge of a letter, of 255. */
const STEP = 24
/** Angles that are compared first, and those around the best of them, degrees. */
const COARSE = 0.25
const FINE = 0.02
/** How much better than most angles the best must be: lines of text or rules, not leaves or waves. */
const CERTAIN = 1.35
/** Fewer edges than this are no page of text. */
const LEAST_EDGES = 300

/**
 * The angle by which lines of text are turned clockwise, degrees: seen along it, rows of edges and gaps are the most
 * distinct (projection profiles; Postl, 1986). Undefined if no angle is.
 * @param pixels grey
 */
export function skewOf({ data, width, height }: Pixels, maxAngle: number): number | undefined {
  const columns: number[] = []
  const rows: number[] = []
  for (let y = 0; y + 1 < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = y * width + x
      if (Math.abs((data[at] ?? 0) - (data[at + width] ?? 0)) < STEP) continue
      columns.push(x - width / 2)
      rows.push(y)
    }
  if (columns.length < LEAST_EDGES) return undefined
  const [xs, ys] = [Float32Array.from(columns), Float32Array.from(rows)]
  const reach = Math.ceil((width / 2) * Math.tan((maxAngle * Math.PI) / 180)) + 2
  const bins = new Float64Array(height + 2 * reach + 2)
  const scoreOf = (degrees: number): number => {
    const slope = Math.tan((degrees * Math.PI) / 180)
    bins.fill(0)
    for (let edge = 0; edge < xs.length; edge += 1) {
      // Shared by the two nearest rows, so that the score changes smoothly.
      const place = (ys[edge] ?? 0) - (xs[edge] ?? 0) * slope + reach
      const row = Math.floor(place)
      bins[row] = (bins[row] ?? 0) + 1 - (place - row)
      bins[row + 1] = (bins[row + 1] ?? 0) + place - row
    }
    return bins.reduce((sum, count) => sum + count * count, 0)
  }
  const best = (from: number, to: number, step: number) => {
    const angles = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => from + at * step)
    const scored = angles.map((angle) => ({ angle, score: scoreOf(angle) }))
    const sorted = scored.toSorted((one, other) => other.score - one.score)
    return { sorted, angle: sorted[0]?.angle ?? 0, score: sorted[0]?.score ?? 0 }
  }
  const coarse = best(-maxAngle, maxAngle, COARSE)
  const usual = coarse.sorted[Math.floor(coarse.sorted.length / 2)]?.score ?? 0
  const fine = best(Math.max(-maxAngle, coarse.angle - COARSE), Math.min(maxAngle, coarse.angle + COARSE), FINE)
  return fine.score < usual * CERTAIN ? undefined : fine.angle
}
