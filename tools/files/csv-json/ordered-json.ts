/**
 * JSON whose keys keep their order: JavaScript objects sort keys such as 2024 to the front, and tables have columns called
 * that. While a document is in memory every key carries a mark in front, which no such key has.
 */
import { MediaprocError } from '../../../src/errors.ts'
import type { Delimited } from '../../../src/media/delimited.ts'

const MARK = '$'

/** A string of JSON, and the colon behind it when it is a key. */
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/g

export const markedKey = (key: string): string => MARK + key
export const plainKey = (key: string): string => key.slice(MARK.length)

/** JSON text as a value whose objects have marked keys. INVALID_FILE when it is not valid. */
export function parseOrdered(text: string, name: string): unknown {
  try {
    JSON.parse(text)
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} is not valid JSON`, {
      cause: error,
      detail: (error as Error).message,
    })
  }
  return JSON.parse(text.replace(STRINGS, (whole, inside, colon) => (colon ? `"${MARK}${inside}"${colon}` : whole)))
}

/** A value with marked keys as compact JSON without the marks. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(STRINGS, (whole, inside: string, colon) =>
    colon ? `"${plainKey(inside)}"${colon}` : whole,
  )
}

/** A table as a JSON array of objects, one for each row. */
export function recordsAsJson({ header, rows }: Delimited, pretty: boolean): string {
  const [line, field, record, colon] = pretty ? ['\n', '\n    ', '\n  ', ': '] : ['', '', '', ':']
  const keys = header.map((name) => JSON.stringify(name) + colon)
  const records = rows.map((row) => {
    const fields = row.map((cell, index) => `${field}${keys[index]}${JSON.stringify(cell)}`)
    return `${record}{${fields.join(',')}${record}}`
  })
  return rows.length === 0 ? '[]' : `[${records.join(',')}${line}]`
}
