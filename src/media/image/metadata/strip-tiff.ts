import { zip } from '../../../lists.ts'
import { openTiffBlock, readDirectory, type TiffBlock, type TiffEntry } from '../decode/tiff-directory.ts'
import type { Kind, Range } from './strip-kind.ts'

/** Directories that an entry can point to: EXIF, GPS, interoperability (EXIF 2.32, 4.6.3). */
const DIRECTORY_TAGS = new Set([34665, 34853, 40965])
const EXIF_TAGS = new Set([
  ...[270, 271, 272, 305, 306, 315, 316, 33432, 34665, 34853],
  ...[40091, 40092, 40093, 40094, 40095],
])
/** XMP, IPTC, and Photoshop's resources, which contain IPTC again. */
const XMP_TAGS = new Set([700, 33723, 34377])
const PROFILE_TAG = 34675
const COPIES_TAG = 330

/**
 * Tags required by the pixels, including resolution and page number (TIFF 6.0; its technical notes 1 and 2; the tags of
 * LogLuv and LERC). The content of all other tags is unknown.
 */
const PIXEL_TAGS = new Set([
  ...[254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284],
  ...[286, 287, 290, 291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328],
  ...[332, 334, 336, 338, 339, 340, 341, 342, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532],
  ...[32995, 32996, 32997, 32998, 37439, 50674],
])

const STRIPS = [273, 279] as const
const TILES = [324, 325] as const
const OLD_JPEG = [513, 514] as const

function kindOf(tag: number): Kind | undefined {
  if (PIXEL_TAGS.has(tag)) return undefined
  if (EXIF_TAGS.has(tag)) return 'exif'
  if (XMP_TAGS.has(tag)) return 'xmp'
  return tag === PROFILE_TAG ? 'icc' : 'other'
}

const BYTES: Record<number, number> = { 3: 2, 4: 4, 5: 8, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4 }
const valueRange = ({ type, count, at }: TiffEntry): Range => ({ start: at, end: at + (BYTES[type] ?? 1) * count })

/** The integers of an entry, of 16 or 32 bits. */
function numbers({ u16, u32 }: TiffBlock, entry: TiffEntry | undefined): number[] {
  if (!entry || (entry.type !== 3 && entry.type !== 4)) return []
  return Array.from({ length: entry.count }, (_, index) =>
    entry.type === 3 ? u16(entry.at + index * 2) : u32(entry.at + index * 4),
  )
}

/** The byte ranges of a page's pixels. */
function pixelRanges(block: TiffBlock, entries: readonly TiffEntry[]): Range[] {
  const find = (wanted: number): TiffEntry | undefined => entries.find(({ tag }) => tag === wanted)
  return [STRIPS, TILES, OLD_JPEG].flatMap(([places, lengths]) => {
    const sizes = numbers(block, find(lengths))
    return numbers(block, find(places)).map((start, index) => ({ start, end: start + (sizes[index] ?? 0) }))
  })
}

/** A directory and everything that it and its subdirectories point to, none of it pixels. */
function directoryRanges(block: TiffBlock, at: number, depth = 0): Range[] {
  if (depth > 3 || at < 8 || at + 2 > block.bytes.length) return []
  const own = { start: at, end: Math.min(block.bytes.length, at + 2 + block.u16(at) * 12 + 4) }
  return [
    own,
    ...readDirectory(block, at).flatMap((entry) => [
      valueRange(entry),
      ...(DIRECTORY_TAGS.has(entry.tag) ? directoryRanges(block, block.u32(entry.at), depth + 1) : []),
    ]),
  ]
}

const overlaps = (one: Range, other: Range): boolean => one.start < other.end && other.start < one.end

/**
 * Removes entries of the given types from the directories of a TIFF and zeroes their values: everything else keeps its
 * position, so that no offset changes.
 * @returns undefined if an encode is required: BigTIFF, damaged directories, values that share bytes with pixels
 */
export function stripTiff(given: Buffer, drops: ReadonlySet<Kind>): Buffer | undefined {
  const tiff = Buffer.from(given)
  const block = openTiffBlock(tiff)
  if (block?.u16(2) !== 42) return undefined
  const [dropped, kept]: [Range[], Range[]] = [[], [{ start: 0, end: 8 }]]
  const rewrites: (() => void)[] = []
  const seen = new Set<number>()
  for (let at = block.u32(4); at !== 0; ) {
    const count = at >= 8 && at + 2 <= tiff.length ? block.u16(at) : 0
    const end = at + 2 + count * 12
    if (seen.has(at) || count === 0 || end + 4 > tiff.length) return undefined
    seen.add(at)
    const entries = readDirectory(block, at, { anywhere: true })
    if (entries.length !== count) return undefined
    const isDropped = ({ tag }: TiffEntry): boolean => {
      const kind = kindOf(tag)
      return kind !== undefined && drops.has(kind)
    }
    const leaving = entries.filter(isDropped)
    for (const entry of leaving) {
      dropped.push(valueRange(entry))
      if (DIRECTORY_TAGS.has(entry.tag)) dropped.push(...directoryRanges(block, block.u32(entry.at)))
      // Reduced-size copies of the image, including their pixels.
      if (entry.tag === COPIES_TAG)
        for (const copy of numbers(block, entry))
          dropped.push(...directoryRanges(block, copy), ...pixelRanges(block, readDirectory(block, copy)))
    }
    const staying = entries.filter((entry) => !isDropped(entry))
    const inDirectory = { start: at, end: end + 4 }
    kept.push(inDirectory, ...staying.map(valueRange), ...pixelRanges(block, entries))
    const rows = entries.map((_, index) => Buffer.from(tiff.subarray(at + 2 + index * 12, at + 14 + index * 12)))
    const next = Buffer.from(tiff.subarray(end, end + 4))
    const start = at
    rewrites.push(() => {
      const rest = zip(entries, rows).flatMap(([entry, row]) => (isDropped(entry) ? [] : [row]))
      tiff.fill(0, start + 2, end + 4)
      Buffer.concat([...rest, next]).copy(tiff, start + 2)
      tiff[start + (tiff[0] === 0x49 ? 0 : 1)] = rest.length & 0xff
      tiff[start + (tiff[0] === 0x49 ? 1 : 0)] = rest.length >> 8
    })
    at = block.u32(end)
  }
  // Values of up to four bytes are stored in the entries themselves, which are rewritten.
  const apart = dropped.filter((range) => range.end - range.start > 4)
  if (apart.some((range) => range.end > tiff.length || kept.some((other) => overlaps(range, other)))) return undefined
  for (const { start, end } of apart) tiff.fill(0, start, end)
  for (const rewrite of rewrites) rewrite()
  return tiff
}
