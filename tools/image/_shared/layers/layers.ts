import type { OverlayOptions } from '../../../../src/engines/sharp.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { Layer } from './overlay.ts'

/** A layer in sharp's terms. */
export function placed({ data, width, height }: Layer, left: number, top: number): OverlayOptions {
  return { input: data, raw: { width, height, channels: 4 }, left, top }
}

/**
 * One page as an 8-bit layer in its own colour values, to be drawn on an image from the same source. (A layer from
 * another image needs colour conversion: layerFor.)
 */
export async function ownLayer(page: ImageFrame): Promise<OverlayOptions> {
  const { data, width, height, channels } = await page.samples()
  const input = data instanceof Uint16Array ? Buffer.from(data.map((value) => value >> 8)) : Buffer.from(data)
  return { input, raw: { width, height, channels } }
}
