/** A plane of bytes. */
export interface Plane {
  data: Uint8Array
  width: number
  height: number
}

export const inverted = (plane: Plane): Plane => ({ ...plane, data: plane.data.map((value) => 255 - value) })

/**
 * The running maximum over a window around every value; ignores values beyond the ends. The cost does not depend on the
 * window length: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal
 * kernels", Pattern Recognition Letters 13, 1992.
 */
class RunMaximum {
  readonly #values: Uint8Array
  readonly #forward: Uint8Array
  readonly #backward: Uint8Array
  readonly #length: number

  /** @param length of the window, odd */
  constructor(length: number, longestLine: number) {
    this.#length = length
    const padded = longestLine + length - 1
    this.#values = new Uint8Array(padded)
    this.#forward = new Uint8Array(padded)
    this.#backward = new Uint8Array(padded)
  }

  /** Replaces the values of a line: `count` values from `start`, `step` apart. */
  replace(data: Uint8Array, start: number, count: number, step: number): void {
    const [values, forward, backward, length] = [this.#values, this.#forward, this.#backward, this.#length]
    const reach = (length - 1) / 2
    const total = count + 2 * reach
    values.fill(0, 0, total)
    for (let index = 0; index < count; index += 1) values[index + reach] = data[start + index * step]!
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
    for (let index = 0; index < count; index += 1)
      data[start + index * step] = Math.max(backward[index]!, forward[index + 2 * reach]!)
  }
}

/** The maximum of the square around each pixel. @param side of the square, px, odd */
export function dilated({ data, width, height }: Plane, side: number): Plane {
  const result = Uint8Array.from(data)
  const maximum = new RunMaximum(side, Math.max(width, height))
  for (let y = 0; y < height; y += 1) maximum.replace(result, y * width, width, 1)
  for (let x = 0; x < width; x += 1) maximum.replace(result, x, height, width)
  return { data: result, width, height }
}

/** A plane without bright structures that are thinner than a square. @param side of the square, px, odd */
export function opened(plane: Plane, side: number): Plane {
  // The minimum of a square is the inverted maximum of the inverted plane.
  return dilated(inverted(dilated(inverted(plane), side)), side)
}
