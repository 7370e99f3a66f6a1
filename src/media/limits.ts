import { environmentNumber } from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'

/** Maximum side of an image; libvips' WebP limit, and the catalogue's. In pixels. */
export const MAX_SIDE = 16_383

/** Maximum number of pixels in a result (catalogue: resize, gif-tools). */
export const MAX_RESULT_PIXELS = 67_108_864

/** Maximum number of frames in an animation. */
export const MAX_FRAMES = 500

/** Maximum number of pixels of a decoded image, from MAX_MEGAPIXELS; Infinity when that is 0. */
export function maxInputPixels(): number {
  const megapixels = environmentNumber('MAX_MEGAPIXELS')
  return megapixels === 0 ? Number.POSITIVE_INFINITY : megapixels * 1e6
}

const millions = (pixels: number): string =>
  pixels < 1e5 ? String(Number((pixels / 1e6).toPrecision(2))) : (pixels / 1e6).toFixed(pixels < 1e7 ? 1 : 0)

/**
 * Rejects an image that exceeds the limits before any pixel is decoded. `pages` is the number of frames of an
 * animation.
 */
export function checkImageSize(name: string, width: number, height: number, pages = 1): void {
  const limit = maxInputPixels()
  if (width * height > limit)
    throw limitExceeded(
      `${name} is ${width} x ${height} pixels (${millions(width * height)} megapixels); the limit is ${millions(limit)} megapixels`,
      { hint: 'Raise the limit with MAX_MEGAPIXELS.' },
    )
  if (pages <= 1) return
  if (pages > MAX_FRAMES)
    throw limitExceeded(`${name} has ${pages} frames; the limit is ${MAX_FRAMES}`, {
      hint: 'Cut the animation into shorter parts.',
    })
  if (width * height * pages > MAX_RESULT_PIXELS)
    throw limitExceeded(
      `${name} has ${pages} frames of ${width} x ${height} pixels, ${millions(width * height * pages)} million in all; the limit is ${millions(MAX_RESULT_PIXELS)} million`,
      { hint: 'Make it smaller or shorter first.' },
    )
}

/**
 * Rejects, before any work, a result that no tool could open again: rotating an image by an odd angle or adding a
 * border increases its number of pixels.
 * @throws LIMIT_EXCEEDED
 */
export function checkOutcomeSize(name: string, width: number, height: number): void {
  const limit = maxInputPixels()
  if (width * height <= limit) return
  throw limitExceeded(
    `The result for ${name} would be ${width} x ${height} pixels (${millions(width * height)} megapixels); the limit is ${millions(limit)} megapixels`,
    { variable: 'MAX_MEGAPIXELS', hint: 'Make the picture smaller first.' },
  )
}

/** Rejects a result size over MAX_SIDE or MAX_RESULT_PIXELS (including all frames), before any work. */
export function checkResultSize(width: number, height: number, pages = 1): void {
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw new MediaprocError(
      'INVALID_SETTINGS',
      `The result would be ${width} x ${height} pixels; no side may be longer than ${MAX_SIDE}`,
      { hint: 'Ask for a smaller size.' },
    )
  if (width * height * pages > MAX_RESULT_PIXELS)
    throw new MediaprocError(
      'INVALID_SETTINGS',
      `The result would have ${millions(width * height * pages)} million pixels; the limit is ${millions(MAX_RESULT_PIXELS)} million`,
      { hint: 'Ask for a smaller size.' },
    )
}
