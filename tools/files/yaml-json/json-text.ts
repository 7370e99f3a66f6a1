import { JsonNumber } from '../../../src/engines/json.ts'
import { MediaprocError } from '../../../src/errors.ts'

/** Aliases may make a small document a huge one (catalogue: 50 MiB), in characters. */
const MAX_LENGTH = 50 * 1024 * 1024
const MAX_DEPTH = 500

/**
 * A value of YAML as JSON, indented by two spaces. Maps keep the order of their keys, which objects do not for keys such as
 * 2024; numbers stay as they are written; times are ISO 8601.
 * @throws LIMIT_EXCEEDED when the text grows beyond 50 MiB
 */
export function jsonText(value: unknown, name: string): string {
  const parts: string[] = []
  let length = 0
  const put = (text: string): void => {
    length += text.length
    if (length > MAX_LENGTH)
      throw new MediaprocError('LIMIT_EXCEEDED', `${name} becomes more than ${MAX_LENGTH / 1024 / 1024} MiB of JSON`)
    parts.push(text)
  }
  const list = (open: string, close: string, items: readonly (() => void)[], depth: number): void => {
    if (depth > MAX_DEPTH) throw new MediaprocError('LIMIT_EXCEEDED', `${name} is nested more than ${MAX_DEPTH} deep`)
    const indent = `\n${'  '.repeat(depth + 1)}`
    put(open)
    for (const [index, item] of items.entries()) {
      put(`${index > 0 ? ',' : ''}${indent}`)
      item()
    }
    put(items.length > 0 ? `\n${'  '.repeat(depth)}${close}` : close)
  }
  const write = (one: unknown, depth: number): void => {
    if (Array.isArray(one)) {
      const items = one.map((item) => () => write(item, depth + 1))
      list('[', ']', items, depth)
    } else if (one instanceof Map) {
      const items = [...one].map(([key, item]) => () => {
        put(`${JSON.stringify(keyOf(key, name))}: `)
        write(item, depth + 1)
      })
      list('{', '}', items, depth)
    } else put(scalar(one))
  }
  write(value, 0)
  return parts.join('')
}

function scalar(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof JsonNumber) return value.text
  // JSON has no name for what is no number.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  return JSON.stringify(value ?? null)
}

function keyOf(key: unknown, name: string): string {
  if (key instanceof JsonNumber) return key.text
  if (typeof key === 'object' && key !== null && !(key instanceof Date))
    throw new MediaprocError('PROCESSING_FAILED', `${name} has a list or a map as a key, which JSON does not know`)
  return key instanceof Date ? key.toISOString() : String(key)
}
