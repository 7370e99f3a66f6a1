import type { Readable } from 'node:stream'

/** Byte range of a blob; both ends are inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** A local file to be copied, or moved from its place. */
export interface LocalFile {
  path: string
  how: 'move' | 'copy'
}

/** Metadata of a blob. */
export interface BlobFacts {
  /** In bytes. */
  size: number
  /** Creation time in milliseconds since 1970: a new blob under the same key has another time. */
  modifiedMs: number
}

/**
 * Blob storage. Keys are names separated by `/`. A reader gets the complete blob that was last stored under a key, or
 * nothing.
 */
export interface Blobs {
  /** @throws DISK_FULL; the previous blob is then unchanged */
  put(key: string, source: LocalFile | Readable): Promise<void>
  /** Returns undefined when the blob does not exist. */
  stat(key: string): Promise<BlobFacts | undefined>
  /** Reads a blob of at most `most` bytes at once, which for small blobs is cheaper than a stream. @throws NOT_FOUND */
  small(key: string, most: number): Promise<{ bytes: Buffer; modifiedMs: number } | undefined>
  /** @throws NOT_FOUND */
  open(key: string, range?: ByteRange): Promise<Readable>
  /**
   * Passes a blob to `use` as a local file, for programs that read only files. The file must not be changed, and may be
   * removed afterwards.
   * @throws NOT_FOUND, or the error of `use`
   */
  borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R>
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
