import { open } from 'node:fs/promises'
import { toMediaprocError } from '../../../errors.ts'
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

/**
 * Copies what is lost on the way: libvips reads no EXIF from a TIFF's directories and writes none, and the encoders of some
 * formats take pixels only.
 * Where exiftool is not here, the answer says what the output lacks.
 */
export async function copyLostTags(frame: ImageFrame, path: string, format: string): Promise<Afterwards> {
  const { origin, target } = frame
  const policy = target.metadata
  if (policy === 'none' || origin.path === '' || drops(policy, 'exif')) return {}
  const isFromTiff = origin.type.id === 'tiff'
  const isBare = WRITTEN_BARE.has(format)
  if (!isFromTiff && format !== 'tiff' && !isBare) return {}
  const { exif, xmp } = origin.metadata
  const hasRecords = iptcOf(origin.metadata) !== undefined
  const hasIptc = format === 'tiff' && hasRecords
  // What is decoded by our own means, such as Lab, has lost them already.
  const takesIptc = format === 'tiff' || (isFromTiff && !hasRecords)
  const isDescribed = exif || hasIptc || (isBare && xmp)
  if (!(isFromTiff ? await describesItself(origin.path) : isDescribed)) return {}
  const { copyTags } = await import('../../../engines/exiftool.ts')
  try {
    await copyTags(origin.path, path, {
      gps: !drops(policy, 'gps'),
      xmp: isBare && !drops(policy, 'xmp'),
      iptc: takesIptc && !drops(policy, 'xmp'),
    })
    return { isRewritten: true }
  } catch (error) {
    if (toMediaprocError(error).code !== 'ENGINE_UNAVAILABLE') throw error
    return { loss: 'Who made the picture, when and where is not in the output: copying it needs exiftool' }
  }
}

const drops = (policy: ImageTarget['metadata'], kind: 'exif' | 'gps' | 'xmp'): boolean =>
  policy !== undefined && policy !== 'none' && policy.drop.includes(kind)
