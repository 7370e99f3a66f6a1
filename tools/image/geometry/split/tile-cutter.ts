import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import type { Rectangle } from '../../_shared/layout/edges.ts'

/** A rectangle on every page. */
function cutOut(samples: Samples, { left, top, width, height }: Rectangle): Samples {
  const { data, channels, pages } = samples
  const count = width * height * pages * channels
  const part = data instanceof Uint16Array ? new Uint16Array(count) : new Uint8Array(count)
  const line = width * channels
  for (let row = 0; row < height * pages; row += 1) {
    const y = Math.floor(row / height) * samples.height + top + (row % height)
    const from = (y * samples.width + left) * channels
    part.set(data.subarray(from, from + line), row * line)
  }
  return { data: part, width, height, channels, pages }
}

/** Crops rectangles from an image, with all its pages, that is decoded only once. Keeps depth, profile and alpha. */
export async function tileCutter(frame: ImageFrame): Promise<(part: Rectangle) => Promise<ImageFrame>> {
  if (frame.space === 'cmyk') {
    // A no-op decodes it into memory, uncompressed.
    const held = await (await frame.apply((image) => image)).settled()
    return ({ left, top, width, height }) =>
      held.apply((image) => image.extract({ left, top, width, height }), { size: { width, height } })
  }
  const samples = await frame.samples()
  return (part) => frame.withSamples(cutOut(samples, part))
}
