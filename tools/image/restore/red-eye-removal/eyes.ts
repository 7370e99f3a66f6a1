import { firstOf } from '../../../../src/lists.ts'
import type { Face } from '../../_shared/faces/detect.ts'
import type { Point } from '../../_shared/faces/landmarks.ts'

/** The work area of an eye, px. */
export interface Eye {
  x: number
  y: number
  /** Of the work area. */
  radius: number
}

/** The lid points in the order of 300-W: outer corner, two on the upper lid, inner corner, two on the lower lid. */
const LIDS = [
  [36, 37, 38, 39, 40, 41],
  [42, 43, 44, 45, 46, 47],
] as const

/**
 * An iris is about 11.7 mm wide, an eye from corner to corner about 29: its radius relative to the width of the eye.
 */
const IRIS = 11.7 / 29 / 2
/** The work area exceeds the iris by this factor (catalogue). */
const MARGIN = 1.3

/** Both eyes of a face: the centre of the lids, and space for the iris. */
export function eyesOf({ landmarks }: Face): Eye[] {
  return LIDS.map((indices) => {
    const points = indices.map((index): Point => landmarks.points[index]!)
    const mean = (pick: (point: Point) => number): number =>
      points.reduce((sum, point) => sum + pick(point), 0) / points.length
    const width = Math.hypot(points[3]!.x - firstOf(points).x, points[3]!.y - firstOf(points).y)
    return { x: mean(({ x }) => x), y: mean(({ y }) => y), radius: Math.max(2, width * IRIS * MARGIN) }
  })
}
