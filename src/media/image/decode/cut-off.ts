import { open, readFile } from 'node:fs/promises'
import { MediaprocError } from '../../../errors.ts'
import { endOfPicture, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { pngFileChunks } from '../../codecs/png-chunks.ts'
import { type MediaFile, printableName } from '../../file.ts'
import type { Reading } from './source.ts'

/** What is said of a picture of which a part is missing; `--strict` makes it a failure. */
export const cutOffSentence = (name: string): string =>
  `${printableName(name)} ends too early; perhaps a copy or download was cut off. The part of the picture that is there is taken`

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
  // Cut off in its header it is no picture, as libvips says itself; further pictures may follow the first.
  const scan = jpegSegments(jpeg)?.at(-1)
  if (!scan) return undefined
  const { end: usable, isCutOff } = endOfPicture(jpeg, scan.end)
  // Half a table would spoil what stands before it.
  return isCutOff ? { input: jpeg.subarray(0, usable), isCutOff } : undefined
}

/** Where the header chunk of a PNG says that its rows are interlaced. */
const INTERLACE_AT = 28

async function cutOffPng(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  const end = held?.subarray(-12) ?? (await lastBytes(file.path, 12, file.bytes))
  if (end.toString('latin1', 4, 8) === 'IEND') return undefined
  const chunks = await pngFileChunks(file.path, held)
  if (chunks.some(({ type, at }) => type === 'IEND' && at + 12 <= file.bytes)) return undefined
  const png = held ?? (await readFile(file.path))
  if (png.indexOf('IDAT', 0, 'latin1') < 0) return undefined
  if (png[INTERLACE_AT] === 1) throw unreadable(file, 'of an interlaced PNG the part that is there cannot be shown')
  return { input: held ?? file.path, isCutOff: true }
}

const ANIMATION_FRAME = 'ANMF'

/** The first bytes of a file; zeros behind its end. */
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

/** The frames of a WebP animation that are whole, as a file; a still picture is decoded whole or not at all. */
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
  if (frames === 0) throw unreadable(file, 'of a WebP the part that is there cannot be shown')
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
 * Whether the end of a file is missing, told by its structure and not by what a decoder says: that may be other damage.
 * Undefined for whole files, and for those that are cut off before the picture begins.
 * @param held the bytes of the file, where they are in memory
 * @throws INVALID_FILE when no decoder gives the part that is there
 */
export async function cutOff(file: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  return FINDERS[file.type.id]?.(file, held)
}
