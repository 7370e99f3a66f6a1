import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { MediaprocError } from '../../../src/errors.ts'
import type { BlobFacts, Blobs, ByteRange, LocalFile, WholeBlob } from '../../../src/store/blobs.ts'

const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'There is no such blob')

/** @throws NOT_FOUND for a key that is not a list of names */
function checked(key: string): string {
  if (key.includes('\0') || key.split('/').some((name) => ['', '.', '..'].includes(name))) throw missing()
  return key
}

/** Bytes under keys, without a folder: code that expects files finds nothing. */
export class MemoryBlobs implements Blobs {
  readonly #bytes = new Map<string, Buffer>()

  async put(key: string, source: LocalFile | Readable): Promise<void> {
    try {
      checked(key)
      this.#bytes.set(key, source instanceof Readable ? await buffer(source) : await readFile(source.path))
      if (!(source instanceof Readable) && source.how === 'move') await rm(source.path)
    } catch (cause) {
      if (source instanceof Readable) source.destroy()
      if (cause instanceof MediaprocError) throw cause
      throw new MediaprocError('INTERNAL', undefined, { cause })
    }
  }

  #get(key: string): Buffer {
    const bytes = this.#bytes.get(checked(key))
    if (!bytes) throw missing()
    return bytes
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    const bytes = this.#bytes.get(checked(key))
    return bytes && { size: bytes.length, modifiedMs: 0 }
  }

  async whole(key: string, most: number): Promise<WholeBlob> {
    const bytes = this.#get(key)
    return { size: bytes.length, modifiedMs: 0, content: bytes.length > most ? Readable.from([bytes]) : bytes }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const bytes = this.#get(key)
    return Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes])
  }

  async borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R> {
    const bytes = this.#get(key)
    const path = join(tmpdir(), `mediaproc-borrowed-${randomUUID()}`)
    await writeFile(path, bytes, { mode: 0o600 })
    try {
      return await use(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  async remove(key: string): Promise<void> {
    this.#bytes.delete(checked(key))
  }

  async *keys(): AsyncIterable<string> {
    yield* [...this.#bytes.keys()]
  }
}
