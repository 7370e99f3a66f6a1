import { rasterToPng } from '../../../src/media/image/carrier.ts'
import { ImageFrame } from '../../../src/media/image/frame.ts'

export interface Difference {
  /** 100 for the same colours, 0 for black against white; two decimals. */
  similarity: number
  /** The mean difference of red, green and blue of every pixel, 0 to 255. */
  pixels: Float32Array
}

/** Red, green and blue in sRGB. libvips would make 16 bit of 8 by a shift: 128 * 256, not 128 * 257. */
async function coloursOf(frame: ImageFrame, deep: boolean): Promise<Uint8Array | Uint16Array> {
  if (frame.bits === 16) return frame.deepPixels()
  const { data } = await frame.pixels({ alpha: 'drop' })
  return deep ? Uint16Array.from(data, (value) => value * 257) : data
}

/** Two pictures of the same size, pixel by pixel; alpha does not count. 16 bit are compared as such. */
export async function differenceOf(first: ImageFrame, second: ImageFrame): Promise<Difference> {
  const deep = first.bits === 16 || second.bits === 16
  const one = await coloursOf(first, deep)
  const other = await coloursOf(second, deep)
  const scale = 3 * (deep ? 257 : 1)
  const pixels = new Float32Array(one.length / 3)
  let total = 0
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel += 1, at += 3) {
    const sum =
      Math.abs(one[at]! - other[at]!) +
      Math.abs(one[at + 1]! - other[at + 1]!) +
      Math.abs(one[at + 2]! - other[at + 2]!)
    pixels[pixel] = sum / scale
    total += sum
  }
  const mean = total / scale / pixels.length
  return { similarity: Math.round((100 - (100 * mean) / 255) * 100) / 100, pixels }
}

/** Red where the difference is above the threshold, the more opaque the larger it is; elsewhere the picture, faint. */
export async function drawDifference(
  frame: ImageFrame,
  { pixels }: Difference,
  threshold: number,
  name: string,
): Promise<ImageFrame> {
  const { data, width, height } = await frame.pixels({ alpha: 'add' })
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel += 1, at += 4) {
    const difference = pixels[pixel]!
    if (difference > threshold) {
      data[at] = 255
      data[at + 1] = 0
      data[at + 2] = 0
      data[at + 3] = Math.min(255, Math.round(3 * difference))
    } else data[at + 3] = Math.round((data[at + 3]! * 128) / 255)
  }
  return ImageFrame.fromPng(await rasterToPng({ data, width, height, channels: 4, depth: 8 }), name)
}
