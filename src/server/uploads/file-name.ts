import { extname } from 'node:path'
import { cutToBytes } from '../../utf8.ts'

/** Longest name that is kept, in bytes of UTF-8. */
const MAX_BYTES = 200
/** Longest extension that is kept, in bytes of UTF-8. */
const MAX_EXTENSION_BYTES = 20
/** So much of either end of a longer name is looked at, in UTF-16 units: composing takes the square of what it is given. */
const MAX_END = 1024

/** A name without its middle where it is longer than any that could be kept. */
function withoutMiddle(name: string): string {
  if (name.length <= 2 * MAX_END) return name
  // A buffer holds no half of a surrogate pair.
  return Buffer.from(name.slice(0, MAX_END)).toString() + Buffer.from(name.slice(-MAX_END)).toString()
}

/**
 * The name of an upload as it is used: without folders, control characters, characters that turn the direction of text,
 * or `..`; at most 200 bytes with the extension kept; `upload` when nothing is left.
 */
export function safeFileName(given: string | undefined): string {
  const path = given ?? ''
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const clean = withoutMiddle(base)
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\.{2,}/g, '.')
    // Looking behind, a run within the name is tried once and not from each of its characters.
    .replace(/^\s+|(?<![\s.])[\s.]+$/g, '')
  if (clean === '' || clean === '.') return 'upload'
  if (Buffer.byteLength(clean) <= MAX_BYTES) return clean
  const extension = cutToBytes(extname(clean), MAX_EXTENSION_BYTES)
  const stem = clean.slice(0, clean.length - extname(clean).length)
  return cutToBytes(stem, MAX_BYTES - Buffer.byteLength(extension)) + extension
}
