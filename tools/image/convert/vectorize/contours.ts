import { get, type Plane } from './plane.ts'

/** The outline of one region along the sides of its pixels. */
export interface Contour {
  /** Positions of the corners, as `y * (width + 1) + x`, in order; the region is on the right. */
  corners: number[]
  /** Enclosed pixels: positive around a region, negative around a hole in it. */
  area: number
  /** A pixel of the region next to the outline. */
  pixel: number
}

const STEPS = [
  { x: 1, y: 0 },
  { x: 0, y: 1 },
  { x: -1, y: 0 },
  { x: 0, y: -1 },
] as const

/**
 * The outlines of all regions of a mask, outer ones and holes.
 * @param mask 1 inside, 0 outside
 * @param joins whether two regions that touch at a corner are connected there; receives the corner
 */
export function contoursOf(mask: Plane<Uint8Array>, joins: (x: number, y: number) => boolean): Contour[] {
  const { data, width, height } = mask
  const contours: Contour[] = []
  const seen = new Uint8Array(width * height)
  const isInside = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < width && y < height && data[y * width + x] === 1
  const follow = (left: number, top: number): Contour => {
    const corners: number[] = []
    let [x, y, direction, area] = [left, top, 0, 0]
    do {
      corners.push(y * (width + 1) + x)
      if (direction === 0) seen[y * width + x] = 1
      const step = STEPS[direction] as (typeof STEPS)[number]
      area -= step.x * y
      x += step.x
      y += step.y
      // The pixels ahead of the corner, right and left of the direction.
      const right = isInside(x + (step.x - step.y - 1) / 2, y + (step.y + step.x - 1) / 2)
      const leftward = isInside(x + (step.x + step.y - 1) / 2, y + (step.y - step.x - 1) / 2)
      if (right) direction = leftward ? (direction + 3) % 4 : direction
      else direction = leftward && joins(x, y) ? (direction + 3) % 4 : (direction + 1) % 4
    } while (x !== left || y !== top || direction !== 0)
    return { corners, area, pixel: top * width + left }
  }
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      if (data[at] === 1 && seen[at] === 0 && (y === 0 || data[at - width] === 0)) contours.push(follow(x, y))
  return contours
}

/** Numbers the regions of a mask, from 1; pixels that touch at a corner are connected. 0 is outside. */
export function componentsOf({ data, width, height }: Plane<Uint8Array>): Int32Array {
  const numbers = new Int32Array(width * height)
  const queue: number[] = []
  let count = 0
  for (let start = 0; start < data.length; start += 1) {
    if (data[start] === 0 || numbers[start] !== 0) continue
    count += 1
    numbers[start] = count
    queue.push(start)
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
          const place = row * width + column
          if (data[place] === 0 || get(numbers, place) !== 0) continue
          numbers[place] = count
          queue.push(place)
        }
    }
  }
  return numbers
}
