import { openSharp } from '../../../engines/sharp.ts'
import { dropAlpha, hasUniformAlpha } from '../../codecs/convert.ts'
import { decodePsd, type PsdPicture } from '../../codecs/psd/psd-decode.ts'
import type { Raster } from '../../codecs/raster.ts'
import { floatToSrgb8 } from '../../codecs/tonemap.ts'
import { type MetadataBlocks, rasterToPng } from './carrier.ts'
import { inkTiff } from './carrier-tiff.ts'

type Integers = Uint8Array | Uint16Array

/** Extracts some channels of every pixel. */
function channelsOf({ data, channels }: PsdPicture, from: number, to: number): Integers {
  const source = data as Integers
  const step = to - from
  const length = (source.length / channels) * step
  const result = source instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length)
  for (let index = 0; index < length; index++)
    result[index] = source[Math.floor(index / step) * channels + from + (index % step)]!
  return result
}

const toEightBits = (data: Integers): Uint8Array =>
  data instanceof Uint8Array ? data : Uint8Array.from(data, (value) => Math.round(value / 257))

/** Lab in 16 bits, the only depth that libvips reads from TIFF: L fills the range, a and b stay centred at half. */
const toDeepLab = (data: Integers): Uint16Array =>
  data instanceof Uint16Array ? data : Uint16Array.from(data, (value, index) => value * (index % 3 === 0 ? 257 : 256))

/**
 * CMYK (in 8 bits, as libvips computes with it) and Lab as a TIFF with their profile. No output format supports CMYK or
 * Lab together with alpha, so with alpha they are converted to sRGB immediately.
 */
async function fromInks(picture: PsdPicture): Promise<Buffer> {
  const { width, height, hasAlpha, channels, icc, density } = picture
  const space = picture.space as 'cmyk' | 'lab'
  const inks = channelsOf(picture, 0, channels - (hasAlpha ? 1 : 0))
  const data = space === 'cmyk' ? toEightBits(inks) : toDeepLab(inks)
  const tiff = inkTiff({
    width,
    height,
    space,
    data,
    ...(icc && space === 'cmyk' && { icc }),
    ...(density && { density }),
  })
  if (!hasAlpha) return tiff
  const alpha = toEightBits(channelsOf(picture, channels - 1, channels))
  const rgb = await (await openSharp(tiff)).toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer()
  const image = await openSharp(rgb, { raw: { width, height, channels: 3 } })
  return image
    .joinChannel(Buffer.from(alpha.buffer, alpha.byteOffset, alpha.length), { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** The merged image of a PSD or PSB file in a form that sharp opens, with profile, EXIF and density. */
export async function psdToCarrier(bytes: Uint8Array, maxPixels: number): Promise<Buffer> {
  const picture = decodePsd(bytes, maxPixels)
  const { width, height, space, hasAlpha, channels, depth, icc, exif, density } = picture
  if (space === 'cmyk' || space === 'lab') return fromInks(picture)
  const stored: Raster = { width, height, channels: channels as Raster['channels'], depth, data: picture.data }
  // 32 bits are linear light and are converted to sRGB, so the linear profile no longer applies.
  const raster = depth === 32 ? floatToSrgb8(stored) : stored
  const opaque = hasAlpha && hasUniformAlpha(raster, raster.depth === 16 ? 65535 : 255)
  const blocks: MetadataBlocks = {
    ...(icc && depth !== 32 && { icc }),
    ...(exif && { exif }),
    ...(density && { density }),
  }
  return rasterToPng(opaque ? dropAlpha(raster) : raster, blocks)
}
