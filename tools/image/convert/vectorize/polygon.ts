/** Divides an outline into straight pieces: the fewest that fit, by dynamic programming over least-squares lines. */
import { get, type Points, STRIDE } from './plane.ts'

/** A least-squares line: a point and a unit direction. */
export interface Line {
  x: number
  y: number
  dx: number
  dy: number
}

/** Sums over the points before an index, of a closed outline that runs twice around. */
export interface Sums {
  weight: Float64Array
  x: Float64Array
  y: Float64Array
  xx: Float64Array
  xy: Float64Array
  yy: Float64Array
}

/** Price of a straight piece, in squared deviations. */
export const LINE_PRICE = 8
/** A piece whose points deviate by more than this is never part of the best division. */
const MAX_DEVIATION = 8 * LINE_PRICE

/** Standard deviation of the points next to a corner, px: corners of an image are blunt. */
const BLUNT = 0.4

export function sumsOf(points: Points): Sums {
  const count = points.length / STRIDE
  const empty = (): Float64Array => new Float64Array(2 * count + 1)
  const sums = { weight: empty(), x: empty(), y: empty(), xx: empty(), xy: empty(), yy: empty() }
  for (let at = 0; at < 2 * count; at += 1) {
    const place = (at % count) * STRIDE
    const [x, y, weight] = [get(points, place), get(points, place + 1), get(points, place + 2)]
    sums.weight[at + 1] = get(sums.weight, at) + weight
    sums.x[at + 1] = get(sums.x, at) + weight * x
    sums.y[at + 1] = get(sums.y, at) + weight * y
    sums.xx[at + 1] = get(sums.xx, at) + weight * x * x
    sums.xy[at + 1] = get(sums.xy, at) + weight * x * y
    sums.yy[at + 1] = get(sums.yy, at) + weight * y * y
  }
  return sums
}

/** Covariances and mean of the points from `start` to `end`, both included. */
function spreadOf(sums: Sums, start: number, end: number) {
  const over = (values: Float64Array): number => get(values, end + 1) - get(values, start)
  const count = over(sums.weight)
  const [x, y] = [over(sums.x) / count, over(sums.y) / count]
  return {
    count,
    x,
    y,
    xx: over(sums.xx) / count - x * x,
    xy: over(sums.xy) / count - x * y,
    yy: over(sums.yy) / count - y * y,
  }
}

/** The points that define a line between two breaks: corners of an image are blunt, so the ends do not count. */
function inner(start: number, end: number): [number, number] {
  const trim = end - start >= 8 ? 2 : end - start >= 4 ? 1 : 0
  return [start + trim, end - trim]
}

/** The line from one break to another; indices may exceed the outline once. */
export function lineOf(sums: Sums, points: Points, start: number, end: number): Line {
  const { x, y, xx, xy, yy } = spreadOf(sums, ...inner(start, end))
  const angle = Math.atan2(2 * xy, xx - yy) / 2
  const count = points.length / STRIDE
  const towards = (axis: 0 | 1): number =>
    get(points, (end % count) * STRIDE + axis) - get(points, (start % count) * STRIDE + axis)
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
  const sign = dx * towards(0) + dy * towards(1) < 0 ? -1 : 1
  return { x, y, dx: sign * dx, dy: sign * dy }
}

/** How far the points from one break to another deviate from their line, in squared standard deviations. */
function deviation(sums: Sums, points: Points, start: number, end: number, noise: number): number {
  const [first, last] = inner(start, end)
  const { count, x, y, xx, xy, yy } = spreadOf(sums, first, last)
  const wide = Math.hypot(xx - yy, 2 * xy)
  const off = (count * Math.max(0, (xx + yy - wide) / 2)) / noise ** 2
  if (off > MAX_DEVIATION || wide === 0) return off
  // Squared distance from the line: the part of the covariance across it.
  const [cos, sin] = [(xx - yy) / wide, (2 * xy) / wide]
  let blunt = 0
  const total = points.length
  for (let at = start; at <= end; at += at === first - 1 ? last - first + 2 : 1) {
    const place = (at * STRIDE) % total
    const [dx, dy] = [get(points, place) - x, get(points, place + 1) - y]
    blunt += get(points, place + 2) * ((dx * dx * (1 - cos) + dy * dy * (1 + cos)) / 2 - dx * dy * sin)
  }
  return off + (first > start ? blunt / BLUNT ** 2 : 0)
}

/** The best division of one turn that starts and ends at `from`. */
function divide(sums: Sums, points: Points, from: number, noise: number): number[] {
  const count = points.length / STRIDE
  const cost = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY)
  const previous = new Int32Array(count + 1)
  cost[0] = 0
  for (let start = 0; start < count; start += 1) {
    const base = get(cost, start) + LINE_PRICE
    for (let end = start + 1; end <= count; end += 1) {
      const off = deviation(sums, points, from + start, from + end, noise)
      if (base + off < get(cost, end)) {
        cost[end] = base + off
        previous[end] = start
      }
      if (off > MAX_DEVIATION) break
    }
  }
  const breaks: number[] = []
  for (let at = get(previous, count); at > 0; at = get(previous, at)) breaks.push(from + at)
  breaks.push(from)
  return breaks.reverse().map((at) => at % count)
}

/**
 * The indices of the points where an outline turns, in order.
 * @param noise standard deviation of the points, px
 */
export function breaksOf(points: Points, sums: Sums, noise: number): number[] {
  const count = points.length / STRIDE
  if (count < 4) return Array.from({ length: count }, (_, at) => at)
  const first = divide(sums, points, 0, noise)
  // The first division has a break at its arbitrary start; a second one starts at a break that it found.
  const from = first[Math.floor(first.length / 2)] ?? 0
  return divide(sums, points, from, noise).sort((one, other) => one - other)
}
