import { type FileHandle, open } from 'node:fs/promises'

/** Read at a time, in bytes. */
const BLOCK = 64 * 1024
const NEWLINE = 10

/** Fills as much of the block as the file gives from this position. */
async function readBlock(handle: FileHandle, size: number, position: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(block, filled, size - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return block.subarray(0, filled)
}

/**
 * The lines of a file from the last to the first, without empty ones; none when there is no such file. Never more in
 * memory than a block and a line.
 */
export async function* linesBackwards(path: string): AsyncGenerator<string> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!handle) return
  try {
    let position = (await handle.stat()).size
    /** The beginning of this line lies in blocks that are not read yet. */
    let unread = Buffer.alloc(0)
    while (position > 0) {
      const size = Math.min(BLOCK, position)
      position -= size
      unread = Buffer.concat([await readBlock(handle, size, position), unread])
      let end = unread.length
      while (end > 0) {
        const newline = unread.lastIndexOf(NEWLINE, end - 1)
        if (newline < 0) break
        if (newline + 1 < end) yield unread.toString('utf8', newline + 1, end)
        end = newline
      }
      unread = unread.subarray(0, end)
    }
    if (unread.length > 0) yield unread.toString('utf8')
  } finally {
    await handle.close()
  }
}
