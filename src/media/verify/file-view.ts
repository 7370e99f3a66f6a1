import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes read at once from both ends, which are sufficient for most formats. */
const END_BYTES = 4096

/**
 * Random access to a finished file for structure checks. Synchronous: the checks read a few kilobytes that were just
 * written, which takes less time than a round trip to another thread.
 */
export class FileView {
  readonly size: number
  /** The first bytes, at most 4096. */
  readonly head: Buffer
  /** The last bytes, at most 4096. */
  readonly tail: Buffer
  readonly #descriptor: number

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
    this.size = fstatSync(descriptor).size
    this.head = this.read(0, END_BYTES)
    this.tail = this.size <= END_BYTES ? this.head : this.read(this.size - END_BYTES, END_BYTES)
  }

  /** Opens the file while `use` runs. @throws the system's error when it cannot be read */
  static with<Result>(path: string, use: (file: FileView) => Result): Result {
    const descriptor = openSync(path, 'r')
    try {
      return use(new FileView(descriptor))
    } finally {
      closeSync(descriptor)
    }
  }

  /** Returns up to `length` bytes from offset `at`; fewer at the end of the file, none outside of it. */
  read(at: number, length: number): Buffer {
    if (at < 0 || at >= this.size) return Buffer.alloc(0)
    const bytes = Buffer.allocUnsafe(Math.min(length, this.size - at))
    let filled = 0
    while (filled < bytes.length) {
      const count = readSync(this.#descriptor, bytes, filled, bytes.length - filled, at + filled)
      if (count === 0) break
      filled += count
    }
    return bytes.subarray(0, filled)
  }

  /** The bytes at `at` as Latin-1 text. */
  text(at: number, length: number): string {
    const isHead = at + length <= this.head.length
    return (isHead ? this.head.subarray(at, at + length) : this.read(at, length)).toString('latin1')
  }
}

/**
 * Checks the structure of one format. Returns the problem as the end of the sentence "the result …", or undefined for a
 * complete file.
 */
export type StructureCheck = (file: FileView) => string | undefined

export const INCOMPLETE = 'ends too early'

/** The problem of a file that does not start with its format's signature. */
export const notA = (format: string): string => `does not start like a ${format} file`
