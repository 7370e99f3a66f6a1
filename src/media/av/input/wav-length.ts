import { open } from 'node:fs/promises'

/** A chunk is a four-byte ID, a four-byte size and its data, padded to an even length (RIFF, 1991). */
const CHUNK_HEADER = 8
/** `RIFF`, the total size, and `WAVE`. */
const FILE_HEADER = 12
/** Offset of the byte rate in the format chunk, and the minimum size of that chunk. */
const [BYTE_RATE, FORMAT_BYTES] = [8, 16]
/** Programs that do not know the final duration write this size or a larger one. Bytes. */
const UNKNOWN_BYTES = 0x7fff0000
/** More chunks before the audio data than any program writes. */
const MAX_CHUNKS = 100

/**
 * The duration of audio that a WAV declares beyond the end of the file, e.g. after an interrupted recording or copy;
 * seconds. ffmpeg would process the existing part as if it were complete.
 * @param bytes file size
 * @returns undefined when nothing is missing, or the file does not state its length
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
