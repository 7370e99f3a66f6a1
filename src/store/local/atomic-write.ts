import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'

/** Includes EFBIG: a file size limit is as final as a full disk. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The disk became read-only, often after a fault, or the permissions of a folder were changed. */
const CLOSED = new Set(['EROFS', 'EACCES', 'EPERM', 'EIO'])

/** Error for a failed write. Paths are only in `detail`, because the message may be sent to a client of the server. */
export function storageFailure(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const parts = { detail: message, cause: error }
  if (code !== undefined && FULL.has(code))
    return new MediaprocError('DISK_FULL', "The server's disk is full; nothing was stored", {
      hint: 'Free some space on the disk of the data folder.',
      ...parts,
    })
  if (code !== undefined && CLOSED.has(code))
    return new MediaprocError('DISK_LOW', "The server's data folder cannot be written; nothing was stored", {
      hint: 'Try again once the operator has looked at its disk and rights.',
      ...parts,
    })
  return new MediaprocError('INTERNAL', 'The server could not store this', parts)
}

/** Temporary file of `writeDurably`. Each file has one writer, so the name needs no random part. */
export function temporaryName(path: string): string {
  return `${path}.tmp`
}

/**
 * Replaces a file atomically: it always contains either the old or the new text, and the new one when the promise has
 * resolved, even after a power failure. Mode 0600.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = temporaryName(path)
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Flushes a file to the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
}

/** Flushes a folder to the disk, so that created, renamed or removed names are durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; its file systems write names through.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
