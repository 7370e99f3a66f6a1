import type { Readable } from 'node:stream'
import type { PresignedOptions } from '../engines/s3/s3.ts'

/** Byte range of a blob; both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** A local file to be copied, or moved from its place. */
export interface LocalFile {
  path: string
  how: 'move' | 'copy'
  /** A power failure may damage the blob until `flush`. */
  mayBeLost?: boolean
}

/** Metadata of a blob. */
export interface BlobFacts {
  /** In bytes. */
  size: number
  /** Creation time in milliseconds since 1970: a new blob under the same key has another time. */
  modifiedMs: number
}

/** A blob that is read from its begin to its end. A stream must be read or destroyed. */
export interface WholeBlob extends BlobFacts {
  content: Buffer | Readable
}

/**
 * Blob storage. Keys are names separated by `/`. A reader gets the complete blob that was last stored under a key, or
 * nothing.
 */
export interface Blobs {
  /** A stream is destroyed by a failure. @throws DISK_FULL; the previous blob is then unchanged */
  put(key: string, source: LocalFile | Readable): Promise<void>
  /** Makes blobs with `mayBeLost` as durable as the others; one that does not exist is ignored. Absent where all are. */
  readonly flush?: (key: string) => Promise<void>
  /**
   * Writes bytes into a blob from a position on, which extends it; absent where blobs cannot change.
   * @throws DISK_FULL, or the error of the source; the bytes before the position are then unchanged
   */
  readonly writeAt?: (key: string, position: number, source: AsyncIterable<Buffer>) => Promise<void>
  /** Returns undefined when the blob does not exist. */
  stat(key: string): Promise<BlobFacts | undefined>
  /**
   * Opens a whole blob with its metadata, which is cheaper than `stat` and `open`. One of at most `most` bytes is read at once.
   * @throws NOT_FOUND
   */
  whole(key: string, most: number): Promise<WholeBlob>
  /** @throws NOT_FOUND */
  open(key: string, range?: ByteRange): Promise<Readable>
  /**
   * Passes a blob to `use` as a local file, for programs that read only files. The file must not be changed, and may be
   * removed afterwards.
   * @throws NOT_FOUND, or the error of `use`
   */
  borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R>
  /** An address from which everyone who has it can download a blob for some time; absent where there is none. */
  readonly presigned?: ((key: string, options: PresignedOptions) => Promise<string>) | undefined
  /** Does nothing when the blob does not exist. */
  remove(key: string): Promise<void>
  /** All keys, in arbitrary order. */
  keys(): AsyncIterable<string>
}

/** Location of a blob. */
export interface BlobPlace {
  blobs: Blobs
  key: string
}
