import { readFile, writeFile } from 'node:fs/promises'
import { lastOf } from '../../../lists.ts'
import { endOfPicture, isNamed, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { pngChunk, pngChunks } from '../../codecs/png-chunks.ts'
import type { ImageFrame } from '../frame.ts'
import { stripAvif } from './strip-avif.ts'
import { stripGif } from './strip-gif.ts'
import type { Kind } from './strip-kind.ts'
import { stripTiff } from './strip-tiff.ts'

/** An EXIF block that contains only the orientation (EXIF 2.32, 4.6.4). */
function orientationBlock(orientation: number): Buffer {
  const block = Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0', 'latin1')
  block.writeUInt16BE(orientation, 18)
  return block
}

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** JFIF's header and Adobe's colour transform belong to the pixels; the other application segments do not. */
function kindOfJpegSegment(jpeg: Buffer, segment: { marker: number; at: number; end: number }): Kind | undefined {
  const { marker } = segment
  const names = (...wanted: string[]): boolean => wanted.some((name) => isNamed(jpeg, segment, name))
  if (marker === 0xfe) return 'other'
  if (marker < 0xe0 || marker > 0xef) return undefined
  if (names('JFIF\0', 'Adobe')) return undefined
  if (names('Exif\0')) return 'exif'
  if (names('http://ns.adobe.com/', 'Photoshop 3.0\0')) return 'xmp'
  return names('ICC_PROFILE\0') ? 'icc' : 'other'
}

function stripJpeg(jpeg: Buffer, drops: ReadonlySet<Kind>, orientation: number): Buffer | undefined {
  const segments = jpegSegments(jpeg)
  if (!segments) return undefined
  const kept = segments.filter((segment) => {
    const kind = kindOfJpegSegment(jpeg, segment)
    return kind === undefined || !drops.has(kind)
  })
  const parts = kept.map(({ at, end }) => jpeg.subarray(at, end))
  if (drops.has('exif') && orientation > 1) {
    const body = Buffer.concat([EXIF_PREFIX, orientationBlock(orientation)])
    const head = Buffer.from([0xff, 0xe1, 0, body.length + 2])
    // JFIF's header, if present, stays first.
    parts.splice(kept[0]?.marker === 0xe0 ? 1 : 0, 0, Buffer.concat([head, body]))
  }
  const scan = lastOf(segments).end
  parts.push(jpeg.subarray(scan, drops.has('other') ? endOfPicture(jpeg, scan).end : jpeg.length))
  return Buffer.concat([jpeg.subarray(0, 2), ...parts])
}

/**
 * Chunks that affect the appearance of an image, including animation; of the others, only known metadata is removed.
 */
const PNG_PIXELS = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB cICP mDCV cLLI sBIT bKGD hIST sPLT pHYs acTL fcTL fdAT'.split(' '),
)

function kindOfPngChunk(png: Buffer, { type, at }: { type: string; at: number }): Kind | undefined {
  if (PNG_PIXELS.has(type)) return undefined
  if (type === 'eXIf') return 'exif'
  if (type === 'iCCP') return 'icc'
  const keyword = png.toString('latin1', at + 8, at + 48)
  if (/^Raw profile type (?:exif|APP1)\0/.test(keyword)) return 'exif'
  return /^(?:XML:com\.adobe\.xmp|Raw profile type (?:xmp|iptc|8bim))\0/.test(keyword) ? 'xmp' : 'other'
}

function stripPng(png: Buffer, drops: ReadonlySet<Kind>, orientation: number): Buffer | undefined {
  const chunks = pngChunks(png)
  if (chunks[0]?.type !== 'IHDR' || chunks.at(-1)?.type !== 'IEND') return undefined
  // With a profile these chunks have no effect.
  const losesProfile = drops.has('icc') && chunks.some(({ type }) => type === 'iCCP')
  const parts = chunks.flatMap((chunk) => {
    const kind = kindOfPngChunk(png, chunk)
    if ((kind && drops.has(kind)) || (losesProfile && (chunk.type === 'gAMA' || chunk.type === 'cHRM'))) return []
    return [png.subarray(chunk.at, chunk.at + 12 + chunk.length)]
  })
  if (drops.has('exif') && orientation > 1) parts.splice(1, 0, pngChunk('eXIf', orientationBlock(orientation)))
  return Buffer.concat([png.subarray(0, 8), ...parts])
}

const WEBP_KINDS: Record<string, Kind> = { EXIF: 'exif', 'XMP ': 'xmp', ICCP: 'icc' }
const WEBP_PIXELS = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'])
/** Flags of the extended header: the chunks present (WebP container specification). */
const WEBP_FLAGS: Record<string, number> = { exif: 0x08, xmp: 0x04, icc: 0x20 }

function stripWebp(webp: Buffer, drops: ReadonlySet<Kind>, orientation: number): Buffer | undefined {
  const parts: Buffer[] = []
  let header: Buffer | undefined
  for (let at = 12; at + 8 <= webp.length; ) {
    const type = webp.toString('latin1', at, at + 4)
    const length = webp.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (at + 8 + length > webp.length) return undefined
    const kind = WEBP_PIXELS.has(type) ? undefined : (WEBP_KINDS[type] ?? 'other')
    const part = Buffer.from(webp.subarray(at, end))
    if (type === 'VP8X') header = part
    if (kind === undefined || !drops.has(kind)) parts.push(part)
    at = end
  }
  for (const [kind, flag] of Object.entries(WEBP_FLAGS)) if (header && drops.has(kind as Kind)) header[8]! &= ~flag
  if (header && drops.has('exif') && orientation > 1) {
    const block = orientationBlock(orientation)
    const head = Buffer.alloc(8)
    head.write('EXIF', 0, 'latin1')
    head.writeUInt32LE(block.length, 4)
    parts.push(head, block)
    header[8]! |= WEBP_FLAGS.exif!
  }
  const whole = Buffer.concat([webp.subarray(0, 12), ...parts])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

type Strip = (file: Buffer, drops: ReadonlySet<Kind>, orientation: number) => Buffer | undefined

const STRIPPERS: Readonly<Record<string, Strip>> = {
  jpg: stripJpeg,
  png: stripPng,
  apng: stripPng,
  webp: stripWebp,
  gif: stripGif,
  // The orientation is one of the tags kept with the pixels.
  tiff: stripTiff,
  avif: stripAvif,
}

/** The description of a redundant profile: an image without a profile is sRGB. */
const SRGB_NAME = /sRGB/i

/** Larger profiles have tables, which may alter colours whatever the name. In bytes. */
const PLAIN_PROFILE_BYTES = 8192

function saysSrgb(icc: Buffer): boolean {
  if (icc.length < 132 || icc.length > PLAIN_PROFILE_BYTES) return false
  const tags = Math.min(icc.readUInt32BE(128), Math.floor((icc.length - 132) / 12))
  for (let entry = 132; entry < 132 + tags * 12; entry += 12)
    if (icc.toString('latin1', entry, entry + 4) === 'desc') {
      const start = icc.readUInt32BE(entry + 4)
      const text = icc.toString('latin1', start, start + icc.readUInt32BE(entry + 8))
      return SRGB_NAME.test(text.replaceAll('\0', ''))
    }
  return false
}

/** The metadata types to remove completely; undefined if the request requires an encode. */
function kindsOf({ target, origin, hasOwnProfile }: ImageFrame): Set<Kind> | undefined {
  const { metadata } = target
  if (!metadata) return undefined
  const dropped = metadata === 'none' ? (['exif', 'xmp', 'icc', 'other'] as const) : metadata.drop
  const isConverted = hasOwnProfile && origin.metadata.icc && !saysSrgb(origin.metadata.icc)
  if (dropped.includes('icc' as never) && isConverted) return undefined
  return new Set(dropped.filter((kind): kind is Kind => kind !== 'gps'))
}

/** Undefined for an unknown or contradictory layout, which requires an encode. */
function strippedOf(frame: ImageFrame, file: Buffer, kinds: ReadonlySet<Kind>): Buffer | undefined {
  try {
    return STRIPPERS[frame.origin.type.id]?.(file, kinds, frame.origin.metadata.orientation ?? 1)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether only the GPS location is to be removed from EXIF, in a file that has EXIF. */
function dropsPlaceAlone({ target: { metadata }, origin }: ImageFrame): boolean {
  if (!metadata || metadata === 'none' || !metadata.drop.includes('gps')) return false
  const { exif, xmp } = origin.metadata
  return !metadata.drop.includes('exif') && (origin.type.id === 'tiff' || exif !== undefined || xmp !== undefined)
}

/**
 * Removes metadata from the input file itself, so that no pixel changes and the file does not grow. A rotated image
 * keeps only its orientation tag, because rotating it would require an encode.
 * @returns whether the file was written; if not, the image must be encoded
 */
export async function writeStripped(frame: ImageFrame, path: string): Promise<boolean> {
  const kinds = kindsOf(frame)
  if (!kinds || !frame.untouched) return false
  // Decodes the whole image at a small size, so that damage is reported and not passed on.
  await (await frame.pipeline()).resize({ width: 8 }).raw().toBuffer()
  const stripped = strippedOf(frame, await readFile(frame.origin.path), kinds)
  if (!stripped) return false
  await writeFile(path, stripped)
  if (dropsPlaceAlone(frame)) {
    const { removeMetadata } = await import('../../../engines/exiftool.ts')
    await removeMetadata(path, ['gps'])
  }
  return true
}
