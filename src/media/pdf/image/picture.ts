import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { openSharp, type Sharp } from '../../../engines/sharp.ts'
import { inspectJpeg } from '../../codecs/jpeg/jpeg-header.ts'
import type { ImageFrame } from '../../image/frame.ts'
import { takePngStream } from './png-stream.ts'

/** The samples of an image in the form stored in a PDF. */
export interface PictureSamples {
  width: number
  height: number
  bits: number
  colour: 'grey' | 'rgb' | 'cmyk' | 'palette'
  palette?: Buffer
  filter: 'DCTDecode' | 'FlateDecode'
  /** Rows have PNG predictors (ISO 32000-1, 7.4.4.4). */
  isPredicted?: boolean
  /** Inks are stored inverted, as Adobe does in JPEG. */
  isInverted?: boolean
  /** JPEG: the colours are RGB, although no header that PDF readers evaluate declares it. */
  isPlainRgb?: boolean
  bytes: Uint8Array
}

/** An image, ready to be placed on a page. */
export interface PdfPicture extends PictureSamples {
  /** EXIF orientation of the stored samples, 1 to 8. */
  orientation: number
  /** ICC profile of the samples. */
  profile?: Buffer
  /** Alpha, as a grey image of the same size. */
  mask?: PictureSamples
}

/** Frame headers of the JPEG types that PDF readers support: baseline, extended, progressive (ISO 32000-1, 7.4.8). */
const JPEG_FRAMES = new Set([0xc0, 0xc1, 0xc2])

const JPEG_COLOURS: Readonly<Record<number, PictureSamples['colour']>> = { 1: 'grey', 3: 'rgb', 4: 'cmyk' }

/** Colour space of a profile (ICC.1:2010, 7.2.6: bytes 16 to 19 of its header). */
const PROFILE_COLOURS: Readonly<Record<string, PictureSamples['colour']>> = {
  GRAY: 'grey',
  'RGB ': 'rgb',
  CMYK: 'cmyk',
}

/** The profile, if it matches these colours. */
export function profileFor(colour: PictureSamples['colour'], profile: Buffer | undefined): Buffer | undefined {
  if (!profile || profile.length < 128) return undefined
  const wanted = colour === 'palette' ? 'rgb' : colour
  return PROFILE_COLOURS[profile.toString('latin1', 16, 20)] === wanted ? profile : undefined
}

/** Embeds a JPEG unchanged, or returns undefined for a type that PDF readers do not support. */
export function jpegSamples(jpeg: Buffer): PictureSamples | undefined {
  const header = inspectJpeg(jpeg)
  const { width, height, bits, channels, frame, hasAdobeMarker, isNamedRgb, isJfif } = header
  const colour = JPEG_COLOURS[channels]
  if (!colour || bits !== 8 || !JPEG_FRAMES.has(frame) || width === 0 || height === 0) return undefined
  return {
    ...{ width, height, bits, colour, filter: 'DCTDecode', bytes: jpeg },
    ...(colour === 'cmyk' && hasAdobeMarker && { isInverted: true }),
    ...(isNamedRgb && !isJfif && !hasAdobeMarker && { isPlainRgb: true }),
  }
}

/** Embeds PNG data unchanged, or returns undefined for a PNG that a PDF cannot hold in this way. */
export function pngSamples(png: Buffer): PictureSamples | undefined {
  const stream = takePngStream(png)
  if (!stream) return undefined
  const { data, ...facts } = stream
  return { ...facts, filter: 'FlateDecode', isPredicted: true, bytes: data }
}

/** PNG filters make photographs a third smaller; black and white needs one bit. */
async function packed(image: Sharp, isBilevel = false): Promise<PictureSamples> {
  const whole = await image.png({ compressionLevel: 6, adaptiveFiltering: !isBilevel }).toBuffer()
  const twoColours = { palette: true, colours: 2, dither: 0 }
  const small = isBilevel ? pngSamples(await (await openSharp(whole)).png(twoColours).toBuffer()) : undefined
  return small ?? pngSamples(whole)!
}

async function inks(frame: ImageFrame): Promise<PictureSamples> {
  const { data, info } = await (await frame.pipeline()).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { width, height, bits: 8, colour: 'cmyk', filter: 'FlateDecode', bytes: await promisify(deflate)(data) }
}

/** Any image (its first page) without loss: depth, profile, alpha and inks are kept. */
export async function framePicture(frame: ImageFrame): Promise<PdfPicture> {
  const first = await frame.firstPage()
  const isInks = first.space === 'cmyk' && !first.hasAlpha
  const base = first.space === 'cmyk' && !isInks ? await first.toSrgb() : first
  // The pixels are read several times below.
  const ready = await base.settled()
  const isBilevel = frame.origin.metadata.bitsPerSample === 1 && base.space === 'grey' && !base.hasAlpha
  const samples = isInks
    ? await inks(ready)
    : await packed(base.hasAlpha ? (await ready.pipeline()).removeAlpha() : await ready.pipeline(), isBilevel)
  const profile = base.hasOwnProfile ? profileFor(samples.colour, frame.origin.metadata.icc) : undefined
  const mask = base.hasAlpha ? await alphaOf(ready) : undefined
  return { ...samples, orientation: 1, ...(profile && { profile }), ...(mask && { mask }) }
}

async function alphaOf(frame: ImageFrame): Promise<PictureSamples> {
  const alpha = (await frame.pipeline()).extractChannel('alpha')
  return packed(alpha.toColourspace(frame.bits === 16 ? 'grey16' : 'b-w'))
}
