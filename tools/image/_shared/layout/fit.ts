import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** The maximum size of an image, px; an absent side is not limited. */
export interface Box {
  width?: number | undefined
  height?: number | undefined
}

/** Scales the image, with all its frames, down to fit a box; an image that fits is not changed. */
export async function fitInside(frame: ImageFrame, { width, height }: Box): Promise<ImageFrame> {
  const unbound = Number.POSITIVE_INFINITY
  const scale = Math.min((width ?? unbound) / frame.width, (height ?? unbound) / frame.height)
  if (scale >= 1) return frame
  return scaled(frame, scale)
}

/** Scales the image, with all its frames; each side keeps at least one pixel. */
export function scaled(frame: ImageFrame, scale: number): Promise<ImageFrame> {
  const size = {
    width: Math.max(1, Math.round(frame.width * scale)),
    height: Math.max(1, Math.round(frame.height * scale)),
  }
  // On the stacked frames of an animation, the edges of every frame would mix with the next.
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise: true, stage: 'resize' })
}
