import { isDeepStrictEqual } from 'node:util'
import { jsonOf } from '../postgres/access.ts'

const normalized = (record: unknown): unknown => JSON.parse(jsonOf(record))

/**
 * Compares a record with its copy. PostgreSQL has no NUL in texts, and no half surrogates: they are U+FFFD there.
 * @returns `altered` if only such characters differ
 */
export function compared(record: unknown, copy: unknown): 'same' | 'altered' | 'different' {
  if (isDeepStrictEqual(record, copy)) return 'same'
  return isDeepStrictEqual(normalized(record), normalized(copy)) ? 'altered' : 'different'
}
