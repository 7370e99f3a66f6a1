import { open } from 'node:fs/promises'
import { crc32 } from '../crc32.ts'

export const PNG_SIGNATURE_BYTES = 8

/** A chunk with its checksum over type and data (PNG specification, 5.3). */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

/** Where a chunk stands in its file. `at` is that of its length field, `length` that of its data. */
export interface PngChunkPlace {
  type: string
  at: number
  length: number
}

/** Every chunk of a PNG in memory, up to where it ends or is cut off. */
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

/** More chunks than this is no picture that anybody made. */
const MAX_CHUNKS = 100_000

/** The chunks of a PNG file other than its pixels; what is in those is not read. */
export async function pngFileChunks(path: string): Promise<(PngChunkPlace & { isBehindPixels: boolean })[]> {
  const file = await open(path)
  try {
    const head = Buffer.alloc(8)
    const chunks: (PngChunkPlace & { isBehindPixels: boolean })[] = []
    let isBehindPixels = false
    let at = PNG_SIGNATURE_BYTES
    for (let count = 0; count < MAX_CHUNKS; count += 1) {
      const { bytesRead } = await file.read(head, 0, 8, at)
      if (bytesRead < 8) break
      const [length, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)]
      if (type === 'IDAT') isBehindPixels = true
      else chunks.push({ type, at, length, isBehindPixels })
      at += 12 + length
    }
    return chunks
  } finally {
    await file.close()
  }
}
