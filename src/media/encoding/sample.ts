import { isAscii } from 'node:buffer'

/** Bytes of usual lines: more tell nothing new. */
const USUAL = 64 * 1024
/** The longest part of a line. */
const LINE = 4 * 1024

/**
 * The lines of a text that tell its encoding: each line with bytes beyond ASCII once, as far as they fit; behind that
 * those with a byte that no line had before.
 */
export class EncodingSample {
  readonly #lines = new Set<string>()
  readonly #seen = new Uint8Array(256)
  #length = 0

  /** Whole lines, in any number of pieces. */
  add(bytes: Uint8Array): void {
    if (isAscii(bytes)) return
    for (let start = 0; start < bytes.length; ) {
      const feed = bytes.indexOf(10, start)
      const end = feed < 0 ? bytes.length : feed + 1
      for (let from = start; from < end; from += LINE) this.#line(bytes.subarray(from, Math.min(end, from + LINE)))
      start = end
    }
  }

  get bytes(): Buffer {
    return Buffer.from([...this.#lines].join(''), 'latin1')
  }

  #line(bytes: Uint8Array): void {
    let isNew = false
    let isTelling = false
    for (const byte of bytes) {
      if (byte < 128) continue
      isTelling = true
      isNew ||= this.#seen[byte] === 0
    }
    if (!isTelling || (!isNew && this.#length > USUAL)) return
    const line = Buffer.from(bytes).toString('latin1')
    if (this.#lines.has(line)) return
    for (const byte of bytes) this.#seen[byte] = 1
    this.#lines.add(line)
    this.#length += bytes.length
  }
}
