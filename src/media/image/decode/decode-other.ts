import { readFile } from 'node:fs/promises'
import { type Metadata, readMetadata } from '../../../engines/sharp.ts'
import { MediaprocError, toMediaprocError } from '../../../errors.ts'
import type { Raster } from '../../codecs/raster.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { checkImageSize, maxInputPixels } from '../../limits.ts'
import { SNIFF_BYTES } from '../../sniff.ts'
import { type AddedReader, addedReader } from '../added-formats.ts'
import { imageError } from '../errors.ts'
import { hasHeifGainMap } from '../metadata/gain-map.ts'
import { type MetadataBlocks, rasterToPng } from './carrier.ts'
import type { DecodeOptions } from './source.ts'

/** An image in a form that sharp opens, with values of its own header to report. */
export interface DecodedOther {
  input: Buffer
  header?: Partial<Metadata>
  /** The file has a gain map for HDR screens, which is dropped. */
  hasGainMap?: boolean
  /** All frames, stacked vertically, and their delays in milliseconds. */
  animation?: { raster: Raster; delays: readonly number[] }
}

type Decoder = (file: MediaFile, bytes: Buffer, options: DecodeOptions) => Promise<DecodedOther>

const fromRaster = async (raster: Raster, blocks?: MetadataBlocks): Promise<DecodedOther> => ({
  input: await rasterToPng(raster, blocks),
})

/** Built-in codecs: small formats that no installed library reads. */
const codec =
  (decode: (bytes: Uint8Array, maxPixels: number) => Raster): Decoder =>
  (_file, bytes) =>
    fromRaster(decode(bytes, maxInputPixels()))

const heic: Decoder = async (file, bytes, { signal }) => {
  // sharp reads the header of a HEIC file, but not its pixels: sizes for the size check, and the metadata blocks.
  const about = await readMetadata(bytes)
  checkImageSize(printableName(file.name), about.width, about.height)
  const { decodeHeif } = await import('../../../engines/workers/pixels-thread.ts')
  const pixels = await decodeHeif(bytes, { ...(signal && { signal }) })
  if (!pixels) throw new MediaprocError('INVALID_FILE', `${printableName(file.name)}: its picture data is damaged`)
  const { width, height, data } = pixels
  const shown = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const input = about.hasAlpha ? shown : withoutAlpha(shown)
  const { icc, exif, xmp } = about
  const decoded = await fromRaster(
    { width, height, channels: about.hasAlpha ? 4 : 3, depth: 8, data: input },
    { ...(icc && { icc }), ...(exif && { exif }), ...(xmp && { xmp }) },
  )
  return { ...decoded, hasGainMap: hasHeifGainMap(bytes) }
}

/** Detects real alpha from decoders that always return RGBA: at least one sample is not opaque. */
function dropOpaqueAlpha(raster: Raster): Raster {
  const full = raster.depth === 16 ? 65535 : 255
  for (let at = 3; at < raster.data.length; at += 4) if (raster.data[at] !== full) return raster
  if (raster.data instanceof Uint8Array) return { ...raster, channels: 3, data: withoutAlpha(raster.data) }
  return { ...raster, channels: 3, data: Uint16Array.from(raster.data.filter((_, index) => index % 4 !== 3)) }
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from]!
    rgb[to + 1] = rgba[from + 1]!
    rgb[to + 2] = rgba[from + 2]!
  }
  return rgb
}

const jp2: Decoder = async (file, bytes, { signal, warn }) => {
  const [{ decodeJp2 }, { readJp2Facts }] = await Promise.all([
    import('../../../engines/workers/pixels-thread.ts'),
    import('../../codecs/jp2-header.ts'),
  ])
  const shown = printableName(file.name)
  const check = (width: number, height: number): void => checkImageSize(shown, width, height)
  const decoded = await decodeJp2(bytes, check, { ...(signal && { signal }) })
  const { bits, hasIcc } = readJp2Facts(bytes)
  if (bits <= 8) return fromRaster(decoded)
  // MuPDF reads 8 bits and finds damage; ffmpeg reads all bits, but no profile.
  const deep = hasIcc ? undefined : await deepPicture(file, signal)
  if (deep) return { input: deep }
  warn?.(`${shown} has ${bits} bits; 8 of them are read`)
  return fromRaster(decoded)
}

async function deepPicture(file: MediaFile, signal?: AbortSignal): Promise<Buffer | undefined> {
  const { decodeDeep } = await import('../../../engines/ffmpeg/picture.ts')
  return decodeDeep(file.path, signal).catch((error: unknown) => {
    if (toMediaprocError(error).code !== 'ENGINE_UNAVAILABLE') throw error
    return undefined
  })
}

const psd: Decoder = async (_file, bytes) => {
  const { psdToCarrier } = await import('./decode-psd.ts')
  return { input: await psdToCarrier(bytes, maxInputPixels()) }
}

const icon: Decoder = async (_file, bytes) => {
  const { decodeIco } = await import('../../codecs/ico.ts')
  const best = decodeIco(bytes, maxInputPixels())
  return 'png' in best ? { input: Buffer.from(best.png) } : fromRaster(best)
}

const appleIcon: Decoder = async (file, bytes, options) => {
  const { decodeIcns } = await import('../../codecs/icns.ts')
  const best = decodeIcns(bytes, maxInputPixels())
  if ('jp2' in best) return jp2(file, Buffer.from(best.jp2), options)
  return 'png' in best ? { input: Buffer.from(best.png) } : fromRaster(best)
}

const floatMap: Decoder = async (_file, bytes) => {
  const [{ decodePfm }, { floatToSrgb8 }] = await Promise.all([
    import('../../codecs/pfm.ts'),
    import('../../codecs/tonemap.ts'),
  ])
  return fromRaster(floatToSrgb8(decodePfm(bytes, maxInputPixels())))
}

const hdr: Decoder = async (_file, bytes) => {
  const [{ decodeHdr }, { floatToSrgb8 }] = await Promise.all([
    import('../../codecs/hdr.ts'),
    import('../../codecs/tonemap.ts'),
  ])
  return fromRaster(floatToSrgb8(decodeHdr(bytes, maxInputPixels())))
}

const dds: Decoder = async (_file, bytes) => {
  const { decodeDds } = await import('../../codecs/dds/dds.ts')
  const raster = decodeDds(bytes, maxInputPixels())
  return fromRaster(raster.depth === 32 ? (await import('../../codecs/tonemap.ts')).floatToSrgb8(raster) : raster)
}

const jxl: Decoder = async (file, bytes, { signal }) => {
  const { decodeJxl } = await import('../../../engines/pictures/jxl.ts')
  const decoded = await decodeJxl(file.path, bytes, { ...(signal && { signal }) })
  if ('png' in decoded) return { input: decoded.png }
  return fromRaster(dropOpaqueAlpha({ ...decoded, channels: 4 }))
}

const exr: Decoder = async (file) => {
  const { decodeWithFfmpeg } = await import('../../../engines/ffmpeg/picture.ts')
  return { input: await decodeWithFfmpeg(file.path) }
}

const eps: Decoder = async (file, bytes, { dpi = 300 }) => {
  const { rasteriseEps } = await import('../../../engines/ghostscript/eps.ts')
  return {
    input: await rasteriseEps(bytes, dpi, printableName(file.name), (width, height) =>
      checkImageSize(printableName(file.name), width, height),
    ),
  }
}

/** Uses an installed raw decoder; otherwise the JPEG that the camera embedded in the file. */
const raw: Decoder = async (file) => {
  const { developRaw } = await import('../../../engines/pictures/raw.ts')
  const developed = await developRaw(file.path)
  if (developed) return { input: developed }
  const { embeddedPreview } = await import('../../../engines/exiftool.ts')
  const preview = await embeddedPreview(file.path)
  if (preview) return { input: await turned(preview.jpeg, preview.orientation) }
  throw new MediaprocError(
    'ENGINE_UNAVAILABLE',
    `${printableName(file.name)} holds no preview; developing it needs dcraw_emu`,
    {
      hint: 'Install it with: apt-get install libraw-bin',
    },
  )
}

/** The embedded preview, rotated to the camera orientation, which is stored in the raw file and not in the preview. */
async function turned(jpeg: Buffer, orientation: number): Promise<Buffer> {
  if (orientation < 2) return jpeg
  const { openSharp } = await import('../../../engines/sharp.ts')
  return (await openSharp(jpeg))
    .withMetadata({ orientation })
    .jpeg({ quality: 100 })
    .toBuffer()
    .then(async (tagged) => (await openSharp(tagged)).autoOrient().png({ compressionLevel: 0 }).toBuffer())
}

const byPlugin =
  ({ decode }: AddedReader): Decoder =>
  async (file, bytes, { signal, firstPage }) => {
    const shown = printableName(file.name)
    const check = (width: number, height: number, frames: number): void =>
      checkImageSize(shown, width, height, firstPage ? 1 : frames)
    try {
      const { icc, delays, ...raster } = await decode(bytes, check, { ...(signal && { signal }) })
      const still = delays ? { ...raster, data: raster.data.subarray(0, samplesOf(raster)) } : raster
      const decoded = await fromRaster(still, { ...(icc && { icc }) })
      return delays ? { ...decoded, animation: { raster, delays } } : decoded
    } catch (error) {
      // A damaged file is named; the plugin knows only its bytes.
      if (!(error instanceof MediaprocError) || error.message.startsWith(shown)) throw error
      const { code, parts, message } = error
      throw new MediaprocError(code, `${shown}: ${message}`, { ...parts, cause: error })
    }
  }

const samplesOf = ({ width, height, channels }: Raster): number => width * height * channels

const DECODERS: Record<string, Decoder> = {
  heic,
  heif: heic,
  jxl,
  psd,
  psb: psd,
  jp2,
  ico: icon,
  cur: icon,
  hdr,
  exr,
  eps,
  dng: raw,
  cr2: raw,
  nef: raw,
  arw: raw,
  orf: raw,
  rw2: raw,
  cr3: raw,
  raf: raw,
  pef: raw,
  icns: appleIcon,
  pfm: floatMap,
  pcx: async (...given) => codec((await import('../../codecs/pcx.ts')).decodePcx)(...given),
  sgi: async (...given) => codec((await import('../../codecs/sgi.ts')).decodeSgi)(...given),
  xbm: async (...given) => codec((await import('../../codecs/xbm.ts')).decodeXbm)(...given),
  xpm: async (...given) => codec((await import('../../codecs/xpm.ts')).decodeXpm)(...given),
  bmp: async (...given) => codec((await import('../../codecs/bmp/bmp.ts')).decodeBmp)(...given),
  tga: async (...given) => codec((await import('../../codecs/tga.ts')).decodeTga)(...given),
  qoi: async (...given) => codec((await import('../../codecs/qoi.ts')).decodeQoi)(...given),
  ppm: async (...given) => codec((await import('../../codecs/pnm.ts')).decodePnm)(...given),
  pgm: async (...given) => codec((await import('../../codecs/pnm.ts')).decodePnm)(...given),
  pbm: async (...given) => codec((await import('../../codecs/pnm.ts')).decodePnm)(...given),
  pam: async (...given) => codec((await import('../../codecs/pnm.ts')).decodePnm)(...given),
  dds,
  fits: async (...given) => codec((await import('../../codecs/fits.ts')).decodeFits)(...given),
  dpx: async (...given) => codec((await import('../../codecs/dpx.ts')).decodeDpx)(...given),
}

/** Hints for images that are recognized but not supported. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  xcf: 'In GIMP, export it as PNG or TIFF (File > Export As); for many: gimp-console, or magick of ImageMagick.',
  psb: 'In Photoshop, save it as PSD (up to 30,000 pixels on a side) or as TIFF.',
  cr3: 'Convert it to DNG, which is supported, with Adobe DNG Converter.',
  raf: 'Convert it to DNG, which is supported, with Adobe DNG Converter.',
  pef: 'Convert it to DNG, which is supported, with Adobe DNG Converter.',
}

const notRead = ({ name, type: { id } }: MediaFile): MediaprocError =>
  new MediaprocError(
    'UNSUPPORTED_FILE_TYPE',
    `${printableName(name)} is of type ${id.toUpperCase()}, which is not read`,
    {
      ...(WAYS_OUT[id] && { hint: WAYS_OUT[id] }),
    },
  )

/**
 * Decodes images that sharp does not support, by content type. Throws UNSUPPORTED_FILE_TYPE, INVALID_FILE,
 * LIMIT_EXCEEDED.
 */
export async function decodeOther(file: MediaFile, options: DecodeOptions): Promise<DecodedOther> {
  const reader = addedReader(file.type)
  const builtIn = DECODERS[file.type.id]
  if (!reader && !builtIn) throw notRead(file)
  try {
    const bytes = await readFile(file.path)
    const isOfPlugin = reader?.detect(bytes.subarray(0, SNIFF_BYTES), file.name)
    const decoder = reader && isOfPlugin ? byPlugin(reader) : builtIn
    if (!decoder) throw notRead(file)
    return await decoder(file, bytes, options)
  } catch (error) {
    throw imageError(error, file.name)
  }
}
