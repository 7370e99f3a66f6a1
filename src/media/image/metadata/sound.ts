import type { ImageFrame } from '../frame.ts'

/** A side that costs little to compute. In pixels. */
const SIDE = 16

/**
 * Reads every pixel, coarsely: for files whose bytes are handed on as they are.
 * @throws what sharp says of a damaged picture, for `imageError`
 */
export async function checkSound(frame: ImageFrame): Promise<void> {
  const size = { width: Math.min(SIDE, frame.width), height: Math.min(SIDE, frame.height) }
  await (await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise: true })).pixels()
}
