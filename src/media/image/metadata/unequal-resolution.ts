import { type FileHandle, open } from 'node:fs/promises'
import { toMediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import { openTiffBlock, readDirectory, type TiffEntry } from '../decode/tiff-directory.ts'
import type { Afterwards } from '../encode/post-encode.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame, ImageOrigin } from '../frame.ts'
import { directoryResolution, exifResolution, type Resolution } from './resolution.ts'

/** A smaller difference is a rounding error in one of the units. */
const SAME = 0.005

/** TIFF 6.0, section 2: the rational type (two numbers, divided). */
const RATIONAL = 5

const METRES_PER_INCH = 0.0254
const CENTIMETRES_PER_INCH = 2.54

/** Reads bytes of a file; zeros after its end. */
type ReadAt = (position: number, length: number) => Promise<Buffer>

const readerOf =
  (file: FileHandle): ReadAt =>
  async (position, length) => {
    const bytes = Buffer.alloc(length)
    await file.read(bytes, 0, length, position)
    return bytes
  }

const readerOfHeld =
  (held: Buffer): ReadAt =>
  async (position, length) => {
    const bytes = Buffer.alloc(length)
    // Returns nothing for an offset after the end, where a copy would throw.
    bytes.set(held.subarray(position, position + length))
    return bytes
  }

/**
 * The first segment of a JPEG if it is JFIF's (JFIF 1.02): 1 is inches, 2 centimetres, 0 is only the pixel aspect
 * ratio.
 */
async function jfifResolution(readAt: ReadAt): Promise<Resolution | undefined> {
  const head = await readAt(0, 18)
  if (head.toString('latin1', 6, 11) !== 'JFIF\0' || head[13] === 0) return undefined
  const inches = head[13] === 2 ? CENTIMETRES_PER_INCH : 1
  return { x: head.readUInt16BE(14) * inches, y: head.readUInt16BE(16) * inches }
}

/** The pHYs chunk of a PNG, which precedes its pixels (PNG specification, 11.3.4.3). */
async function pngResolution(readAt: ReadAt): Promise<Resolution | undefined> {
  const firstChunk = 8
  for (let at = firstChunk; ; ) {
    const chunk = await readAt(at, 17)
    const kind = chunk.toString('latin1', 4, 8)
    if (kind === 'IDAT' || !/^[A-Za-z]{4}$/.test(kind)) return undefined
    if (kind === 'pHYs')
      return chunk[16] === 1
        ? { x: chunk.readUInt32BE(8) * METRES_PER_INCH, y: chunk.readUInt32BE(12) * METRES_PER_INCH }
        : undefined
    at += 12 + chunk.readUInt32BE(0)
  }
}

/** Bytes read from a directory, for its tags and inline values; longer values are stored elsewhere. */
const DIRECTORY_BYTES = 8 << 10

async function tiffResolution(readAt: ReadAt, path: string, page = 0): Promise<Resolution | undefined> {
  const { pagePlaces } = await import('../decode/tiff-pages.ts')
  const start = (await pagePlaces(path))?.starts[page]
  if (start === undefined) return undefined
  const head = Buffer.concat([await readAt(0, 8), await readAt(start, DIRECTORY_BYTES)])
  const directory = openTiffBlock(head)
  if (!directory) return undefined
  const rationals: Buffer[] = []
  const entries: TiffEntry[] = []
  for (const entry of readDirectory(directory, 8, { anywhere: true })) {
    const at = head.length + rationals.length * 8
    entries.push(entry.type === RATIONAL ? { ...entry, at } : entry)
    if (entry.type === RATIONAL) rationals.push(await readAt(entry.at, 8))
  }
  return directoryResolution(openTiffBlock(Buffer.concat([head, ...rationals]))!, entries)
}

/** The resolution stored in the container outside EXIF, if it supports that. */
async function inContainer({ path, type, page }: ImageOrigin, readAt: ReadAt): Promise<Resolution | undefined> {
  if (type.id === 'jpg') return jfifResolution(readAt)
  if (type.id === 'png' || type.id === 'apng') return pngResolution(readAt)
  return type.id === 'tiff' ? tiffResolution(readAt, path, page) : undefined
}

async function stated(origin: ImageOrigin): Promise<Resolution | undefined> {
  if (origin.held) return inContainer(origin, readerOfHeld(origin.held))
  const file = await open(origin.path)
  try {
    return await inContainer(origin, readerOf(file))
  } finally {
    await file.close()
  }
}

/** The resolution of a file if it differs horizontally and vertically. */
async function unequalResolution(origin: ImageOrigin): Promise<Resolution | undefined> {
  const { exif } = origin.metadata
  const both = (await stated(origin)) ?? (exif && exifResolution(exif))
  if (!both || !(both.x > 0 && both.y > 0)) return undefined
  return Math.abs(both.x - both.y) > SAME * Math.max(both.x, both.y) ? both : undefined
}

/** Formats that support a separate resolution for each direction: containers with EXIF. */
const HOLDS_BOTH = new Set(['jpg', 'png', 'apng', 'webp', 'avif', 'tiff', 'heic', 'heif', 'jxl', 'jp2'])

function assignments({ x, y }: Resolution, format: string): string[] {
  const exif = [`-IFD0:XResolution=${x}`, `-IFD0:YResolution=${y}`, '-IFD0:ResolutionUnit=inches']
  if (format === 'jpg')
    return [
      ...exif,
      ...[`-JFIF:XResolution=${Math.round(x)}`, `-JFIF:YResolution=${Math.round(y)}`, '-JFIF:ResolutionUnit=inches'],
    ]
  if (format !== 'png' && format !== 'apng') return exif
  const [across, down] = [x, y].map((value) => Math.round(value / METRES_PER_INCH))
  const chunk = [`PixelsPerUnitX=${across}`, `PixelsPerUnitY=${down}`, 'PixelUnits=meters']
  return [...exif, ...chunk.map((tag) => `-PNG-pHYs:${tag}`)]
}

/**
 * Non-square pixels, as in faxes: stores their resolution in the written file, because sharp supports only one value
 * for both directions. Returns a sentence if the format does not support it.
 */
export async function keepUnequalResolution(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<Afterwards> {
  const { origin, target } = frame
  if (origin.path === '' || origin.rasterisedAtDpi !== undefined || target.density !== undefined) return {}
  const both = await unequalResolution(origin)
  if (!both) return {}
  const [x, y] = [both.x, both.y].map((value) => Math.round(value))
  const lost = `${printableName(origin.name)} has non-square pixels, ${x} x ${y} to the inch; the result does not say so`
  if (frame.isReshaped) return { loss: `${lost}, because the picture was reshaped` }
  if (!HOLDS_BOTH.has(id)) return { loss: `${lost}, because ${id.toUpperCase()} does not support it` }
  const dropsExif = target.metadata === 'none' || target.metadata?.drop.includes('exif')
  if (dropsExif && id !== 'tiff') return { loss: `${lost}, because its metadata is left out` }
  const { writeTags } = await import('../../../engines/exiftool.ts')
  try {
    await writeTags(path, assignments(frame.isTurned ? { x: both.y, y: both.x } : both, id))
    return { isRewritten: true }
  } catch (error) {
    if (toMediaprocError(error).code !== 'ENGINE_UNAVAILABLE') throw error
    return { loss: `${lost}: writing it needs exiftool` }
  }
}
