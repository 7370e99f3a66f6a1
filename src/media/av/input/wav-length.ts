import { open } from 'node:fs/promises'

/** A chunk is its name in four bytes, its size in four, and what it holds, to an even length (RIFF, 1991). */
const CHUNK_HEADER = 8
/** `RIFF`, the size of all, and `WAVE`. */
const FILE_HEADER = 12
/** Where the format chunk says how many bytes a second takes, and how many it has at least. */
const [BYTE_RATE, FORMAT_BYTES] = [8, 16]
/** Programs that do not know how long a recording will be say so much, or more. Bytes. */
const UNKNOWN_BYTES = 0x7fff0000
/** More chunks in front of the sound than any program writes. */
const MAX_CHUNKS = 100

/**
 * How much of the sound that a WAV says to have lies behind the end of the file, as of a recording or copy that was broken
 * off; seconds. ffmpeg takes what is there for all of it.
 * @param bytes of the file
 * @returns undefined where nothing is missing, or the file does not say how long it is
 */
export async function missingOfWav(path: string, bytes: number): Promise<number | undefined> {
  const file = await open(path)
  try {
    const header = Buffer.alloc(CHUNK_HEADER)
    let byteRate = 0
    for (let at = FILE_HEADER, count = 0; count < MAX_CHUNKS && at + CHUNK_HEADER <= bytes; count += 1) {
      await file.read(header, 0, CHUNK_HEADER, at)
      const [name, size] = [header.toString('latin1', 0, 4), header.readUInt32LE(4)]
      const from = at + CHUNK_HEADER
      if (name === 'fmt ' && size >= FORMAT_BYTES) {
        const format = Buffer.alloc(FORMAT_BYTES)
        await file.read(format, 0, FORMAT_BYTES, from)
        byteRate = format.readUInt32LE(BYTE_RATE)
      }
      if (name === 'data') {
        const missing = from + size - bytes
        return size < UNKNOWN_BYTES && missing > 0 && byteRate > 0 ? missing / byteRate : undefined
      }
      at = from + size + (size % 2)
    }
    return undefined
  } finally {
    await file.close()
  }
}
