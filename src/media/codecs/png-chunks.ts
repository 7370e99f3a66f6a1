import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from '../crc32.ts'

export const PNG_SIGNATURE_BYTES = 8

/** Encodes a chunk with its checksum over type and data (PNG specification, 5.3). */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** The position of a chunk in its file. `at` is the offset of its length field, `length` the length of its data. */
export interface PngChunkPlace {
  type: string
  at: number
  length: number
}

/** Lists the chunks of a PNG in memory, up to its end or truncation. */
export function pngChunks(png: Uint8Array): PngChunkPlace[] {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const chunks: PngChunkPlace[] = []
  for (let at = PNG_SIGNATURE_BYTES; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), at, length })
    at += 12 + length
  }
  return chunks
}

/** No real image has more chunks than this. */
const MAX_CHUNKS = 100_000

/** Bytes read at once when searching for chunks: most programs write pixels in chunks of 8 KiB. */
const WINDOW_BYTES = 256 * 1024

/** Returns the length and type of the chunk at an offset; undefined after the end. */
type ReadHead = (at: number) => Promise<Buffer | undefined>

function headsOf(file: FileHandle): ReadHead {
  let [window, start] = [Buffer.alloc(0), 0]
  return async (at) => {
    if (at + 8 > start + window.length) {
      const bytes = Buffer.allocUnsafe(WINDOW_BYTES)
      const { bytesRead } = await file.read(bytes, 0, WINDOW_BYTES, at)
      if (bytesRead < 8) return undefined
      ;[window, start] = [bytes.subarray(0, bytesRead), at]
    }
    return window.subarray(at - start, at - start + 8)
  }
}

async function chunksBeside(headAt: ReadHead): Promise<(PngChunkPlace & { isBehindPixels: boolean })[]> {
  const chunks: (PngChunkPlace & { isBehindPixels: boolean })[] = []
  let isBehindPixels = false
  let at = PNG_SIGNATURE_BYTES
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await headAt(at)
    if (!head) break
    const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
    if (type === 'IDAT') isBehindPixels = true
    else chunks.push({ type, at, length, isBehindPixels })
    at += 12 + length
  }
  return chunks
}

/**
 * The chunks of a PNG file except its pixel data, which is not read.
 * @param held the bytes of the file, if they are in memory
 */
export async function pngFileChunks(
  path: string,
  held?: Buffer,
): Promise<(PngChunkPlace & { isBehindPixels: boolean })[]> {
  if (held) return chunksBeside(async (at) => (at + 8 <= held.length ? held.subarray(at, at + 8) : undefined))
  const file = await open(path)
  try {
    return await chunksBeside(headsOf(file))
  } finally {
    await file.close()
  }
}
