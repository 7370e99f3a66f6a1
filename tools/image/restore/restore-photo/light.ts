import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { luminanceOf } from '../../_shared/colour/local-contrast.ts'
import type { Plane } from './plane.ts'

/** A copy of a single-page image with at most this longer side, px. */
export async function copyOf(frame: ImageFrame, longest: number): Promise<ImageFrame> {
  const factor = Math.min(1, longest / Math.max(frame.width, frame.height))
  if (factor === 1) return frame
  const width = Math.max(1, Math.round(frame.width * factor))
  const height = Math.max(1, Math.round(frame.height * factor))
  const size = { width, height }
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
}

/** The centre of a single-page image, at most this long on each side, px. */
export async function middleOf(frame: ImageFrame, longest: number): Promise<ImageFrame> {
  const size = { width: Math.min(longest, frame.width), height: Math.min(longest, frame.height) }
  if (size.width === frame.width && size.height === frame.height) return frame
  const left = Math.floor((frame.width - size.width) / 2)
  const top = Math.floor((frame.height - size.height) / 2)
  return frame.apply((image) => image.extract({ left, top, ...size }), { size })
}

/** The luminance of a single-page image. */
export async function lightOf(frame: ImageFrame): Promise<Plane> {
  const pixels = await frame.pixels({ alpha: 'drop' })
  const data = Uint8Array.from(luminanceOf({ ...pixels, pages: 1 }, 0), (value) => value + 0.5)
  return { data, width: frame.width, height: frame.height }
}
