import { type FileHandle, open } from 'node:fs/promises'
import { missingOfWav } from './wav-length.ts'

/** A shorter gap is only a few samples of the last block, seconds. */
const LEAST_MISSING_S = 0.01

/** RIFF sizes from this value up mean "unknown", bytes. */
const UNKNOWN_BYTES = 0x7fff0000
/** A chunk's ID and size (RIFF, 1991; AIFF, 1989). */
const CHUNK_HEADER = 8
/**
 * The maximum size of an Ogg page, bytes (RFC 3533, 6), and the number of bytes at the end that are searched for the
 * last pages of all streams.
 */
const OGG_PAGE = 65_307
const OGG_TAIL = 4 * OGG_PAGE
/** Size of the fixed page header; offsets of its flags, serial number and segment count; the end-of-stream flag. */
const OGG = { header: 27, flags: 5, serial: 14, segments: 26, last: 4 }

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/**
 * The number of bytes that the outermost chunk of a RIFF or AIFF file declares beyond the end of the file; 0 when it
 * declares none.
 */
async function missingOfChunk(file: FileHandle, bytes: number): Promise<number> {
  const header = await bytesAt(file, 0, CHUNK_HEADER)
  const name = header.toString('latin1', 0, 4)
  if (header.length < CHUNK_HEADER || (name !== 'RIFF' && name !== 'FORM')) return 0
  const size = name === 'RIFF' ? header.readUInt32LE(4) : header.readUInt32BE(4)
  return size >= UNKNOWN_BYTES ? 0 : Math.max(0, CHUNK_HEADER + size - bytes)
}

const OGG_SENTENCES = {
  whole: undefined,
  'within a page': 'the file is cut off: it ends inside an Ogg page',
  'without a mark': 'the file is cut off: it lacks its end marker',
}

/** Whether an Ogg file ends inside a page, or without the end-of-stream page of one of its streams. */
async function oggEnds(file: FileHandle, bytes: number): Promise<keyof typeof OGG_SENTENCES> {
  const from = Math.max(0, bytes - OGG_TAIL)
  const tail = await bytesAt(file, from, OGG_TAIL)
  const isLast = new Map<number, boolean>()
  let end = -1
  for (let at = tail.indexOf('OggS'); at >= 0; at = tail.indexOf('OggS', Math.max(at + 4, end))) {
    if (at + OGG.header > tail.length) return 'within a page'
    const segments = tail.subarray(at + OGG.header, at + OGG.header + tail[at + OGG.segments]!)
    end = at + OGG.header + tail[at + OGG.segments]! + segments.reduce((sum, size) => sum + size, 0)
    if (end > tail.length) return 'within a page'
    isLast.set(tail.readUInt32LE(at + OGG.serial), (tail[at + OGG.flags]! & OGG.last) !== 0)
  }
  return [...isLast.values()].every(Boolean) ? 'whole' : 'without a mark'
}

/**
 * The warning for a truncated file that ffmpeg would process as if it were complete; undefined for complete files, and
 * for formats whose demuxers detect truncation.
 * @param format ffmpeg's demuxer name
 * @param bytes file size
 */
export async function cutOffWarning(path: string, bytes: number, format: string): Promise<string | undefined> {
  if (format === 'wav') {
    const missingS = await missingOfWav(path, bytes)
    if (missingS === undefined || missingS < LEAST_MISSING_S) return undefined
    return `the file is cut off: the last ${Number(missingS.toFixed(2))} s of its audio are missing`
  }
  if (!/^(avi|aiff|ogg)$/.test(format)) return undefined
  const file = await open(path)
  try {
    if (format === 'ogg') {
      return OGG_SENTENCES[await oggEnds(file, bytes)]
    }
    const missing = await missingOfChunk(file, bytes)
    // An odd-length chunk is padded by one byte, which some programs omit.
    return missing > 1
      ? `the file is cut off: the last ${missing} of its ${bytes + missing} bytes are missing`
      : undefined
  } finally {
    await file.close()
  }
}
