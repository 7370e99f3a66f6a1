import { JsonNumber, type JsonObject, type JsonValue, jsonText } from '../../../src/engines/documents/json.ts'
import { ATTRIBUTE, TEXT } from '../../../src/engines/xml.ts'

/** The rows of a document, and the list or element they come from. */
interface Records {
  rows: JsonObject[]
  source: JsonValue
}

const isElement = (value: JsonValue): value is JsonObject => value instanceof Map
const isMarkup = (key: string): boolean => key.startsWith('?')

/**
 * The rows of a document: the first elements that repeat, depth first in document order; if none repeats, the first
 * element with only plain values.
 */
export function recordsIn(document: JsonObject): Records | undefined {
  return repeated(document) ?? plain(document)
}

function repeated(value: JsonValue): Records | undefined {
  // Elements without attributes and children are read as their bare text.
  if (Array.isArray(value)) {
    if (!value.some(isElement)) return undefined
    return { rows: value.map((one) => (isElement(one) ? one : new Map([[TEXT, one]]))), source: value }
  }
  if (!isElement(value)) return undefined
  for (const [key, child] of value) {
    const found = isMarkup(key) ? undefined : repeated(child)
    if (found) return found
  }
  return undefined
}

function plain(value: JsonValue): Records | undefined {
  if (!isElement(value)) return undefined
  const entries = [...value].filter(([key]) => !isMarkup(key))
  if (entries.length > 0 && entries.every(([, child]) => !isElement(child) && !Array.isArray(child)))
    return { rows: [new Map(entries)], source: value }
  for (const [, child] of entries) {
    const found = plain(child)
    if (found) return found
  }
  return undefined
}

/** Attributes that control how a document is read and are not data. */
const TECHNICAL = new RegExp(`^${ATTRIBUTE}(?:xmlns$|xmlns:|xsi:|xml:)`)

/** The names of values that are in none of the rows, each once. */
export function leftOut(document: JsonObject, { source }: Records): string[] {
  const names: string[] = []
  const visit = (value: JsonValue, name: string): void => {
    if (value === source) return
    if (Array.isArray(value)) for (const item of value) visit(item, name)
    else if (isElement(value)) {
      for (const [key, child] of value)
        if (!isMarkup(key) && !TECHNICAL.test(key)) visit(child, key === TEXT ? name : key.replace(ATTRIBUTE, ''))
    } else if (value !== '') names.push(name)
  }
  visit(document, '')
  return names
}

/** The column of a key: attributes and text lose their markers, unless a child has that name. */
function columnOf(key: string, record: JsonObject): string {
  const bare = key === TEXT ? 'text' : key.startsWith(ATTRIBUTE) ? key.slice(ATTRIBUTE.length) : key
  return bare !== key && record.has(bare) ? key : bare
}

/** Records as a table: all columns in order of first appearance, nested values as compact JSON. */
export function tableOf(records: readonly JsonObject[]): { fields: string[]; rows: string[][] } {
  const named = records.map(
    (record) => new Map([...record].map(([key, value]) => [columnOf(key, record), cellOf(value)])),
  )
  const fields = [...new Set(named.flatMap((record) => [...record.keys()]))]
  return { fields, rows: named.map((record) => fields.map((field) => record.get(field) ?? '')) }
}

/** Numbers as written: 3.50 stays 3.50. */
function cellOf(value: JsonValue): string {
  if (value === null) return ''
  if (value instanceof JsonNumber) return value.text
  return typeof value === 'object' ? jsonText(value) : String(value)
}
