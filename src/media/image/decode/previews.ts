import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withTemporaryFolder } from '../../../engines/process/temporary.ts'
import { readMetadata } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { crc32 } from '../../crc32.ts'

type Range = readonly [start: number, end: number]

/** Prefix before the TIFF header of an EXIF block in JPEG files. */
const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** Tags of the thumbnail in the second directory (EXIF 2.32, 4.6.5): offset and length of its JPEG stream. */
const THUMBNAIL_OFFSET = 0x0201
const THUMBNAIL_LENGTH = 0x0202

/** Photoshop image resources with a thumbnail (Adobe Photoshop File Formats: 1033 up to version 4, 1036 since 5). */
const THUMBNAIL_RESOURCES = new Set([1033, 1036])

const withoutPrefix = (block: Uint8Array): Buffer => {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  return bytes.subarray(0, 6).equals(EXIF_PREFIX) ? bytes.subarray(6) : bytes
}

/**
 * Byte ranges of the thumbnail in an EXIF block (from its TIFF header on): the link to the second directory, the
 * directory and the JPEG stream with its own metadata. The block stays valid when they are zeroed.
 */
function exifRanges(block: Buffer): Range[] {
  if (block.length < 14) return []
  const little = block.toString('latin1', 0, 2) === 'II'
  const short = (at: number): number => (little ? block.readUInt16LE(at) : block.readUInt16BE(at))
  const long = (at: number): number => (little ? block.readUInt32LE(at) : block.readUInt32BE(at))
  const directory = (at: number): { entries: number; next: number } | undefined => {
    if (at < 8 || at + 2 > block.length) return undefined
    const next = at + 2 + short(at) * 12
    return next + 4 <= block.length ? { entries: short(at), next } : undefined
  }
  const first = directory(long(4))
  const at = first && long(first.next)
  if (!first || !at) return []
  const ranges: Range[] = [[first.next, first.next + 4]]
  const second = directory(at)
  if (!second) return ranges
  ranges.push([at, second.next + 4])
  const values = new Map<number, number>()
  for (let entry = at + 2; entry < second.next; entry += 12) values.set(short(entry), long(entry + 8))
  const start = values.get(THUMBNAIL_OFFSET)
  const length = values.get(THUMBNAIL_LENGTH)
  if (start !== undefined && length !== undefined && start < block.length)
    ranges.push([start, Math.min(block.length, start + length)])
  return ranges
}

/** Byte ranges of thumbnails in Photoshop's image resources, which are stored as IPTC. */
function resourceRanges(block: Buffer): Range[] {
  const ranges: Range[] = []
  for (let at = block.indexOf('8BIM', 0, 'latin1'); at >= 0 && at + 12 <= block.length; ) {
    const nameLength = block[at + 6]! + 1
    const sizeAt = at + 6 + nameLength + (nameLength % 2)
    if (sizeAt + 4 > block.length) break
    const size = block.readUInt32BE(sizeAt)
    const end = Math.min(block.length, sizeAt + 4 + size)
    const isBlank = block.subarray(sizeAt + 4, end).every((byte) => byte === 0)
    if (THUMBNAIL_RESOURCES.has(block.readUInt16BE(at + 4)) && !isBlank) ranges.push([sizeAt + 4, end])
    at = block.indexOf('8BIM', end, 'latin1')
  }
  return ranges
}

/** Byte ranges of thumbnails in an XMP packet (XMP specification part 1, 8.4: xmp:Thumbnails), as base64 text. */
function packetRanges(packet: Buffer): Range[] {
  const ranges: Range[] = []
  const text = packet.toString('latin1')
  for (const { index, 0: whole } of text.matchAll(/<(\w+):Thumbnails\b[^>]*>[\s\S]*?<\/\1:Thumbnails>/g))
    ranges.push([index, index + whole.length])
  return ranges
}

interface Blocks {
  exif?: Uint8Array
  iptc?: Uint8Array
  xmp?: Uint8Array
}

const KINDS = [
  { kind: 'exif', find: exifRanges, blank: 0 },
  { kind: 'iptc', find: resourceRanges, blank: 0 },
  { kind: 'xmp', find: packetRanges, blank: 0x20 },
] as const

/** Whether metadata contains a thumbnail of the image. */
export function hasPreview(metadata: Blocks): boolean {
  return KINDS.some(({ kind, find }) => metadata[kind] && find(withoutPrefix(metadata[kind])).length > 0)
}

/** Recomputes the checksums of a PNG's chunks. */
function mendChecksums(png: Buffer): void {
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    if (end + 4 > png.length) return
    // The pixel data was not changed and is most of the file.
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') png.writeUInt32BE(crc32(png.subarray(at + 4, end)), end)
    at = end + 4
  }
}

/** exiftool's names for the metadata types. */
const GROUPS = { exif: 'exif', iptc: 'photoshop', xmp: 'xmp' } as const

/**
 * Removes whole metadata types from a file: compressed or split metadata cannot be blanked in place.
 * @throws ENGINE_UNAVAILABLE without exiftool, PROCESSING_FAILED when a thumbnail remains
 */
async function withoutKinds(file: Buffer, kinds: readonly (keyof typeof GROUPS)[]): Promise<Buffer> {
  const { removeMetadata } = await import('../../../engines/exiftool.ts')
  const removed = await withTemporaryFolder(async (folder) => {
    const path = join(folder, 'picture')
    await writeFile(path, file)
    await removeMetadata(
      path,
      kinds.map((kind) => GROUPS[kind]),
    )
    return readFile(path)
  })
  if (hasPreview(await readMetadata(removed)))
    throw new MediaprocError(
      'PROCESSING_FAILED',
      'The metadata holds a picture as it was before, which cannot be taken out',
      {
        hint: {
          shell: 'Take all metadata out first, with mediaproc image strip-metadata.',
          http: 'Take all metadata out first, with the tool strip-metadata.',
        },
      },
    )
  return removed
}

/**
 * Blanks the thumbnails in a finished file's metadata: a thumbnail shows what was cropped, blurred or pixelated, and
 * has metadata of its own. Nothing is moved, so all other metadata is preserved; if that is impossible, the metadata
 * type that contains the thumbnail is removed.
 * @returns the bytes of the file; unchanged if there was nothing to blank
 */
export async function withoutPreviews(file: Buffer): Promise<Buffer> {
  const metadata = await readMetadata(file)
  const hidden: (keyof typeof GROUPS)[] = []
  let isChanged = false
  for (const { kind, find, blank } of KINDS) {
    const block = metadata[kind] && withoutPrefix(metadata[kind])
    const ranges = block ? find(block) : []
    if (ranges.length === 0) continue
    const at = file.indexOf(block!)
    if (at < 0) hidden.push(kind)
    else for (const [start, end] of ranges) file.fill(blank, at + start, at + end)
    isChanged ||= at >= 0
  }
  if (isChanged && file.readUInt32BE(0) === 0x89504e47) mendChecksums(file)
  return hidden.length > 0 ? withoutKinds(file, hidden) : file
}

/** `withoutPreviews` for a file on disk. */
export async function dropPreviews(path: string): Promise<void> {
  await writeFile(path, await withoutPreviews(await readFile(path)))
}
