import { MediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import { layOver } from '../backgrounds.ts'
import { type ImageFormat, imageFormat, keptFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { drops } from './keep-metadata.ts'

/** The output format of a frame. */
export function formatOf(frame: ImageFrame): ImageFormat {
  return imageFormat(frame.target.format ?? keptFormat(frame.origin.type.id, frame.hasAlpha))
}

/**
 * Adapts a frame to the capabilities of a format: the first frame if animation is not supported, alpha flattened onto
 * the target's background (white), CMYK and profiles converted if they cannot be kept.
 */
export async function fitToFormat(frame: ImageFrame, format: ImageFormat): Promise<ImageFrame> {
  checkSides(frame, format)
  let fitted = frame
  if (fitted.pages > 1 && !format.animation) fitted = await fitted.firstPage()
  if (fitted.space === 'cmyk' && !format.cmyk) fitted = await fitted.toSrgb()
  if (fitted.hasAlpha && !format.alpha) {
    const background = frame.target.background ?? '#ffffff'
    fitted = await fitted.apply((image) => layOver(image, background, fitted), { alpha: false })
  }
  // Without its profile an image must be sRGB, or its colours change; a grey profile says nothing about red, green and
  // blue.
  if (drops(frame.target, 'icc') || !format.profile || (fitted.space === 'grey' && !format.grey))
    fitted = await fitted.toSrgb()
  return fitted
}

/** @throws TARGET_UNREACHABLE when the image is larger than the format allows */
function checkSides(
  { width, height, origin }: ImageFrame,
  { id, maxSide = Number.POSITIVE_INFINITY }: ImageFormat,
): void {
  if (width <= maxSide && height <= maxSide) return
  throw new MediaprocError(
    'TARGET_UNREACHABLE',
    `${printableName(origin.name)} would be ${width} x ${height} pixels; ${id.toUpperCase()} holds at most ${maxSide} on a side`,
    { hint: 'Make it smaller, or choose another format such as png.' },
  )
}
