import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import type { Matte } from './matte.ts'

/** A single-page image with a matte as its alpha, in its own depth and colours. CMYK becomes RGB. */
export async function cutOut(given: ImageFrame, { data: matte }: Pick<Matte, 'data'>): Promise<ImageFrame> {
  const frame = await (given.space === 'cmyk' ? await given.toRgb() : given).settled()
  const { data, channels, ...shape } = await frame.samples()
  const colours = channels < 3 ? 1 : 3
  const wanted = (colours + 1) as 2 | 4
  const result =
    data instanceof Uint16Array ? new Uint16Array(matte.length * wanted) : new Uint8Array(matte.length * wanted)
  const white = data instanceof Uint16Array ? 257 : 1
  for (let pixel = 0; pixel < matte.length; pixel += 1) {
    for (let colour = 0; colour < colours; colour += 1)
      result[pixel * wanted + colour] = data[pixel * channels + colour]!
    result[pixel * wanted + colours] = matte[pixel]! * white
  }
  return frame.withSamples({ ...shape, data: result, channels: wanted } satisfies Samples)
}
