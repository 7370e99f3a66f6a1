import { type FileHandle, open } from 'node:fs/promises'
import { missingOfWav } from './wav-length.ts'

/** Less is a few samples of the last block, seconds. */
const LEAST_MISSING_S = 0.01

/** Sizes from here on stand for "not known" in RIFF, bytes. */
const UNKNOWN_BYTES = 0x7fff0000
/** A chunk's name and size (RIFF, 1991; AIFF, 1989). */
const CHUNK_HEADER = 8
/** The longest page of Ogg, bytes (RFC 3533, 6), and how many of its end are searched for the last pages of all streams. */
const OGG_PAGE = 65_307
const OGG_TAIL = 4 * OGG_PAGE
/** The fixed part of a page header; where its flags, serial number and count of segments are; the flag of the last page. */
const OGG = { header: 27, flags: 5, serial: 14, segments: 26, last: 4 }

async function bytesAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/** How many bytes the outermost chunk of a RIFF or AIFF file says to have beyond its end; 0 where it says none. */
async function missingOfChunk(file: FileHandle, bytes: number): Promise<number> {
  const header = await bytesAt(file, 0, CHUNK_HEADER)
  const name = header.toString('latin1', 0, 4)
  if (header.length < CHUNK_HEADER || (name !== 'RIFF' && name !== 'FORM')) return 0
  const size = name === 'RIFF' ? header.readUInt32LE(4) : header.readUInt32BE(4)
  return size >= UNKNOWN_BYTES ? 0 : Math.max(0, CHUNK_HEADER + size - bytes)
}

const OGG_SENTENCES = {
  whole: undefined,
  'within a page': 'the file is cut off: it ends within a page of Ogg',
  'without a mark': 'the file is cut off: it lacks the mark of its end',
}

/** Whether an Ogg file ends within a page, or without the page that is marked as the last one of a stream. */
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
 * What is said of a file that was broken off, where ffmpeg would take what is there for all of it; undefined for whole files,
 * and for formats whose readers notice it.
 * @param format ffmpeg's name of the demuxer
 * @param bytes of the file
 */
export async function cutOffWarning(path: string, bytes: number, format: string): Promise<string | undefined> {
  if (format === 'wav') {
    const missingS = await missingOfWav(path, bytes)
    if (missingS === undefined || missingS < LEAST_MISSING_S) return undefined
    return `the file is cut off: the last ${Number(missingS.toFixed(2))} s of its sound are missing`
  }
  if (!/^(avi|aiff|ogg)$/.test(format)) return undefined
  const file = await open(path)
  try {
    if (format === 'ogg') {
      return OGG_SENTENCES[await oggEnds(file, bytes)]
    }
    const missing = await missingOfChunk(file, bytes)
    // A chunk of odd length is filled up by a byte, which some programs leave out.
    return missing > 1
      ? `the file is cut off: the last ${missing} of its ${bytes + missing} bytes are missing`
      : undefined
  } finally {
    await file.close()
  }
}
