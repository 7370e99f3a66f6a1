import type { Size } from '../../../../src/media/image/frame.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { checkCanvas } from '../../_shared/layout/canvas-limit.ts'
import type { PhotoRules } from './countries.ts'
import type { HeadPoints } from './landmarks.ts'

/** Space kept above the crown, as a share of the photo's height: takes precedence over the eye line. */
const ROOM_ABOVE = 0.06

const MILLIMETRES_PER_INCH = 25.4

/** User adjustments to the position of the head. */
export interface Placement {
  zoom: number
  /** Moves the photo's frame right and down, as a share of the image's width and height. */
  adjustX: number
  adjustY: number
}

/** A part of an image, in pixels that can be fractional and outside of it. */
export interface Frame extends Size {
  left: number
  top: number
}

/** Pixels for a length in millimetres. */
export const pixelsFor = (millimetres: number, dpi: number): number =>
  Math.max(1, Math.round((millimetres / MILLIMETRES_PER_INCH) * dpi))

/** The size of a photo in pixels. @throws TARGET_UNREACHABLE when it would be too large */
export function photoSize({ widthMm, heightMm }: PhotoRules, dpi: number): Size {
  const size = { width: pixelsFor(widthMm, dpi), height: pixelsFor(heightMm, dpi) }
  checkCanvas(size.width, size.height)
  return size
}

/**
 * The part of an image that becomes the photo: the head has the middle of the allowed heights and is centred, with its
 * eyes on the eye line. With a measured crown, that line would leave many heads without space above and cut off hair:
 * it is lowered just enough for the crown to keep its space.
 * @param head in image pixels
 */
export function frameOf(
  head: HeadPoints,
  picture: Size,
  rules: PhotoRules,
  { zoom, adjustX, adjustY }: Placement,
): Frame {
  const headHeight = head.chin.y - head.crown.y
  if (!(headHeight > 0)) throw invalidSettings('landmarks: the chin is not below the crown')
  const height = headHeight / ((rules.headHeightMin + rules.headHeightMax) / 2)
  const width = (height * rules.widthMm) / rules.heightMm
  const byEyes = head.eyeCenter.y - (1 - rules.eyeLineFromBottom) * height
  const top = Math.min(byEyes, head.crown.y - ROOM_ABOVE * height)
  const centre = {
    x: head.faceCenterX + adjustX * picture.width,
    y: top + height / 2 + adjustY * picture.height,
  }
  const size = { width: width / zoom, height: height / zoom }
  return { left: centre.x - size.width / 2, top: centre.y - size.height / 2, ...size }
}
