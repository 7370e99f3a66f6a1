import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { checkedDownload } from './download.ts'
import { missing, storageFailure } from './failure.ts'
import { clientConfig, LIMITS, type Limits, type PresignedOptions, type S3Options } from './options.ts'
import type { Packages } from './packages.ts'

/** Parts of an upload, in bytes: 10,000 are the most, so objects have up to 80 GiB. */
const PART_BYTES = 8 * 1024 * 1024
/** Parts that are sent at the same time. With the one that is being filled, these are the memory of an upload. */
const PARTS_AT_ONCE = 2
/** The time of storing in milliseconds since 1970: the storage itself only has seconds. */
const CREATED = 'created'

export interface ObjectFacts {
  /** In bytes. */
  size: number
  modifiedMs: number
}

// Not called Bucket: TypeScript 7.0.2 would rename properties of that name in this class to its alias _a.
/** A bucket whose keys begin with the prefix of the options; callers do not see it. Errors are ours. */
export class S3Bucket {
  readonly #options: S3Options
  readonly #packages: Packages
  readonly #client: S3Client
  readonly #limits: Limits

  constructor(options: S3Options, packages: Packages, limits: Partial<Limits>) {
    this.#limits = { ...LIMITS, ...limits }
    this.#options = options
    this.#packages = packages
    this.#client = new packages.client.S3Client(clientConfig(options, this.#limits))
  }

  /** Whether clients may be sent to the storage. */
  get presigns(): boolean {
    return this.#options.presign
  }

  /** Limits the time of a request with all its attempts. */
  #quickly(ms = this.#limits.quickMs): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(ms) }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key: this.#options.prefix + key }
  }

  /** Stores a stream; other readers see the former object until the last byte is stored. */
  async put(key: string, body: Readable): Promise<void> {
    const created = (performance.timeOrigin + performance.now()).toFixed(3)
    let failure: unknown
    body.once('error', (error) => {
      failure = error
    })
    const upload = new this.#packages.upload.Upload({
      client: this.#client,
      params: {
        ...this.#at(key),
        Body: body,
        ContentType: 'application/octet-stream',
        Metadata: { [CREATED]: created },
      },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    })
    try {
      await upload.done()
    } catch (error) {
      // What the source reports is its own; the storage may be well.
      const { name, code } = error as { name?: string; code?: string }
      if (error === failure || code === 'ERR_STREAM_PREMATURE_CLOSE') throw error
      // The answer to the last request was lost: repeated, it finds no upload any more.
      if (name !== 'NoSuchUpload' || (await this.stat(key))?.modifiedMs !== Number(created)) throw storageFailure(error)
    } finally {
      body.destroy()
    }
  }

  async stat(key: string): Promise<ObjectFacts | undefined> {
    try {
      const found = await this.#client.send(new this.#packages.client.HeadObjectCommand(this.#at(key)), this.#quickly())
      return factsOf(found)
    } catch (error) {
      const failure = storageFailure(error)
      if (failure.code === 'NOT_FOUND') return undefined
      throw failure
    }
  }

  /**
   * Reads an object. The stream ends with an error if the connection is cut, and ends the request when it is destroyed.
   * @param range bytes, both ends inclusive
   * @throws NOT_FOUND
   */
  async get(key: string, range?: { start: number; end: number }): Promise<ObjectFacts & { body: Readable }> {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.#limits.quickMs)
    const part = range && { Range: `bytes=${range.start}-${range.end}` }
    try {
      const command = new this.#packages.client.GetObjectCommand({ ...this.#at(key), ...part })
      const found = await this.#client.send(command, { abortSignal: stop.signal })
      const body = found.Body as Readable
      const { size, modifiedMs } = factsOf(found)
      const checked = checkedDownload(body, size, () => stop.abort(), this.#limits.idleMs)
      if (!range || found.ContentRange?.startsWith(`bytes ${range.start}-`)) return { size, modifiedMs, body: checked }
      checked.destroy()
      throw new Error('The storage ignored the range of a request')
    } catch (error) {
      const { name } = error as { name?: string }
      // Nothing of the object is in the range.
      if (name === 'InvalidRange') return { size: 0, modifiedMs: 0, body: Readable.from([]) }
      throw name === 'NoSuchKey' ? missing() : storageFailure(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Does nothing when the object does not exist. */
  async remove(key: string): Promise<void> {
    await this.#client
      .send(new this.#packages.client.DeleteObjectCommand(this.#at(key)), this.#quickly())
      .catch((error: unknown) => {
        const failure = storageFailure(error)
        if (failure.code !== 'NOT_FOUND') throw failure
      })
  }

  /** All keys that begin with `prefix`. */
  async *keys(prefix: string): AsyncIterable<string> {
    const { Bucket, Key } = this.#at(prefix)
    let token: string | undefined
    do {
      const command = new this.#packages.client.ListObjectsV2Command({ Bucket, Prefix: Key, ContinuationToken: token })
      const page = await this.#client.send(command, this.#quickly()).catch((error: unknown) => {
        throw storageFailure(error)
      })
      for (const { Key: found } of page.Contents ?? []) if (found) yield found.slice(this.#options.prefix.length)
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  /** Whether the bucket answers now. */
  async ping(): Promise<boolean> {
    const command = new this.#packages.client.HeadBucketCommand({ Bucket: this.#options.bucket })
    return this.#client.send(command, this.#quickly(this.#limits.pingMs)).then(
      () => true,
      () => false,
    )
  }

  /** Lists, writes, reads and removes once. The errors are the SDK's. */
  async check(): Promise<void> {
    const { client } = this.#packages
    const at = this.#at(`.write-test-${randomUUID()}`)
    await this.#client.send(new client.ListObjectsV2Command({ Bucket: at.Bucket, MaxKeys: 1 }), this.#quickly())
    await this.#client.send(new client.PutObjectCommand({ ...at, Body: Buffer.from('x') }), this.#quickly())
    await this.#client.send(new client.HeadObjectCommand(at), this.#quickly())
    await this.#client.send(new client.DeleteObjectCommand(at), this.#quickly())
  }

  /** An address from which the object can be downloaded without credentials for some time. */
  presigned(key: string, { disposition, mime, seconds }: PresignedOptions): Promise<string> {
    const shown = { ResponseContentDisposition: disposition, ResponseContentType: mime }
    const command = new this.#packages.client.GetObjectCommand({ ...this.#at(key), ...shown })
    return this.#packages.presigner.getSignedUrl(this.#client, command, { expiresIn: seconds })
  }

  close(): void {
    this.#client.destroy()
  }
}

function factsOf(found: {
  ContentLength?: number | undefined
  LastModified?: Date | undefined
  Metadata?: Record<string, string> | undefined
}): ObjectFacts {
  const created = Number(found.Metadata?.[CREATED])
  return { size: found.ContentLength ?? 0, modifiedMs: created || (found.LastModified?.getTime() ?? 0) }
}
