import { open } from 'node:fs/promises'
import type { CopiedTags } from '../../../engines/exiftool.ts'
import { toMediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import { openTiffBlock, readDirectory } from '../decode/tiff-directory.ts'
import type { Afterwards } from '../encode/post-encode.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { iptcOf } from './iptc.ts'

/**
 * Tags that describe the image (TIFF 6.0; EXIF 2.32): description, make, model, software, date, artist, copyright, the
 * EXIF and GPS directories, and Windows' title, comment, author, keywords and subject.
 */
const DESCRIPTIVE = new Set([270, 271, 272, 305, 306, 315, 33432, 34665, 34853, 40091, 40092, 40093, 40094, 40095])

/** IPTC records (TIFF/EP, ISO 12234-2). */
const IPTC = 33723

/** Bytes read from a directory: tags and short values. */
const DIRECTORY_BYTES = 64 << 10

/** Whether the first directory of a TIFF file describes the image, beyond how it is stored. */
async function describesItself(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(8)
    await file.read(head, 0, 8, 0)
    const at = openTiffBlock(head)?.u32(4)
    if (at === undefined) return false
    // The directory is read into a block right after the header; only its tags are used.
    const block = Buffer.alloc(8 + DIRECTORY_BYTES)
    head.copy(block)
    await file.read(block, 8, DIRECTORY_BYTES, at)
    return readDirectory(openTiffBlock(block)!, 8, { anywhere: true }).some(
      ({ tag }) => DESCRIPTIVE.has(tag) || tag === IPTC,
    )
  } finally {
    await file.close()
  }
}

/** Formats whose encoders receive pixels and a profile, but no metadata. */
const WRITTEN_BARE = new Set(['heic', 'heif', 'jxl', 'jp2'])

/** Maximum bytes of XMP in one JPEG segment; longer XMP is split (XMP specification part 3, 1.1.3.1). */
const MAX_JPEG_PACKET = 65502

/** Whether the XMP spans or must span several JPEG segments; libvips only reads the first and writes one. */
function isXmpInParts({ origin }: ImageFrame, format: string): boolean {
  const { xmp } = origin.metadata
  if (!xmp) return false
  if (format === 'jpg' && xmp.length > MAX_JPEG_PACKET) return true
  return origin.type.id === 'jpg' && Buffer.from(xmp).includes('HasExtendedXMP')
}

/** The tags to copy; undefined if sharp passed on everything. */
async function lostGroups(frame: ImageFrame, format: string): Promise<CopiedTags | undefined> {
  const { origin, target } = frame
  const policy = target.metadata
  const isFromTiff = origin.type.id === 'tiff'
  const isBare = WRITTEN_BARE.has(format)
  const hasRecords = iptcOf(origin.metadata) !== undefined
  const isLost = isFromTiff || format === 'tiff' || isBare
  const hasTags = isFromTiff
    ? await describesItself(origin.path)
    : origin.metadata.exif || (format === 'tiff' && hasRecords)
  const takesTags = isLost && Boolean(hasTags) && !drops(policy, 'exif')
  // Images decoded by the built-in decoders, such as Lab, have already lost them.
  const takesIptc = format === 'tiff' || (isFromTiff && !hasRecords)
  const isXmpLost = (isBare && origin.metadata.xmp !== undefined) || isXmpInParts(frame, format)
  const groups = {
    exif: takesTags,
    gps: !drops(policy, 'gps'),
    xmp: isXmpLost && !drops(policy, 'xmp'),
    iptc: takesTags && takesIptc && !drops(policy, 'xmp'),
  }
  return groups.exif || groups.xmp || groups.iptc ? groups : undefined
}

/**
 * Copies tags that would be lost: libvips neither reads nor writes EXIF in a TIFF's directories, some encoders only
 * receive pixels, and XMP longer than one JPEG segment is dropped. Without exiftool, the result describes what the
 * output lacks.
 */
export async function copyLostTags(frame: ImageFrame, path: string, format: string): Promise<Afterwards> {
  const { origin, target } = frame
  if (target.metadata === 'none' || origin.path === '') return {}
  const groups = await lostGroups(frame, format)
  if (!groups) return {}
  // The target size was reached without the XMP, which is not written yet.
  const isTooMuch = groups.xmp && target.targetBytes !== undefined && isXmpInParts(frame, format)
  const loss = `${printableName(origin.name)} has more XMP than one segment of a JPEG holds; what is beyond that is left out to reach the size`
  const { copyTags } = await import('../../../engines/exiftool.ts')
  try {
    await copyTags(origin.path, path, isTooMuch ? { ...groups, xmp: false } : groups)
    return { isRewritten: true, ...(isTooMuch && { loss }) }
  } catch (error) {
    if (toMediaprocError(error).code !== 'ENGINE_UNAVAILABLE') throw error
    return { loss: 'Author, date and location of the picture are missing from the output: copying them needs exiftool' }
  }
}

const drops = (policy: ImageTarget['metadata'], kind: 'exif' | 'gps' | 'xmp'): boolean =>
  policy !== undefined && policy !== 'none' && policy.drop.includes(kind)
