import type { OverlayOptions, Sharp } from '../../../../src/engines/sharp.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'

/** Width added on each side, px. */
export interface Edges {
  left: number
  top: number
  right: number
  bottom: number
}

export interface Rectangle extends Size {
  left: number
  top: number
}

/** The same width on all four sides. */
export function evenEdges(side: number): Edges {
  return { left: side, top: side, right: side, bottom: side }
}

/** The size of one page with edges around it. */
export function sizeWith({ width, height }: Size, { left, top, right, bottom }: Edges): Size {
  return { width: width + left + right, height: height + top + bottom }
}

/**
 * The edges inside a rectangle, as rectangles that do not overlap: top, bottom, left, right. Empty ones are omitted.
 */
export function edgeRectangles({ left: x, top: y, width, height }: Rectangle, edges: Edges): Rectangle[] {
  const { left, top, right, bottom } = edges
  const between = height - top - bottom
  return [
    { left: x, top: y, width, height: top },
    { left: x, top: y + height - bottom, width, height: bottom },
    { left: x, top: y + top, width: left, height: between },
    { left: x + width - right, top: y + top, width: right, height: between },
  ].filter((one) => one.width > 0 && one.height > 0)
}

/** Single-colour rectangles (#rrggbb) as layers. Unlike sharp's backgrounds they are also correct in 16 bits. */
export function colouredLayers(rectangles: readonly Rectangle[], background: string): OverlayOptions[] {
  return rectangles.map(({ left, top, width, height }) => ({
    input: { create: { width, height, channels: 3, background } },
    left,
    top,
  }))
}

/** libvips adds an alpha channel to every composite; over an opaque image it is redundant. */
export function opaqueAs(frame: ImageFrame, drawn: Sharp): Sharp {
  return frame.hasAlpha ? drawn : drawn.removeAlpha()
}

export const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 }

/**
 * Alpha that sharp gives a 16-bit image when it adds transparent space (255 * 256); a composite makes it fully opaque.
 */
export function fullAlpha(frame: ImageFrame, image: Sharp): Sharp {
  if (frame.bits === 8 || frame.hasAlpha) return image
  return image.composite([{ input: Buffer.alloc(4), raw: { width: 1, height: 1, channels: 4 } }])
}

/**
 * Every page on a larger background of one colour (#rrggbb, in the image's own colour values), also behind the page, or
 * with transparent space around it.
 */
export function onGround(frame: ImageFrame, edges: Edges, ground: string): Promise<ImageFrame> {
  const size = sizeWith(frame, edges)
  if (ground === 'transparent')
    return frame.apply((image) => fullAlpha(frame, image.ensureAlpha().extend({ ...edges, background: CLEAR })), {
      size,
      alpha: true,
      pagewise: true,
    })
  // sharp's own backgrounds are wrong in 16 bits: see media/image/backgrounds.ts.
  const tile: OverlayOptions = {
    input: { create: { width: 1, height: 1, channels: 3, background: ground } },
    tile: true,
    blend: 'dest-over',
  }
  const laid = (image: Sharp): Sharp =>
    frame.bits === 16
      ? image
          .extend({ ...edges, background: CLEAR })
          .composite([tile])
          .removeAlpha()
      : image.flatten({ background: ground }).extend({ ...edges, background: ground })
  return frame.apply(laid, { size, alpha: false, pagewise: true })
}
