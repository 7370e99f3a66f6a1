import { firstOf, lastOf, zip } from '../../../../src/lists.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'

type Point = readonly [number, number]

/** Each element with the one after it. */
const neighbours = <T>(list: readonly T[]): [T, T][] => zip(list.slice(0, -1), list.slice(1))

/** Largest number of points of a curve. */
const MAX_POINTS = 64

/**
 * The points of a curve, written as `x,y x,y …` with values from 0 to 255.
 * @throws MediaprocError INVALID_SETTINGS
 */
export function curvePoints(setting: string, text: string): Point[] {
  const wrong = (what: string) =>
    invalidSettings(`${setting}: ${what}`, 'For example: "0,0 64,48 192,210 255,255", values from 0 to 255')
  const points = text
    .trim()
    .split(/[\s;]+/)
    .map((pair): Point => {
      const [x = Number.NaN, y = Number.NaN, ...rest] = pair
        .split(',')
        .map((word) => (word === '' ? Number.NaN : Number(word)))
      if (rest.length > 0 || !(x >= 0 && x <= 255 && y >= 0 && y <= 255))
        throw wrong(`"${pair}" is not a point of two numbers from 0 to 255`)
      return [x, y]
    })
  if (points.length < 2 || points.length > MAX_POINTS) throw wrong(`a curve has 2 to ${MAX_POINTS} points`)
  points.sort(([one], [other]) => one - other)
  if (neighbours(points).some(([[x], [next]]) => x === next)) throw wrong('two points have the same x')
  return points
}

interface Piece {
  /** Where it begins, and its value and slope there. */
  x: number
  y: number
  slope: number
}

/** The slope of a monotone curve at a point between two secants (Fritsch and Butland, 1984). */
function middleSlope([widthBefore, before]: [number, number], [widthAfter, after]: [number, number]): number {
  if (before * after <= 0) return 0
  const [one, other] = [2 * widthAfter + widthBefore, widthAfter + 2 * widthBefore]
  return (one + other) / (one / before + other / after)
}

/**
 * The smooth curve through points, which never overshoots them: a monotone cubic Hermite spline. Before the first and
 * after the last point it is flat. Values from 0 to 1.
 */
export function curveThrough(points: readonly Point[]): (value: number) => number {
  const secants = neighbours(points).map(([[x, y], [nextX, nextY]]): [number, number] => [
    (nextX - x) / 255,
    (nextY - y) / (nextX - x),
  ])
  const inner = neighbours(secants).map(([before, after]) => middleSlope(before, after))
  const slopes = [firstOf(secants)[1], ...inner, lastOf(secants)[1]]
  const pieces = points.map(([x, y], index): Piece => ({ x: x / 255, y: y / 255, slope: slopes[index] ?? 0 }))
  const pairs = neighbours(pieces)
  return (value) => {
    if (value <= firstOf(pieces).x) return firstOf(pieces).y
    const pair = pairs.find(([, next]) => value < next.x)
    if (!pair) return lastOf(pieces).y
    const [from, to] = pair
    const width = to.x - from.x
    const t = (value - from.x) / width
    const [t2, t3] = [t * t, t * t * t]
    return (
      (2 * t3 - 3 * t2 + 1) * from.y +
      (t3 - 2 * t2 + t) * width * from.slope +
      (3 * t2 - 2 * t3) * to.y +
      (t3 - t2) * width * to.slope
    )
  }
}
