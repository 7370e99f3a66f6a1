import { open, readFile } from 'node:fs/promises'
import { MediaprocError } from '../../../errors.ts'
import { endOfPicture, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { pngFileChunks } from '../../codecs/png-chunks.ts'
import { type MediaFile, printableName } from '../../file.ts'
import type { Reading } from './source.ts'

/** The warning for an image with missing data; `--strict` turns it into an error. */
export const cutOffSentence = (name: string): string =>
  `${printableName(name)} ends too early; perhaps a copy or download was cut off. Only the existing part of the picture is used`

async function lastBytes(path: string, count: number, size: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const bytes = Buffer.alloc(count)
    const { bytesRead } = await file.read(bytes, 0, count, Math.max(0, size - count))
    return bytes.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const unreadable = ({ name }: MediaFile, why: string): MediaprocError =>
  new MediaprocError(
    'INVALID_FILE',
    `${printableName(name)} cannot be read: its data ends too early; perhaps a copy or download was cut off, and ${why}`,
  )

async function cutOffJpeg(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  const end = held?.subarray(-2) ?? (await lastBytes(file.path, 2, file.bytes))
  if (end[0] === 0xff && end[1] === 0xd9) return undefined
  const jpeg = held ?? (await readFile(file.path))
  // A file truncated in its header is not an image, which libvips reports itself; further images may follow the first.
  const scan = jpegSegments(jpeg)?.at(-1)
  if (!scan) return undefined
  const { end: usable, isCutOff } = endOfPicture(jpeg, scan.end)
  // Half a table would damage the data before it.
  return isCutOff ? { input: jpeg.subarray(0, usable), isCutOff } : undefined
}

/** Offset of the interlace flag in the header chunk of a PNG. */
const INTERLACE_AT = 28

async function cutOffPng(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  const end = held?.subarray(-12) ?? (await lastBytes(file.path, 12, file.bytes))
  if (end.toString('latin1', 4, 8) === 'IEND') return undefined
  const chunks = await pngFileChunks(file.path, held)
  if (chunks.some(({ type, at }) => type === 'IEND' && at + 12 <= file.bytes)) return undefined
  const png = held ?? (await readFile(file.path))
  if (png.indexOf('IDAT', 0, 'latin1') < 0) return undefined
  if (png[INTERLACE_AT] === 1) throw unreadable(file, 'the existing part of an interlaced PNG cannot be decoded')
  return { input: held ?? file.path, isCutOff: true }
}

const ANIMATION_FRAME = 'ANMF'

/** The first bytes of a file; zeros after its end. */
export async function firstBytes(path: string, count: number): Promise<Buffer> {
  const head = Buffer.alloc(count)
  const opened = await open(path)
  try {
    await opened.read(head, 0, count, 0)
  } finally {
    await opened.close()
  }
  return head
}

/** The complete frames of a WebP animation, as a file; a still WebP is decoded completely or not at all. */
async function cutOffWebp(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  const head = held ?? (await firstBytes(file.path, 12))
  if (head.readUInt32LE(4) + 8 <= file.bytes) return undefined
  const webp = held ?? (await readFile(file.path))
  let [whole, frames] = [12, 0]
  for (let at = 12; at + 8 <= webp.length; ) {
    const end = at + 8 + webp.readUInt32LE(at + 4) + (webp.readUInt32LE(at + 4) % 2)
    if (end > webp.length) break
    if (webp.toString('latin1', at, at + 4) === ANIMATION_FRAME) frames += 1
    whole = end
    at = end
  }
  if (frames === 0) throw unreadable(file, 'the existing part of a WebP cannot be decoded')
  const input = Buffer.from(webp.subarray(0, whole))
  input.writeUInt32LE(whole - 8, 4)
  return { input, isCutOff: true }
}

const FINDERS: Record<string, (file: MediaFile, held?: Buffer) => Promise<Reading | undefined>> = {
  jpg: cutOffJpeg,
  png: cutOffPng,
  apng: cutOffPng,
  webp: cutOffWebp,
}

/**
 * Detects that the end of a file is missing, from its structure and not from decoder errors, which may have other
 * causes. Undefined for complete files, and for files truncated before the image data starts.
 * @param held the bytes of the file, if they are in memory
 * @throws INVALID_FILE when no decoder can return the existing part
 */
export async function cutOff(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  return FINDERS[file.type.id]?.(file, held)
}
