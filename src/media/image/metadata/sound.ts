import type { ImageFrame } from '../frame.ts'

/** A side length that is cheap to compute. In pixels. */
const SIDE = 16

/**
 * Decodes every pixel at low resolution, for files whose bytes are returned unchanged.
 * @throws sharp's error for a damaged image, for `imageError`
 */
export async function checkSound(frame: ImageFrame): Promise<void> {
  const size = { width: Math.min(SIDE, frame.width), height: Math.min(SIDE, frame.height) }
  await (await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size, pagewise: true })).pixels()
}
