import { JsonNumber } from '../../../src/engines/documents/json.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { limitExceeded } from '../../../src/limit-exceeded.ts'

/** Limit on the output (catalogue: 50 MiB), characters: aliases can expand a small document to a huge one. */
const MAX_LENGTH = 50 * 1024 * 1024
const MAX_DEPTH = 500

/**
 * A YAML value as JSON, indented by two spaces. Maps keep the order of their keys, which objects do not for keys such
 * as 2024; numbers and times stay as written; a set becomes a map to null.
 * @throws LIMIT_EXCEEDED when the text exceeds 50 MiB
 */
export function jsonText(value: unknown, name: string): string {
  const parts: string[] = []
  let length = 0
  const put = (text: string): void => {
    length += text.length
    if (length > MAX_LENGTH)
      throw limitExceeded(`${name} becomes more than ${MAX_LENGTH / 1024 / 1024} MiB of JSON`, {
        hint: 'Split the file first.',
      })
    parts.push(text)
  }
  const list = (open: string, close: string, items: readonly (() => void)[], depth: number): void => {
    if (depth > MAX_DEPTH)
      throw limitExceeded(`${name} is nested more than ${MAX_DEPTH} deep`, {
        hint: 'Flatten it first.',
      })
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
    } else if (one instanceof Set) write(new Map([...one].map((key) => [key, null])), depth)
    else if (one instanceof Map) {
      const keys = new Set<string>()
      const items = [...one].map(([key, item]) => () => {
        const text = keyOf(key, name)
        // 1 and "1" are two different keys in YAML.
        if (keys.has(text))
          throw new MediaprocError(
            'PROCESSING_FAILED',
            `${name} has two keys that are the same in JSON: ${JSON.stringify(text)}`,
          )
        keys.add(text)
        put(`${JSON.stringify(text)}: `)
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
  // JSON cannot represent NaN and infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  return JSON.stringify(value ?? null)
}

function keyOf(key: unknown, name: string): string {
  if (key instanceof JsonNumber) return key.text
  if (typeof key === 'object' && key !== null)
    throw new MediaprocError('PROCESSING_FAILED', `${name} has a list or a map as a key, which JSON does not support`)
  return String(key)
}
