import { ImageFrame } from '../../../../src/media/image/frame.ts'
import { flatRgb } from '../../_shared/layers/opaque.ts'
import { structuralSimilarity } from './structural-similarity.ts'

export interface Difference {
  /** 100 for the same colours, 0 for black against white; two decimals. */
  similarity: number
  /** Mean structural similarity of luma: 1 for the same pictures; four decimals. */
  ssim: number
  /** Peak signal-to-noise ratio in dB, 10 log10(255^2 / mean squared error) over red, green and blue; null where equal. */
  psnr: number | null
  /** The mean difference of red, green and blue of every pixel, 0 to 255. */
  pixels: Float32Array
}

/** Red, green and blue in sRGB. libvips would make 16 bit of 8 by a shift: 128 * 256, not 128 * 257. */
async function coloursOf(frame: ImageFrame, deep: boolean): Promise<Uint8Array | Uint16Array> {
  const { data } = await (await flatRgb(frame)).samples()
  return deep && frame.bits === 8 ? Uint16Array.from(data, (value) => value * 257) : data
}

/** Luma of ITU-R BT.601, 0 to 255, of RGB samples. */
function lumaOf(data: Uint8Array | Uint16Array, scale: number): Float32Array {
  const luma = new Float32Array(data.length / 3)
  for (let pixel = 0, at = 0; pixel < luma.length; pixel += 1, at += 3)
    luma[pixel] = (0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!) / scale
  return luma
}

/** Two pictures of the same size, pixel by pixel; alpha does not count. 16 bit are compared as such. */
export async function differenceOf(first: ImageFrame, second: ImageFrame): Promise<Difference> {
  const deep = first.bits === 16 || second.bits === 16
  const one = await coloursOf(first, deep)
  const other = await coloursOf(second, deep)
  const scale = 3 * (deep ? 257 : 1)
  const pixels = new Float32Array(one.length / 3)
  let total = 0
  let squares = 0
  for (let pixel = 0, at = 0; pixel < pixels.length; pixel += 1, at += 3) {
    const red = one[at]! - other[at]!
    const green = one[at + 1]! - other[at + 1]!
    const blue = one[at + 2]! - other[at + 2]!
    const sum = Math.abs(red) + Math.abs(green) + Math.abs(blue)
    squares += red * red + green * green + blue * blue
    pixels[pixel] = sum / scale
    total += sum
  }
  const mean = total / scale / pixels.length
  const depth = deep ? 257 : 1
  const error = squares / (one.length * depth * depth)
  const ssim = structuralSimilarity(lumaOf(one, depth), lumaOf(other, depth), first)
  return {
    similarity: Math.round((100 - (100 * mean) / 255) * 100) / 100,
    ssim: Math.round(ssim * 1e4) / 1e4,
    psnr: error === 0 ? null : Math.round(1000 * Math.log10((255 * 255) / error)) / 100,
    pixels,
  }
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
  return ImageFrame.fromRaster({ data, width, height, channels: 4, depth: 8 }, name)
}
