import { readFile } from 'node:fs/promises'
import { type Metadata, openSharp, readMetadata } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { unpremultiply } from '../../codecs/convert.ts'
import type { Raster } from '../../codecs/raster.ts'
import { floatToSrgb8 } from '../../codecs/tonemap.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { checkImageSize } from '../../limits.ts'
import {
  COMPRESSION,
  FORMAT,
  openTiffHeader,
  PHOTOMETRIC,
  PLANES,
  TAGS,
  type TiffHeader,
  tiffSize,
} from '../tiff/header.ts'
import { type PlaneLayout, type PlaneSamples, readPlane } from '../tiff/planes.ts'
import { fromSigned } from '../tiff/signed.ts'
import { rasterToPng } from './carrier.ts'
import { inkTiff } from './carrier-tiff.ts'

/** A TIFF in a form that sharp opens, and a sentence about what is dropped. */
export interface MendedTiff {
  input: Buffer
  loss?: string
}

/** 8-bit Lab with signed or centred a and b, converted to 16-bit Lab. */
function wideLab(samples: ArrayLike<number>, isSigned: boolean): Uint16Array {
  return Uint16Array.from(samples, (value, index) => {
    if (index % 3 === 0) return value * 257
    return (isSigned ? value ^ 0x80 : value) << 8
  })
}

/** 8-bit Lab, which libvips rejects, as 16-bit Lab. Undefined for more than three channels. */
async function mendedLab(bytes: Buffer, page: number, isSigned: boolean): Promise<MendedTiff | undefined> {
  const { channels, density } = await readMetadata(bytes, { page })
  if (channels !== 3) return undefined
  const image = (await openSharp(bytes, { page, ignoreIcc: true })).pipelineColourspace('srgb').toColourspace('srgb')
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return {
    input: await inkTiff({ width, height, space: 'lab', data: wideLab(data, isSigned), ...(density && { density }) }),
  }
}

/** EXTRASAMPLES of TIFF 6.0, section 18: premultiplied and straight alpha. */
const PREMULTIPLIED = 1
const ALPHA = new Set([PREMULTIPLIED, 2])

/** sharp cannot extract channels from this index on. */
const MOST_READABLE = 5

/** The channels that form the image: the colours, then alpha if present. */
function shownChannels(
  header: TiffHeader,
  count: number,
): { colours: number; alpha: number | undefined; isPremultiplied: boolean } | undefined {
  const photometric = header.first(TAGS.photometric)
  if (
    photometric !== PHOTOMETRIC.rgb &&
    photometric !== PHOTOMETRIC.blackIsZero &&
    photometric !== PHOTOMETRIC.whiteIsZero
  )
    return undefined
  const colours = photometric === PHOTOMETRIC.rgb ? 3 : 1
  if (count < colours) return undefined
  const extras = header.all(TAGS.extraSamples)
  const declared = extras.findIndex((kind) => ALPHA.has(kind))
  // A single extra channel of unknown type is treated as alpha, like in libvips and most programs.
  const alpha = declared >= 0 ? colours + declared : count === colours + 1 ? colours : undefined
  const isReadable = alpha !== undefined && alpha < Math.min(count, MOST_READABLE)
  const isPremultiplied = isReadable && extras[declared] === PREMULTIPLIED
  return { colours, alpha: isReadable ? alpha : undefined, isPremultiplied }
}

/** Interleaves channels; 32-bit integers become 16 bits. */
function interleaved(channels: readonly PlaneSamples[], isInverted: boolean, colours: number): Raster['data'] {
  const [first] = channels as [PlaneSamples]
  const step = channels.length
  const data =
    first instanceof Float32Array
      ? new Float32Array(first.length * step)
      : first instanceof Uint8Array
        ? new Uint8Array(first.length * step)
        : new Uint16Array(first.length * step)
  const divisor = first instanceof Uint32Array ? 65536 : 1
  const white = first instanceof Float32Array ? 1 : data instanceof Uint8Array ? 255 : 65535
  channels.forEach((samples, channel) => {
    const isTurned = isInverted && channel < colours
    for (let pixel = 0; pixel < samples.length; pixel += 1) {
      const value = divisor === 1 ? samples[pixel]! : Math.floor(samples[pixel]! / divisor)
      data[pixel * step + channel] = isTurned ? white - value : value
    }
  })
  return data
}

/** Signed alpha covers its whole range: its lowest value is transparent. */
const signedAlpha = (samples: PlaneSamples): PlaneSamples => {
  const sign = 2 ** (samples.BYTES_PER_ELEMENT * 8 - 1)
  return samples.map((value) => (value + sign) % (sign * 2))
}

/** Builds the image from its channels, each read as a grey image. Undefined for layouts that only libvips supports. */
async function fromPlanes(
  file: MediaFile,
  bytes: Buffer,
  header: TiffHeader,
  layout: PlaneLayout,
  isSigned: boolean,
): Promise<MendedTiff | undefined> {
  const shown = shownChannels(header, layout.count)
  const size = tiffSize(header)
  if (!shown || !size) return undefined
  checkImageSize(printableName(file.name), ...size)
  const { colours, alpha, isPremultiplied } = shown
  const wanted = [...Array(colours).keys(), ...(alpha === undefined ? [] : [alpha])]
  const planes: PlaneSamples[] = []
  for (const plane of wanted) {
    const read = await readPlane(bytes, plane, layout)
    if (!read) return undefined
    planes.push(read.samples)
  }
  const [width, height] = size
  const colour = isSigned ? fromSigned(planes.slice(0, colours), width) : planes.slice(0, colours)
  const clear = planes.slice(colours).map((samples) => (isSigned ? signedAlpha(samples) : samples))
  const isInverted = header.first(TAGS.photometric) === PHOTOMETRIC.whiteIsZero
  const data = interleaved([...colour, ...clear], isInverted, colours)
  const channels = wanted.length as Raster['channels']
  const raster: Raster = {
    width,
    height,
    channels,
    depth: data instanceof Float32Array ? 32 : data instanceof Uint8Array ? 8 : 16,
    data,
  }
  if (isPremultiplied && !(data instanceof Float32Array)) unpremultiply({ ...raster, data })
  const { icc, density } = await readMetadata(bytes, { page: layout.page, limitInputChannels: 0 }).catch(
    (): Partial<Metadata> => ({}),
  )
  const blocks = { ...(icc && { icc }), ...(density && { density }) }
  const input = await rasterToPng(raster.depth === 32 ? floatToSrgb8(raster) : raster, blocks)
  const unused = layout.count - wanted.length
  return unused === 0
    ? { input }
    : {
        input,
        loss: `${printableName(file.name)} has ${layout.count} channels; only ${colours === 1 ? 'the first is shown, as grey' : 'red, green and blue are shown'}`,
      }
}

/** Builds of ffmpeg before this year do not read 12-bit TIFF. */
const DEEP_YEAR = 2020

/** What libvips was built without: the JPEG of TIFF 6.0 by MuPDF, 12 bits and LZMA by ffmpeg. */
async function byOtherLibrary(
  file: MediaFile,
  bytes: Buffer,
  header: TiffHeader,
  compression: number | undefined,
): Promise<MendedTiff | undefined> {
  const size = tiffSize(header)
  if (!size) return undefined
  const check = (width: number, height: number): void => checkImageSize(printableName(file.name), width, height)
  check(...size)
  if (compression === COMPRESSION.oldJpeg) {
    const hasTables = [TAGS.jpegStart, TAGS.jpegQuantisation].some((tag) => header.entryAt(tag) !== undefined)
    if (!hasTables) return undefined
    const { decodeJp2 } = await import('../../../engines/workers/pixels-thread.ts')
    return { input: await rasterToPng(await decodeJp2(bytes, check)) }
  }
  const { decodeDeep } = await import('../../../engines/ffmpeg/picture.ts')
  const input = await decodeDeep(file.path)
  if (input) return { input }
  const { abilities } = await import('../../../engines/ffmpeg/ffmpeg.ts')
  const { year = DEEP_YEAR } = await abilities()
  if (year >= DEEP_YEAR) return undefined
  throw new MediaprocError(
    'ENGINE_UNAVAILABLE',
    `${printableName(file.name)} has 12 bits per sample or LZMA, which the installed ffmpeg of ${year} cannot read`,
    { hint: 'Install a newer ffmpeg.', fields: { engine: 'ffmpeg' } },
  )
}

/**
 * TIFFs whose samples sharp would clip, misread or reject, in a form that it opens: signed integers, 32-bit integers,
 * more than five channels, planes that libvips mixes up, 12 bits, old JPEG, LZMA, and 8-bit Lab. Undefined for all others.
 */
export async function mendedTiff(file: MediaFile, page: number): Promise<MendedTiff | undefined> {
  const bytes = await readFile(file.path)
  const header = openTiffHeader(bytes, page)
  if (!header) return undefined
  const photometric = header.first(TAGS.photometric)
  const bits = header.first(TAGS.bits)
  const format = header.first(TAGS.sampleFormat) ?? FORMAT.unsigned
  const isLab = photometric === PHOTOMETRIC.cieLab || photometric === PHOTOMETRIC.iccLab
  if (isLab) {
    if (bits !== 8) return undefined
    const size = tiffSize(header)
    if (size) checkImageSize(printableName(file.name), ...size)
    header.rewrite(TAGS.photometric, PHOTOMETRIC.rgb)
    header.rewrite(TAGS.sampleFormat, FORMAT.unsigned)
    return mendedLab(bytes, page, photometric === PHOTOMETRIC.cieLab)
  }
  const compression = header.first(TAGS.compression)
  if (bits === 12 || compression === COMPRESSION.oldJpeg || compression === COMPRESSION.lzma)
    return byOtherLibrary(file, bytes, header, compression)
  if (bits !== 8 && bits !== 16 && bits !== 32) return undefined
  const count = header.first(TAGS.samplesPerPixel) ?? 1
  const isSeparate = count > 1 && header.first(TAGS.planes) === PLANES.separate
  const isTiled = header.entryAt(TAGS.tileOffsets) !== undefined
  const isFloat = format === FORMAT.floating
  const isGrey = photometric !== PHOTOMETRIC.rgb
  const isMisread =
    format === FORMAT.signed || (isFloat ? isGrey : bits === 32) || count > 4 || (isSeparate && (isTiled || isGrey))
  if (!isMisread || (isFloat && bits !== 32)) return undefined
  return fromPlanes(file, bytes, header, { page, bits, isFloat, count, isSeparate }, format === FORMAT.signed)
}
