import { resolve } from 'node:path'
import { JsonNumber, JsonReader, type JsonValue } from '../../engines/documents/json.ts'
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { readRows } from '../../media/delimited.ts'
import { extensionOf, type MediaFile, openMediaFile, printableName } from '../../media/file.ts'
import { utf8Chunks } from '../../media/text-file.ts'
import { counted } from '../../wording.ts'
import type { Scalar } from '../read/parameter.ts'
import type { Row, RowTable } from './row-table.ts'

/** Maximum number of rows of a table. */
export const MAX_ROWS = 20_000

/** Maximum size of a table: its cells are in memory. In bytes. */
const MAX_BYTES = 64 * 1024 * 1024

type Warn = (message: string) => void

/** Collects the rows of a table. */
class Rows {
  readonly columns: string[] = []
  readonly list: Row[] = []
  readonly #shown: string

  constructor(shown: string) {
    this.#shown = shown
  }

  refuse(why: string, hint: string): never {
    throw new MediaprocError('INVALID_FILE', `${this.#shown} cannot be used as rows: ${why}`, { hint })
  }

  add(row: Omit<Row, 'number'>): void {
    if (this.list.length === MAX_ROWS)
      throw limitExceeded(`${this.#shown} has more than ${MAX_ROWS} rows`, { hint: 'Split the file.' })
    this.list.push({ number: this.list.length + 1, ...row })
  }
}

async function readDelimited(file: MediaFile, rows: Rows, warn: Warn): Promise<void> {
  for await (const { rows: found, lines = [] } of readRows(file, { warn, countsLines: true })) {
    for (const [index, cells] of found.entries()) {
      const line = lines[index] ?? 0
      if (rows.columns.length === 0) rows.columns.push(...cells.map((cell) => cell.trim()))
      else if (cells.length === rows.columns.length) rows.add({ line, cells })
      else {
        const [got, expected] = [counted(cells.length, 'value'), counted(rows.columns.length, 'column')]
        rows.add({ line, cells: [], problem: `the row has ${got} and the header ${expected}` })
      }
    }
  }
  const repeated = rows.columns.find((name, index) => name !== '' && rows.columns.indexOf(name) !== index)
  if (repeated !== undefined)
    rows.refuse(`it has two columns called ${printableName(repeated)}`, 'Rename one of them in the first line.')
}

/** A value of JSON; undefined for lists and objects. Numbers keep their text. */
function scalarOf(value: JsonValue): Scalar | undefined {
  if (value === null) return ''
  if (value instanceof JsonNumber) return value.text
  return typeof value === 'object' ? undefined : value
}

async function readJson(file: MediaFile, rows: Rows, warn: Warn): Promise<void> {
  const index = new Map<string, number>()
  const hint = 'Expected a list of objects, such as [{ "name": "Ada" }].'
  const reader = await JsonReader.open(printableName(file.name), (item, parents) => {
    if (parents.length !== 1 || !Array.isArray(parents[0])) return false
    if (!(item instanceof Map)) return rows.refuse(`item ${rows.list.length + 1} is not an object`, hint)
    const cells: Scalar[] = Array<Scalar>(index.size).fill('')
    for (const [key, value] of item) {
      const scalar = scalarOf(value)
      // Lists and objects are no values, so they have no column.
      if (scalar === undefined) continue
      const at = index.get(key) ?? index.size
      index.set(key, at)
      cells[at] = scalar
    }
    rows.add({ cells })
    return true
  })
  for await (const bytes of utf8Chunks(file, { warn })) reader.write(bytes)
  if (!Array.isArray(reader.end())) rows.refuse('it is no list', hint)
  reader.reportRepeated(warn)
  rows.columns.push(...index.keys())
}

/**
 * Reads a CSV, TSV or JSON file as rows. CSV has a header; JSON is a list of objects.
 * @param shown the path as the user would write it
 * @throws MediaprocError FILE_NOT_FOUND, INVALID_FILE, LIMIT_EXCEEDED, PROCESSING_FAILED
 */
export async function readTable(path: string, shown: string, warn: Warn): Promise<RowTable> {
  const file = await openMediaFile(path)
  const name = printableName(shown)
  const rows = new Rows(name)
  if (!['text', 'data'].includes(file.type.group))
    rows.refuse(
      `it is ${file.type.id.toUpperCase()}`,
      'Save it as CSV: mediaproc files convert-spreadsheet FILE --format csv',
    )
  if (file.bytes > MAX_BYTES) throw limitExceeded(`${name} is larger than 64 MiB`, { hint: 'Split the file.' })
  const isJson = extensionOf(file.name) === 'json' || (file.type.id === 'json' && extensionOf(file.name) === '')
  await (isJson ? readJson : readDelimited)(file, rows, warn)
  if (rows.list.length === 0) rows.refuse('it has no rows', 'The first line of CSV is the header.')
  return { shown, path: resolve(path), columns: rows.columns, rows: rows.list }
}
