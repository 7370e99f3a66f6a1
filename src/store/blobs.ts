import type { Readable } from 'node:stream'

/** A part of a blob; both ends belong to it. */
export interface ByteRange {
  start: number
  end: number
}

/** A file on this machine that is kept as it is, or taken away from where it was. */
export interface LocalFile {
  path: string
  how: 'move' | 'copy'
}

/** What is known of a blob without its bytes. */
export interface BlobFacts {
  /** In bytes. */
  size: number
  /** When it was made, in milliseconds since 1970: another blob under the same key has another time. */
  modifiedMs: number
}

/**
 * Bytes under keys, which are names separated by `/`. A reader of a key finds the whole of what was put there last, or
 * nothing.
 */
export interface Blobs {
  /** @throws DISK_FULL; what was there before stays then */
  put(key: string, source: LocalFile | Readable): Promise<void>
  /** Undefined when there is nothing. */
  stat(key: string): Promise<BlobFacts | undefined>
  /** All bytes where they are no more than `most`: for small ones a stream costs more than they do. @throws NOT_FOUND */
  small(key: string, most: number): Promise<{ bytes: Buffer; modifiedMs: number } | undefined>
  /** @throws NOT_FOUND */
  open(key: string, range?: ByteRange): Promise<Readable>
  /**
   * Hands the bytes to `use` as a file on this machine, for programs that read files only. It must not be changed, and may
   * be gone afterwards.
   * @throws NOT_FOUND, and what `use` throws
   */
  borrow<R>(key: string, use: (path: string) => Promise<R>): Promise<R>
  /** Does nothing when there is nothing. */
  remove(key: string): Promise<void>
  /** All keys, in no order. */
  keys(): AsyncIterable<string>
}

/** Where something lies. */
export interface BlobPlace {
  blobs: Blobs
  key: string
}
