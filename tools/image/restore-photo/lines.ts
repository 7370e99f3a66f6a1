/** A plane of bytes. */
export interface Plane {
  data: Uint8Array
  width: number
  height: number
}

/** One step along each of the four directions that a grid has: 0, 45, 90 and 135 degrees. */
export const DIRECTIONS = [
  [1, 0],
  [1, -1],
  [0, 1],
  [1, 1],
] as const
export type Direction = (typeof DIRECTIONS)[number]

/** All lines of a plane in a direction: where each begins, and how many pixels it has. */
export function linesOf(
  { width, height }: Pick<Plane, 'width' | 'height'>,
  [dx, dy]: Direction,
): { start: number; count: number }[] {
  const along = (length: number, of: (at: number) => { start: number; count: number }) =>
    Array.from({ length }, (_, at) => of(at))
  if (dx === 0) return along(width, (x) => ({ start: x, count: height }))
  if (dy === 0) return along(height, (y) => ({ start: y * width, count: width }))
  const first = dy > 0 ? 0 : height - 1
  return [
    ...along(width, (x) => ({ start: first * width + x, count: Math.min(width - x, height) })),
    ...along(height - 1, (y) => ({
      start: (dy > 0 ? y + 1 : height - 2 - y) * width,
      count: Math.min(width, height - 1 - y),
    })),
  ]
}

/**
 * The largest number of a line of pixels around each pixel; beyond the plane's border is nothing. The cost does not depend
 * on the length: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels",
 * Pattern Recognition Letters 13, 1992.
 * @param length of the line, odd
 */
function largest(plane: Plane, direction: Direction, length: number): Uint8Array {
  const { data, width, height } = plane
  const result = new Uint8Array(data.length)
  const reach = (length - 1) / 2
  const step = direction[1] * width + direction[0]
  const padded = Math.max(width, height) + 2 * reach
  const [values, forward, backward] = [new Uint8Array(padded), new Uint8Array(padded), new Uint8Array(padded)]
  for (const { start, count } of linesOf(plane, direction)) {
    const total = count + 2 * reach
    values.fill(0, 0, total)
    for (let index = reach, at = start; index < count + reach; index += 1, at += step) values[index] = data[at]!
    for (let index = 0, last = 0, left = 0; index < total; index += 1, left -= 1) {
      const value = values[index]!
      if (left === 0) [last, left] = [value, length]
      else if (value > last) last = value
      forward[index] = last
    }
    for (let index = total - 1, last = 0; index >= 0; index -= 1) {
      const value = values[index]!
      if ((index + 1) % length === 0 || value > last) last = value
      backward[index] = last
    }
    for (let index = 0, at = start; index < count; index += 1, at += step)
      result[at] = Math.max(backward[index]!, forward[index + 2 * reach]!)
  }
  return result
}

export const inverted = (plane: Plane): Plane => ({ ...plane, data: plane.data.map((value) => 255 - value) })

/**
 * What of a plane is brighter than its surroundings and shorter than a line of a direction: the plane less its opening
 * (top-hat). That of the inverted plane is the black-hat.
 */
export function topHat(plane: Plane, direction: Direction, length: number): Uint8Array {
  // The least of a line is the largest of the inverted plane, inverted.
  const eroded = inverted({ ...plane, data: largest(inverted(plane), direction, length) })
  const opened = largest(eroded, direction, length)
  return opened.map((value, at) => plane.data[at]! - value)
}
