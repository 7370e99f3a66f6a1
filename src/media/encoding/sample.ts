import { isAscii } from 'node:buffer'

/** Bytes of ordinary lines: more give no further information. */
const USUAL = 64 * 1024
/** Maximum length of a line segment. */
const LINE = 4 * 1024

/**
 * Collects the lines of a text that reveal its encoding: each distinct line with non-ASCII bytes, up to the size limit;
 * beyond it, only lines with a byte that no previous line had.
 */
export class EncodingSample {
  readonly #lines = new Set<string>()
  readonly #seen = new Uint8Array(256)
  #length = 0

  /** Adds whole lines, in any number of chunks. */
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
    let isReporting = false
    for (const byte of bytes) {
      if (byte < 128) continue
      isReporting = true
      isNew ||= this.#seen[byte] === 0
    }
    if (!isReporting || (!isNew && this.#length > USUAL)) return
    const line = Buffer.from(bytes).toString('latin1')
    if (this.#lines.has(line)) return
    for (const byte of bytes) this.#seen[byte] = 1
    this.#lines.add(line)
    this.#length += bytes.length
  }
}
