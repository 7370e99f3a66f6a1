import { randomUUID } from 'node:crypto'
import { constants, createWriteStream, fstatSync } from 'node:fs'
import { copyFile, open, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { BlobFacts, Blobs, ByteRange, LocalFile, WholeBlob } from '../blobs.ts'
import { storageFailure, syncFile } from './atomic-write.ts'

/** Size of the first read: most small results fit in it, without a query of their size. */
const FIRST_READ_BYTES = 64 * 1024

/** Suffix of incomplete files. */
const PART = '.part'

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'The file is not there any more')

/** Codes of paths that lead to no file. The others are problems of the disk, which may pass. */
const NO_FILE = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'])

function unreadable(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (NO_FILE.has(code)) return missing()
  return new MediaprocError('STORE_UNAVAILABLE', 'The file cannot be read', { detail: message, cause: error })
}

/** Blobs as files below a folder; a key is the path of its file. */
export class FileBlobs implements Blobs {
  readonly #folder: string
  readonly #isDurable: boolean
  readonly #prunes: boolean
  /** Sources are on another file system: they are copied, and trying to move them first would flush them in vain. */
  #isElsewhere = false

  /**
   * @param isDurable whether stored blobs must survive a power failure
   * @param prunes whether folders are removed with their last blob; none may be stored in such a folder at the same time
   */
  constructor(folder: string, { isDurable = false, prunes = false } = {}) {
    this.#folder = resolve(folder)
    this.#isDurable = isDurable
    this.#prunes = prunes
  }

  async put(key: string, source: LocalFile | Readable): Promise<void> {
    try {
      await this.#store(this.#pathOf(key), source)
    } catch (error) {
      // Otherwise what writes to it would wait without end.
      if (source instanceof Readable) source.destroy()
      throw storageFailure(error)
    }
  }

  async #store(path: string, source: LocalFile | Readable): Promise<void> {
    // The file was created in place.
    if (!(source instanceof Readable) && resolve(source.path) === path) return
    const part = `${path}.${randomUUID()}${PART}`
    try {
      const made = makeFolder(dirname(path), 0o700)
      if (!(source instanceof Readable) && source.how === 'move' && !this.#isElsewhere) {
        // The source stays until the blob has its name: a failure may be repeated.
        await Promise.all([made, this.#isDurable && prepared(source)])
        if (await movedWithinDisk(source.path, path)) return
        this.#isElsewhere = true
      }
      await made
      if (source instanceof Readable) await pipeline(source, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
      else await copyFile(source.path, part, constants.COPYFILE_FICLONE)
      if (this.#isDurable && (source instanceof Readable || !source.mayBeLost)) await syncFile(part)
      await rename(part, path)
      if (!(source instanceof Readable) && source.how === 'move') await rm(source.path, { force: true })
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
  }

  async flush(key: string): Promise<void> {
    if (!this.#isDurable) return
    await syncFile(this.#pathOf(key)).catch((error: unknown) => {
      if (unreadable(error).code !== 'NOT_FOUND') throw storageFailure(error)
    })
  }

  async writeAt(key: string, position: number, source: AsyncIterable<Buffer>): Promise<void> {
    const path = this.#pathOf(key)
    try {
      await makeFolder(dirname(path), 0o700)
      const how = { flags: constants.O_RDWR | constants.O_CREAT, mode: 0o600, start: position }
      // The types know only names of flags; with those, an existing file would be emptied, or a new one refused.
      await pipeline(source, createWriteStream(path, how as unknown as { start: number }))
      await syncFile(path)
    } catch (error) {
      throw storageFailure(error)
    }
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    const about = await stat(this.#pathOf(key)).catch((error: unknown) => {
      if (unreadable(error).code === 'NOT_FOUND') return undefined
      throw unreadable(error)
    })
    return about?.isFile() ? { size: about.size, modifiedMs: about.mtimeMs } : undefined
  }

  async whole(key: string, most: number): Promise<WholeBlob> {
    const file = await open(this.#pathOf(key)).catch((error: unknown) => {
      throw unreadable(error)
    })
    let isStreamed = false
    try {
      const first = Buffer.allocUnsafe(Math.min(FIRST_READ_BYTES, most + 1))
      const { bytesRead: begun } = await file.read(first, 0, first.length, 0).catch((error: unknown) => {
        throw unreadable(error)
      })
      // The file is open, so this returns at once; a promise would cost more than the call.
      const about = fstatSync(file.fd)
      const { mtimeMs: modifiedMs } = about
      // A short read means that this is the whole file.
      if (begun < first.length) return { size: begun, modifiedMs, content: first.subarray(0, begun) }
      const { size } = about
      if (!about.isFile()) throw missing()
      if (size <= most) {
        const bytes = Buffer.allocUnsafe(size)
        // A blob never changes in place.
        const { bytesRead } = await file.read(bytes, 0, size, 0)
        if (bytesRead === size) return { size, modifiedMs, content: bytes }
      }
      isStreamed = true
      return { size, modifiedMs, content: file.createReadStream({ start: 0 }) }
    } finally {
      if (!isStreamed) await file.close()
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const file = await open(this.#pathOf(key)).catch((error: unknown) => {
      throw unreadable(error)
    })
    return file.createReadStream(range)
  }

  async borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R> {
    if (!(await this.stat(key))) throw missing()
    return use(this.#pathOf(key))
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key)
    await rm(path, { force: true }).catch((error: unknown) => {
      throw storageFailure(error)
    })
    if (this.#prunes && dirname(path) !== this.#folder) await rmdir(dirname(path)).catch(() => {})
  }

  async *keys(): AsyncIterable<string> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries)
      if (entry.isFile() && !entry.name.endsWith(PART))
        yield relative(this.#folder, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, '/')
  }

  /**
   * Removes incomplete files of a server that was killed.
   * @param minAgeMs spares files that changed within this time, in milliseconds: those that another server is storing
   */
  async removeParts(minAgeMs = 0): Promise<void> {
    const names = await readdir(this.#folder, { recursive: true }).catch(() => [])
    for (const name of names) {
      const path = join(this.#folder, name)
      if (!name.endsWith(PART)) continue
      const changed = minAgeMs > 0 ? await stat(path).catch(() => undefined) : undefined
      // A moved file has its earlier modification time.
      if (changed && Math.max(changed.mtimeMs, changed.ctimeMs) > Date.now() - minAgeMs) continue
      await rm(path, { force: true })
    }
  }

  /** @throws NOT_FOUND for a key that points outside the folder */
  #pathOf(key: string): string {
    const path = resolve(this.#folder, key)
    if (!path.startsWith(this.#folder + sep) || key.includes('\0')) throw missing()
    return path
  }
}

/** A file that was written within this time is new, in milliseconds. */
const NEW_MS = 60_000

/**
 * Flushes a file before it becomes a blob, unless it may be lost. An older one gets the time of now: removals of leftovers
 * spare blobs that were just created, and a moved file has the time of its last write.
 */
async function prepared({ path, mayBeLost }: LocalFile): Promise<void> {
  const now = Date.now()
  const isOld = ({ mtimeMs }: { mtimeMs: number }): boolean => mtimeMs < now - NEW_MS
  if (mayBeLost) {
    if (isOld(await stat(path))) await utimes(path, now / 1000, now / 1000)
    return
  }
  const file = await open(path, 'r+')
  try {
    // The file is open, so this returns at once.
    if (isOld(fstatSync(file.fd))) await file.utimes(now / 1000, now / 1000)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Returns false when the two paths are on different file systems. */
async function movedWithinDisk(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false
    throw error
  }
}
