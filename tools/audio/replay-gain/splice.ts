import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A range of the source, or bytes in place of one. */
type Piece = Buffer | { start: number; end: number }

/** Writes a file that consists of ranges of another one and of new bytes. */
export async function splice(
  source: string,
  target: string,
  pieces: readonly Piece[],
  signal: AbortSignal,
): Promise<void> {
  const file = await open(target, 'w')
  try {
    for (const piece of pieces) {
      if (Buffer.isBuffer(piece)) await file.appendFile(piece)
      else if (piece.end > piece.start)
        for await (const chunk of createReadStream(source, { start: piece.start, end: piece.end - 1, signal }))
          await file.appendFile(chunk as Buffer)
    }
  } finally {
    await file.close()
  }
}

/** Reads a range of a file; shorter at its end. */
export async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
  return buffer.subarray(0, bytesRead)
}

/** Writes a tagged copy. @returns why the tags cannot be written; there is no copy then */
export type TagWriter = (
  source: string,
  target: string,
  tags: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<string | undefined>
