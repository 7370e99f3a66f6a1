import { ATTRIBUTE, TEXT } from '../../../src/engines/xml.ts'

type Element = Record<string, unknown>

const isElement = (value: unknown): value is Element =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The rows of a document: the first elements that repeat, depth first in their order; where none repeats, the first element
 * with plain values only.
 */
export function recordsIn(document: Element): Element[] | undefined {
  return repeated(document) ?? plain(document)
}

function repeated(value: unknown): Element[] | undefined {
  // Elements without attributes and children are read as their bare text.
  if (Array.isArray(value))
    return value.some(isElement) ? value.map((one) => (isElement(one) ? one : { [TEXT]: one })) : undefined
  if (!isElement(value)) return undefined
  for (const [key, child] of Object.entries(value)) {
    if (key === '?xml') continue
    const found = repeated(child)
    if (found) return found
  }
  return undefined
}

function plain(value: unknown): Element[] | undefined {
  if (!isElement(value)) return undefined
  const entries = Object.entries(value).filter(([key]) => key !== '?xml')
  if (entries.length > 0 && entries.every(([, child]) => typeof child !== 'object' || child === null))
    return [Object.fromEntries(entries)]
  for (const [, child] of entries) {
    const found = plain(child)
    if (found) return found
  }
  return undefined
}

/** The column of a key: attributes and text lose their marks, unless a child has that name. */
function columnOf(key: string, record: Element): string {
  const bare = key === TEXT ? 'text' : key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : key
  return bare !== key && Object.hasOwn(record, bare) ? key : bare
}

/** Records as a table: all columns in the order in which they first appear, nested values as compact JSON. */
export function tableOf(records: readonly Element[]): { fields: string[]; rows: string[][] } {
  const named = records.map(
    (record) => new Map(Object.entries(record).map(([key, value]) => [columnOf(key, record), cellOf(value)])),
  )
  const fields = [...new Set(named.flatMap((record) => [...record.keys()]))]
  return { fields, rows: named.map((record) => fields.map((field) => record.get(field) ?? '')) }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
