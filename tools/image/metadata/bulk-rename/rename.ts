import { extname } from 'node:path'
import { stemOf } from '../../../../src/media/file.ts'
import { uniqueNames } from '../../../../src/media/unique-names.ts'
import { cutToBytes } from '../../../../src/utf8.ts'

export interface RenameOptions {
  pattern: string
  /** The number of the first file. */
  startIndex: number
  /** Minimum number of digits of {n}. */
  padding: number
  /** The date for {date}. */
  now: Date
}

/** The longest name that file systems allow, minus space for a number that makes names unique. In bytes. */
const MAX_NAME_BYTES = 245

/** Device names reserved by Windows, whatever their extension. */
const DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i

/**
 * A name without extension that is valid on every common file system: no folders, no control characters, not hidden.
 */
function safeStem(stem: string): string {
  const visible = stem
    .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[/\\:*?"<>|]/g, '_')
  const trimmed = visible.replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '')
  if (trimmed === '') return 'file'
  return DEVICES.test(trimmed) ? `_${trimmed}` : trimmed
}

/** Shortens the stem, at whole characters, until the name fits. */
function shortened(stem: string, extension: string): string {
  const [first] = stem
  return (cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(extension)) || first!) + extension
}

/**
 * Expands the pattern for one file: placeholders with two braces first, unknown ones stay as typed (catalogue:
 * bulk-rename).
 */
function expanded(
  { pattern, startIndex, padding, now }: RenameOptions,
  original: string,
  at: number,
  count: number,
): string {
  const index = String(startIndex + at)
  const digits = String(count + startIndex).length
  const double: Record<string, string> = { index, padded: index.padStart(digits, '0'), original }
  const single: Record<string, string> = {
    n: index.padStart(padding, '0'),
    original,
    date: now.toISOString().slice(0, 10),
  }
  const simple = (typed: string, name: string): string => (Object.hasOwn(single, name) ? single[name]! : typed)
  // In a single pass, so that braces in an original name are not expanded again.
  return pattern.replace(/\{\{(\w+)\}\}|\{(\w+)\}/g, (typed, two?: string, one?: string) => {
    if (two === undefined) return simple(typed, one!)
    return Object.hasOwn(double, two) ? double[two]! : `{${simple(`{${two}}`, two)}}`
  })
}

/** New names for files, in order; each keeps its extension, and all are unique. */
export function renamed(names: readonly string[], options: RenameOptions): string[] {
  const wanted = names.map((name, at) => {
    const extension = extname(name).replace(/[\u0000-\u001f\u007f-\u009f:*?"<>|\\]/g, '')
    return shortened(safeStem(expanded(options, stemOf(name), at, names.length)), extension)
  })
  return uniqueNames(wanted, { first: 2 })
}
