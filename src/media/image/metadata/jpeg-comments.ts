import { open, readFile, writeFile } from 'node:fs/promises'
import { jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { printableName } from '../../file.ts'
import type { Afterwards } from '../encode/post-encode.ts'
import type { ImageFrame } from '../frame.ts'

/** The marker of a comment (ITU T.81, B.2.4.5). */
const COMMENT = 0xfe

/** Comments that only name a program do not describe the image. */
const BY_PROGRAM =
  /^\s*(?:created (?:with|by)|creator:|optimized by|file (?:source|written)|compressed by|software:|lavc|lead tech)/i

/** The number of bytes read to find the segments before the pixels: mostly EXIF, XMP and profiles. */
const HEADER_BYTES = 1 << 20

async function headerOf({ path, held }: ImageFrame['origin']): Promise<Buffer> {
  if (held) return held
  const file = await open(path)
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    return header.subarray(0, (await file.read(header, 0, HEADER_BYTES, 0)).bytesRead)
  } finally {
    await file.close()
  }
}

/** The comments of a JPEG, as complete segments. */
async function commentsOf(origin: ImageFrame['origin']): Promise<Buffer[]> {
  if (origin.type.id !== 'jpg' || origin.path === '') return []
  const header = await headerOf(origin)
  const segments = jpegSegments(header, { mayBeCutOff: true }) ?? []
  return segments.filter(({ marker }) => marker === COMMENT).map(({ at, end }) => header.subarray(at, end))
}

/**
 * Copies the comments of a JPEG into a JPEG made from it, and reports them as lost for other formats. sharp drops them.
 */
export async function keepJpegComments(frame: ImageFrame, path: string, format: string): Promise<Afterwards> {
  const { origin, target } = frame
  if (target.metadata === 'none') return {}
  const comments = await commentsOf(origin)
  if (comments.length === 0) return {}
  if (format === 'jpg') {
    const jpeg = await readFile(path)
    const segments = jpegSegments(jpeg)
    if (!segments) return {}
    // Before the tables and after the application segments, where writers usually put them.
    const place = segments.find(({ marker }) => marker < 0xe0 || marker > 0xef)!.at
    await writeFile(path, Buffer.concat([jpeg.subarray(0, place), ...comments, jpeg.subarray(place)]))
    return { isRewritten: true }
  }
  const isDescriptive = comments.some((segment) => !BY_PROGRAM.test(segment.toString('latin1', 4)))
  return isDescriptive
    ? { loss: `${format.toUpperCase()} holds no JPEG comment: that of ${printableName(origin.name)} is left out` }
    : {}
}
