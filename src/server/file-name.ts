import { extname } from 'node:path'

/** Longest name that is kept, in bytes of UTF-8. */
const MAX_BYTES = 200

function cut(text: string, bytes: number): string {
  let kept = text
  while (Buffer.byteLength(kept) > bytes) kept = Array.from(kept).slice(0, -1).join('')
  return kept
}

/**
 * The name of an upload as it is used: without folders, control characters, characters that turn the direction of text,
 * or `..`; at most 200 bytes with the extension kept; `upload` when nothing is left.
 */
export function safeFileName(given: string | undefined): string {
  const base = (given ?? '').split(/[/\\]/).at(-1)!
  const clean = base
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\.{2,}/g, '.')
    .replace(/^\s+|[\s.]+$/g, '')
  if (clean === '' || clean === '.') return 'upload'
  if (Buffer.byteLength(clean) <= MAX_BYTES) return clean
  const extension = cut(extname(clean), 20)
  return cut(clean.slice(0, clean.length - extname(clean).length), MAX_BYTES - Buffer.byteLength(extension)) + extension
}
