import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { printableName } from '../wording.ts'
import { SNIFF_BYTES, sniffFile, sniffHead, sniffOpen } from './sniff.ts'
import type { FileType } from './type.ts'

export { printableName }

/** A file on disk that a job processes. */
export interface MediaFile {
  /** Path on disk. */
  path: string
  /** File name for messages and for naming outputs, without folder. */
  name: string
  bytes: number
  /** Type detected from content. */
  type: FileType
  /**
   * The folder of a file that a caller named on this machine: what the file references there may be read. Absent for
   * files that were sent to a server, downloaded or computed.
   */
  folder?: string
}

/** The total size of files, in bytes. */
export function totalBytes(files: readonly Pick<MediaFile, 'bytes'>[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}

/** `a.tar.gz` → `a.tar`; a name that consists only of an extension keeps it. */
export function stemOf(name: string): string {
  const base = basename(name)
  const extension = extname(base)
  return extension && extension.length < base.length ? base.slice(0, -extension.length) : base
}

/** The extension without the dot, in lower case, or ''. */
export function extensionOf(name: string): string {
  return extname(name).slice(1).toLowerCase()
}

/** @throws MediaprocError IS_A_FOLDER, INVALID_FILE, EMPTY_FILE */
function checkRegular(about: Stats, shown: string, mayBeEmpty: boolean): void {
  if (about.isDirectory()) throw new MediaprocError('IS_A_FOLDER', `${shown} is a folder, not a file`)
  if (!about.isFile()) throw new MediaprocError('INVALID_FILE', `${shown} is not a regular file`)
  if (about.size === 0 && !mayBeEmpty) throw new MediaprocError('EMPTY_FILE', `${shown} is empty (0 bytes)`)
}

function unreadable(error: unknown, shown: string): MediaprocError {
  const known = toMediaprocError(error, 'INVALID_FILE', `${shown} cannot be read`)
  if (known.code === 'FILE_NOT_FOUND')
    return new MediaprocError('FILE_NOT_FOUND', `${shown} does not exist`, { cause: error })
  if ((error as NodeJS.ErrnoException).code === 'ELOOP')
    return new MediaprocError('INVALID_FILE', `${shown} is a link that leads in a circle`, { cause: error })
  if (known.code === 'PERMISSION_DENIED')
    return new MediaprocError('PERMISSION_DENIED', `${shown} cannot be read: permission denied`, { cause: error })
  return known
}

/**
 * Inspects a file: it must exist and be readable, a regular file (or a link to one) and, unless allowed, not empty.
 * @param name display name; defaults to the last part of the path
 */
export async function openMediaFile(path: string, name = basename(path), mayBeEmpty = false): Promise<MediaFile> {
  const shown = printableName(name)
  let handle: FileHandle | undefined
  try {
    const about = await stat(path)
    checkRegular(about, shown, mayBeEmpty)
    handle = await open(path, 'r')
    return { path: resolve(path), name, bytes: about.size, type: await sniffOpen(handle, about.size, name) }
  } catch (error) {
    throw unreadable(error, shown)
  } finally {
    await handle?.close()
  }
}

/** The first bytes of a file, as many as `sniffHead` needs. */
function headOf(path: string, size: number): Buffer {
  const head = Buffer.allocUnsafe(Math.min(size, SNIFF_BYTES))
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head, 0, head.length, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * `openMediaFile` with blocking calls, for a batch of local files: each call through the thread pool takes ten times
 * the processor time of the call itself. Not for a server.
 */
export async function openLocalFile(path: string, name = basename(path), mayBeEmpty = false): Promise<MediaFile> {
  const shown = printableName(name)
  try {
    const about = statSync(path)
    checkRegular(about, shown, mayBeEmpty)
    const type = sniffHead(headOf(path, about.size), about.size, name) ?? (await sniffFile(path, name))
    return { path: resolve(path), name, bytes: about.size, type }
  } catch (error) {
    throw unreadable(error, shown)
  }
}
