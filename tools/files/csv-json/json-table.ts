import { MediaprocError } from '../../../src/errors.ts'

import { markedKey, plainJson, plainKey } from './ordered-json.ts'

type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * JSON as rows of a table: an array of objects; an object with one key that holds such an array; or a flat object of
 * plain values, which becomes rows of key and value. Everything else is refused.
 */
export function recordsOf(value: unknown, name: string): JsonObject[] {
  const refuse = (why: string): never => {
    throw new MediaprocError('PROCESSING_FAILED', `${name} is no table: ${why}`, {
      hint: 'Expected an array of objects, an object with one such array, or a flat object.',
    })
  }
  if (Array.isArray(value)) {
    const other = value.findIndex((item) => !isObject(item))
    if (other >= 0) refuse(`item ${other + 1} of the array is not an object`)
    return value as JsonObject[]
  }
  if (!isObject(value)) return refuse('it is a single value')
  const entries = Object.entries(value)
  const nested = entries.filter(([, item]) => Array.isArray(item) || isObject(item))
  if (nested.length === 0)
    return entries.map(([key, item]) => ({ [markedKey('key')]: plainKey(key), [markedKey('value')]: item }))
  if (entries.length === 1 && Array.isArray(nested[0]![1])) return recordsOf(nested[0]![1], name)
  return refuse(`it has ${entries.length} keys, and ${nested.length} of them hold arrays or objects`)
}

/** A value as the text of one cell: nested ones as compact JSON, null and missing as nothing. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? plainJson(value) : String(value)
}
