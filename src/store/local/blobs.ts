import { randomUUID } from 'node:crypto'
import { constants, createWriteStream, fstatSync } from 'node:fs'
import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { BlobFacts, Blobs, ByteRange, LocalFile } from '../blobs.ts'
import { storageFailure, syncFile } from './atomic-write.ts'

/** Size of the first read: most small results fit in it, without a query of their size. */
const FIRST_READ_BYTES = 64 * 1024

/** Suffix of incomplete files. */
const PART = '.part'

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'The file is not there any more')

/** Blobs as files below a folder; a key is the path of its file. */
export class FileBlobs implements Blobs {
  readonly #folder: string
  readonly #isDurable: boolean

  /** @param isDurable whether stored blobs must survive a power failure */
  constructor(folder: string, { isDurable = false } = {}) {
    this.#folder = resolve(folder)
    this.#isDurable = isDurable
  }

  async put(key: string, source: LocalFile | Readable): Promise<void> {
    const path = this.#pathOf(key)
    // The file was created in place.
    if (!(source instanceof Readable) && resolve(source.path) === path) return
    const part = `${path}.${randomUUID()}${PART}`
    try {
      await makeFolder(dirname(path), 0o700)
      if (source instanceof Readable) await pipeline(source, createWriteStream(part, { flags: 'wx', mode: 0o600 }))
      else if (source.how === 'copy' || !(await movedWithinDisk(source.path, part)))
        await copyFile(source.path, part, constants.COPYFILE_FICLONE)
      if (this.#isDurable) await syncFile(part)
      await rename(part, path)
      if (!(source instanceof Readable) && source.how === 'move') await rm(source.path, { force: true })
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw storageFailure(error)
    }
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    const about = await stat(this.#pathOf(key)).catch(() => undefined)
    return about?.isFile() ? { size: about.size, modifiedMs: about.mtimeMs } : undefined
  }

  async small(key: string, most: number): Promise<{ bytes: Buffer; modifiedMs: number } | undefined> {
    const file = await open(this.#pathOf(key)).catch(() => {
      throw missing()
    })
    try {
      const first = Buffer.allocUnsafe(Math.min(FIRST_READ_BYTES, most + 1))
      const { bytesRead: begun } = await file.read(first, 0, first.length, 0).catch(() => {
        throw missing()
      })
      // The file is open, so this returns at once; a promise would cost more than the call.
      const about = fstatSync(file.fd)
      const { mtimeMs: modifiedMs } = about
      // A short read means that this is the whole file.
      if (begun < first.length) return { bytes: first.subarray(0, begun), modifiedMs }
      if (!about.isFile()) throw missing()
      if (about.size > most) return undefined
      const bytes = Buffer.allocUnsafe(about.size)
      // A blob never changes in place.
      const { bytesRead } = await file.read(bytes, 0, about.size, 0)
      return bytesRead === about.size ? { bytes, modifiedMs } : undefined
    } finally {
      await file.close()
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const file = await open(this.#pathOf(key)).catch(() => {
      throw missing()
    })
    return file.createReadStream(range)
  }

  async borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R> {
    if (!(await this.stat(key))) throw missing()
    return use(this.#pathOf(key))
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true }).catch((error: unknown) => {
      throw storageFailure(error)
    })
  }

  async *keys(): AsyncIterable<string> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries)
      if (entry.isFile() && !entry.name.endsWith(PART))
        yield relative(this.#folder, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, '/')
  }

  /** Removes incomplete files of a server that was killed. No blob may be stored at the same time. */
  async removeParts(): Promise<void> {
    const names = await readdir(this.#folder, { recursive: true }).catch(() => [])
    for (const name of names) if (name.endsWith(PART)) await rm(join(this.#folder, name), { force: true })
  }

  /** @throws NOT_FOUND for a key that points outside the folder */
  #pathOf(key: string): string {
    const path = resolve(this.#folder, key)
    if (!path.startsWith(this.#folder + sep) || key.includes('\0')) throw missing()
    return path
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
