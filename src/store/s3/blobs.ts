import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { S3Bucket } from '../../engines/s3/s3.ts'
import { MediaprocError } from '../../errors.ts'
import { makeFolder } from '../../make-folder.ts'
import type { BlobFacts, Blobs, ByteRange, LocalFile, WholeBlob } from '../blobs.ts'
import { storageFailure } from '../local/atomic-write.ts'

/** The kinds of contents; each has its own folder in a bucket. */
export type BlobKind = 'results' | 'previews' | 'library' | 'inputs'

/** Blobs in a bucket of S3-compatible object storage. */
export class S3Blobs implements Blobs {
  readonly #bucket: S3Bucket
  readonly #prefix: string
  readonly #scratch: string

  /** @param scratch a folder of this process, for blobs that programs read as files */
  constructor(bucket: S3Bucket, kind: BlobKind, scratch: string) {
    this.#bucket = bucket
    this.#prefix = `${kind}/`
    this.#scratch = scratch
  }

  async put(key: string, source: LocalFile | Readable): Promise<void> {
    const isStream = source instanceof Readable
    try {
      await this.#bucket.put(this.#keyOf(key), isStream ? source : createReadStream(source.path))
      if (!isStream && source.how === 'move') await rm(source.path, { force: true })
    } catch (error) {
      // Otherwise what writes to it would wait without end.
      if (isStream) source.destroy()
      throw storageFailure(error)
    }
  }

  async stat(key: string): Promise<BlobFacts | undefined> {
    return this.#bucket.stat(this.#keyOf(key))
  }

  async whole(key: string, most: number): Promise<WholeBlob> {
    const { size, modifiedMs, body } = await this.#bucket.get(this.#keyOf(key))
    return { size, modifiedMs, content: size <= most ? await buffer(body) : body }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    return (await this.#bucket.get(this.#keyOf(key), range)).body
  }

  async borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R> {
    const { body } = await this.#bucket.get(this.#keyOf(key))
    const folder = join(this.#scratch, `borrowed-${randomUUID()}`)
    // Programs may look at the extension.
    const path = join(folder, key.slice(key.lastIndexOf('/') + 1))
    try {
      await makeFolder(folder, 0o700)
      await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
        throw storageFailure(error)
      })
      return await use(path)
    } finally {
      body.destroy()
      await rm(folder, { recursive: true, force: true })
    }
  }

  async remove(key: string): Promise<void> {
    await this.#bucket.remove(this.#keyOf(key))
  }

  async *keys(): AsyncIterable<string> {
    for await (const key of this.#bucket.keys(this.#prefix)) yield key.slice(this.#prefix.length)
  }

  get presigned(): Blobs['presigned'] {
    if (!this.#bucket.presigns) return undefined
    return (key, options) => this.#bucket.presigned(this.#keyOf(key), options)
  }

  /** @throws NOT_FOUND for a key that is no path below the folder of this kind */
  #keyOf(key: string): string {
    const names = key.split('/')
    if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
      throw new MediaprocError('NOT_FOUND', 'The file is not there any more')
    return this.#prefix + key
  }
}
