import { extname } from 'node:path'
import { cutToBytes } from '../utf8.ts'

/** Longest stored name, in bytes of UTF-8. */
const MAX_BYTES = 200
/** Longest stored extension, in bytes of UTF-8. */
const MAX_EXTENSION_BYTES = 20
/** Characters used of either end of a longer name, in UTF-16 units: Unicode normalization takes quadratic time. */
const MAX_END = 1024

/** Removes the middle of a name that is longer than any stored name. */
function withoutMiddle(name: string): string {
  if (name.length <= 2 * MAX_END) return name
  // A buffer cannot hold a lone surrogate.
  return Buffer.from(name.slice(0, MAX_END)).toString() + Buffer.from(name.slice(-MAX_END)).toString()
}

/**
 * Sanitizes the name of an upload: removes folders, control characters, characters that change the text direction, and
 * `..`; at most 200 bytes with the extension kept; `upload` if nothing is left.
 */
export function safeFileName(given: string | undefined): string {
  const path = given ?? ''
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const clean = withoutMiddle(base)
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\.{2,}/g, '.')
    // The lookbehind tries a run within the name once, and not from each of its characters.
    .replace(/^\s+|(?<![\s.])[\s.]+$/g, '')
  if (clean === '' || clean === '.') return 'upload'
  if (Buffer.byteLength(clean) <= MAX_BYTES) return clean
  const extension = cutToBytes(extname(clean), MAX_EXTENSION_BYTES)
  const stem = clean.slice(0, clean.length - extname(clean).length)
  return cutToBytes(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension
}
