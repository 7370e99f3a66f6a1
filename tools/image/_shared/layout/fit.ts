import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** The largest size a picture may have; a side that is absent is not bound. In pixels. */
export interface Box {
  width?: number | undefined
  height?: number | undefined
}

/** The picture, all its frames, made smaller until it fits into a box; one that fits is not touched. */
export async function fitInside(frame: ImageFrame, { width, height }: Box): Promise<ImageFrame> {
  const unbound = Number.POSITIVE_INFINITY
  const scale = Math.min((width ?? unbound) / frame.width, (height ?? unbound) / frame.height)
  if (scale >= 1) return frame
  return scaled(frame, scale)
}

/** The picture, all its frames, at another scale; no side falls below a pixel. */
export function scaled(frame: ImageFrame, scale: number): Promise<ImageFrame> {
  const size = {
    width: Math.max(1, Math.round(frame.width * scale)),
    height: Math.max(1, Math.round(frame.height * scale)),
  }
  // On the tall picture of an animation, the edges of every frame would mix with the next.
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise: true })
}
