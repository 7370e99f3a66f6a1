import { lastOf } from '../../lists.ts'

/** Text boxes at any angle. y points down; angles are clockwise on screen, in radians. */

export interface Point {
  x: number
  y: number
}

/** A rotated rectangle, given by its centre. */
export interface TurnedBox {
  centre: Point
  /** Length along the direction of the angle. */
  width: number
  height: number
  /** From -45 to 45 degrees: the side closer to the horizontal is the width. */
  angle: number
}

/** Twice the signed area of the triangle; positive if clockwise on screen. */
const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)

/** The convex hull of some points, clockwise from the leftmost (Andrew's monotone chain). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((one, other) => one.x - other.x || one.y - other.y)
  if (sorted.length < 3) return sorted
  const chain = (all: readonly Point[]): Point[] => {
    const kept: Point[] = []
    for (const point of all) {
      while (kept.length > 1 && turn(kept[kept.length - 2]!, lastOf(kept), point) <= 0) kept.pop()
      kept.push(point)
    }
    return kept.slice(0, -1)
  }
  return [...chain(sorted), ...chain(sorted.reverse())]
}

/** The extent of points along a direction, and its centre. */
function extent(points: readonly Point[], x: number, y: number): { length: number; middle: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const point of points) {
    const along = point.x * x + point.y * y
    least = Math.min(least, along)
    most = Math.max(most, along)
  }
  return { length: most - least, middle: (least + most) / 2 }
}

/** Normalises an angle by quarter turns to -45 to 45 degrees. */
function withinEighth(angle: number): number {
  const quarter = Math.PI / 2
  return angle - quarter * Math.round(angle / quarter)
}

/** The minimum-area rectangle around points: one of its sides is on a side of their convex hull. */
export function smallestBox(points: readonly Point[]): TurnedBox {
  const hull = convexHull(points)
  let best: TurnedBox | undefined
  for (const [index, from] of hull.entries()) {
    const to = hull[(index + 1) % hull.length]!
    const angle = withinEighth(Math.atan2(to.y - from.y, to.x - from.x))
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const across = extent(hull, cos, sin)
    const down = extent(hull, -sin, cos)
    if (best && best.width * best.height <= across.length * down.length) continue
    const centre = { x: across.middle * cos - down.middle * sin, y: across.middle * sin + down.middle * cos }
    best = { centre, width: across.length, height: down.length, angle }
  }
  return best!
}

/** Expands a box by moving each side outwards. */
export const grownBox = (box: TurnedBox, by: number): TurnedBox => ({
  ...box,
  width: box.width + 2 * by,
  height: box.height + 2 * by,
})

/** A point in a box: x from 0 (left) to 1 (right) along its width, y from 0 (top) to 1. */
export function pointIn({ centre, width, height, angle }: TurnedBox, x: number, y: number): Point {
  const [along, beside] = [(x - 0.5) * width, (y - 0.5) * height]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return { x: centre.x + along * cos - beside * sin, y: centre.y + along * sin + beside * cos }
}

/** Its corners: top left, top right, bottom right, bottom left. */
export function cornersOf(box: TurnedBox): [Point, Point, Point, Point] {
  return [pointIn(box, 0, 0), pointIn(box, 1, 0), pointIn(box, 1, 1), pointIn(box, 0, 1)]
}

/** The part of a box between two positions along its width, 0 to 1. */
export function partOf(box: TurnedBox, from: number, to: number): TurnedBox {
  return { ...box, centre: pointIn(box, (from + to) / 2, 0.5), width: box.width * (to - from) }
}

/** The same box in a scaled image. */
export const scaledBox = ({ centre, width, height, angle }: TurnedBox, by: number): TurnedBox => ({
  centre: { x: centre.x * by, y: centre.y * by },
  width: width * by,
  height: height * by,
  angle,
})

/**
 * The same box before the image was rotated clockwise by quarter turns. Its width stays along the text direction, so
 * the angle can exceed 45 degrees.
 * @param size the image size before rotation
 */
export function turnedBack(box: TurnedBox, quarters: number, size: { width: number; height: number }): TurnedBox {
  const { x, y } = box.centre
  const back: readonly Point[] = [
    { x, y },
    { x: y, y: size.height - x },
    { x: size.width - x, y: size.height - y },
    { x: size.width - y, y: x },
  ]
  return { ...box, centre: back[quarters]!, angle: box.angle - (quarters * Math.PI) / 2 }
}

/** The axis-aligned bounding rectangle of a box in whole pixels, clipped to the image. */
export function boundsOf(box: TurnedBox, size: { width: number; height: number }) {
  const corners = cornersOf(box)
  const within = (value: number, most: number): number => Math.min(most, Math.max(0, value))
  // Rounded first: sines of quarter turns are not exactly 0, and would add a pixel.
  const exact = (value: number): number => Math.round(value * 1e6) / 1e6
  const [xs, ys] = [corners.map(({ x }) => exact(x)), corners.map(({ y }) => exact(y))]
  const x = within(Math.floor(Math.min(...xs)), size.width)
  const y = within(Math.floor(Math.min(...ys)), size.height)
  const w = within(Math.ceil(Math.max(...xs)), size.width) - x
  const h = within(Math.ceil(Math.max(...ys)), size.height) - y
  return { x, y, w, h }
}
