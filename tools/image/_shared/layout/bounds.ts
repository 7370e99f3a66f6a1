import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'

/** The smallest area that contains all of the given ones. */
export function union(areas: readonly Area[]): Area {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0]
  for (const area of areas) {
    left = Math.min(left, area.left)
    top = Math.min(top, area.top)
    right = Math.max(right, area.left + area.width)
    bottom = Math.max(bottom, area.top + area.height)
  }
  return { left, top, width: right - left, height: bottom - top }
}

/**
 * The smallest area that contains all pixels of a kind.
 * @param isIn whether the pixel at an index, row by row, is of that kind
 * @returns undefined if there is none
 */
export function boundsOf(
  { width, height }: { width: number; height: number },
  isIn: (at: number) => boolean,
): Area | undefined {
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      if (!isIn(at)) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = y + 1
    }
  return left < right ? { left, top, width: right - left, height: bottom - top } : undefined
}

/** The size of the bounding box of a rotated rectangle, whole px. */
export function turnedSize({ width, height }: Size, degrees: number): Size {
  const radians = (degrees * Math.PI) / 180
  const cosine = Math.abs(Math.cos(radians))
  const sine = Math.abs(Math.sin(radians))
  return { width: Math.round(width * cosine + height * sine), height: Math.round(width * sine + height * cosine) }
}
