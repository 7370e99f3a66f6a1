import { open } from 'node:fs/promises'
import type { CopiedTags } from '../../../engines/exiftool.ts'
import { toMediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import { openTiffBlock, readDirectory } from '../decode/tiff-directory.ts'
import type { Afterwards } from '../encode/post-encode.ts'
import type { ImageFrame, ImageTarget } from '../frame.ts'
import { iptcOf } from './iptc.ts'

/**
 * Tags that describe the picture (TIFF 6.0; EXIF 2.32): description, make, model, software, date, artist, copyright, the
 * EXIF and GPS directories, and Windows' title, comment, author, keywords and subject.
 */
const DESCRIPTIVE = new Set([270, 271, 272, 305, 306, 315, 33432, 34665, 34853, 40091, 40092, 40093, 40094, 40095])

/** IPTC records (TIFF/EP, ISO 12234-2). */
const IPTC = 33723

/** How much of a directory is read: tags and short values. In bytes. */
const DIRECTORY_BYTES = 64 << 10

/** Whether the first directory of a TIFF file says anything of the picture beside how it is stored. */
async function describesItself(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(8)
    await file.read(head, 0, 8, 0)
    const at = openTiffBlock(head)?.u32(4)
    if (at === undefined) return false
    // The directory is read to stand behind the header, where only its tags count.
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

/** Formats whose encoders are given pixels and a profile, and no metadata. */
const WRITTEN_BARE = new Set(['heic', 'heif', 'jxl', 'jp2'])

/** The most bytes of XMP that one segment of a JPEG holds; more is written in several (XMP specification part 3, 1.1.3.1). */
const MAX_JPEG_PACKET = 65502

/** Whether the XMP is or has to be in several segments of a JPEG, of which libvips reads only the first and writes one. */
function isXmpInParts({ origin }: ImageFrame, format: string): boolean {
  const { xmp } = origin.metadata
  if (!xmp) return false
  if (format === 'jpg' && xmp.length > MAX_JPEG_PACKET) return true
  return origin.type.id === 'jpg' && Buffer.from(xmp).includes('HasExtendedXMP')
}

/** What has to be copied; undefined when sharp has passed on everything. */
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
  // What is decoded by our own means, such as Lab, has lost them already.
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
 * Copies what is lost on the way: libvips reads no EXIF from a TIFF's directories and writes none, the encoders of some
 * formats take pixels only, and XMP of more than a segment of a JPEG is left out.
 * Where exiftool is not here, the answer says what the output lacks.
 */
export async function copyLostTags(frame: ImageFrame, path: string, format: string): Promise<Afterwards> {
  const { origin, target } = frame
  if (target.metadata === 'none' || origin.path === '') return {}
  const groups = await lostGroups(frame, format)
  if (!groups) return {}
  // The size was reached without the XMP that is not written yet.
  const isTooMuch = groups.xmp && target.targetBytes !== undefined && isXmpInParts(frame, format)
  const loss = `${printableName(origin.name)} has more XMP than one segment of a JPEG holds; what is beyond that is left out to reach the size`
  const { copyTags } = await import('../../../engines/exiftool.ts')
  try {
    await copyTags(origin.path, path, isTooMuch ? { ...groups, xmp: false } : groups)
    return { isRewritten: true, ...(isTooMuch && { loss }) }
  } catch (error) {
    if (toMediaprocError(error).code !== 'ENGINE_UNAVAILABLE') throw error
    return { loss: 'Who made the picture, when and where is not in the output: copying it needs exiftool' }
  }
}

const drops = (policy: ImageTarget['metadata'], kind: 'exif' | 'gps' | 'xmp'): boolean =>
  policy !== undefined && policy !== 'none' && policy.drop.includes(kind)
