import type { EpsPicture } from '../../codecs/eps.ts'
import type { Raster } from '../../codecs/raster.ts'
import { addedWriter } from '../added-formats.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, Pixels } from '../frame.ts'

const asRaster = ({ data, width, height, channels }: Pixels): Raster => ({ width, height, channels, depth: 8, data })

/** 16 bit pixels for formats that support them, otherwise 8 bit. */
async function rasterOf(frame: ImageFrame, format: ImageFormat): Promise<Raster> {
  if (frame.bits === 16 && format.depth === 16) {
    const image = await frame.pipeline({ isLast: true })
    const { data, info } = await image.raw({ depth: 'ushort' }).toBuffer({ resolveWithObject: true })
    const samples = new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2)
    return {
      width: info.width,
      height: info.height,
      channels: info.channels as Raster['channels'],
      depth: 16,
      data: samples,
    }
  }
  return asRaster(await frame.pixels({ alpha: format.alpha ? 'keep' : 'drop', grey: format.grey }))
}

/** The pixels with their profile and no other metadata, for programs that read PNG. */
async function profiledPng(frame: ImageFrame, bits: 8 | 16): Promise<Buffer> {
  const image = await frame.pipeline({ isLast: true })
  return (bits === 8 ? image.toColourspace('srgb') : image).png({ compressionLevel: 1 }).toBuffer()
}

/** EPS supports opaque 8 bit pixels; the density determines the print size. */
async function epsPicture(frame: ImageFrame): Promise<EpsPicture> {
  const { data, width, height, channels } = await frame.pixels({ alpha: 'drop', grey: true })
  const density = frame.origin.metadata.density
  return { width, height, channels: channels === 1 ? 1 : 3, pixels: data, ...(density && { density }) }
}

/** Side lengths of the images in an icon that `convert --format ico` writes, in pixels. */
const ICON_SIDES = [16, 32, 48, 256]

/**
 * An icon with the usual sizes, the image fitted into a transparent square; sizes larger than the image are omitted.
 */
async function encodeIcon(frame: ImageFrame): Promise<Uint8Array> {
  const { encodeIco } = await import('../../codecs/ico.ts')
  const longest = Math.max(frame.width, frame.height)
  const sides = ICON_SIDES.filter((side, index) => index === 0 || side <= longest)
  const entries = []
  for (const side of sides) {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const image = (await (await frame.toSrgb()).pipeline()).clone()
    const png = await image.resize(side, side, { fit: 'contain', background }).toColourspace('srgb').png().toBuffer()
    entries.push({ width: side, height: side, png })
  }
  return encodeIco(entries)
}

/** Encodes a format that sharp does not write. `quality` is 1 to 100 if the format is lossy. */
export async function encodeOther(frame: ImageFrame, format: ImageFormat, quality: number): Promise<Buffer> {
  switch (format.id) {
    case 'heic':
    case 'heif': {
      const { encodeHeic, encodeHeicPng, hasHeifEnc } = await import('../../../engines/pictures/heif-enc.ts')
      return (await hasHeifEnc())
        ? encodeHeicPng(await profiledPng(frame, 8), frame, quality)
        : encodeHeic(await frame.pixels(), quality)
    }
    case 'jxl': {
      const { encodeJxl, encodeJxlPng, hasCjxl } = await import('../../../engines/pictures/jxl.ts')
      return (await hasCjxl())
        ? encodeJxlPng(await profiledPng(frame, frame.bits), quality)
        : encodeJxl(await frame.pixels(), quality)
    }
    case 'jp2': {
      const { encodeJp2 } = await import('../../../engines/ffmpeg/picture.ts')
      return encodeJp2(await frame.pixels(), quality)
    }
    case 'apng':
      return (await import('./encode-apng.ts')).encodeApng(frame)
    case 'ico':
      return Buffer.from(await encodeIcon(frame))
    case 'bmp':
      return Buffer.from((await import('../../codecs/bmp/bmp.ts')).encodeBmp(await rasterOf(frame, format)))
    case 'tga':
      return Buffer.from((await import('../../codecs/tga.ts')).encodeTga(await rasterOf(frame, format)))
    case 'qoi':
      return Buffer.from((await import('../../codecs/qoi.ts')).encodeQoi(await rasterOf(frame, format)))
    case 'ppm':
      return Buffer.from((await import('../../codecs/pnm.ts')).encodePnm(await rasterOf(frame, format)))
    case 'psd':
      return Buffer.from((await import('../../codecs/psd/psd.ts')).encodePsd(await rasterOf(frame, format)))
    case 'eps':
      return Buffer.from((await import('../../codecs/eps.ts')).encodeEps(await epsPicture(frame)))
    default: {
      const writer = addedWriter(format)
      if (!writer) throw new Error(`no encoder for ${format.id}`)
      const made = await writer.encode(await rasterOf(frame, format), format.lossy ? quality : undefined)
      return Buffer.from(made.buffer, made.byteOffset, made.byteLength)
    }
  }
}
