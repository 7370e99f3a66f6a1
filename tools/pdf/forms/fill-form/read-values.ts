import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { MediaprocError } from '../../../../src/errors.ts'
import { limitExceeded } from '../../../../src/limit-exceeded.ts'
import { readRows } from '../../../../src/media/delimited.ts'
import { extensionOf, type MediaFile, printableName } from '../../../../src/media/file.ts'
import type { FieldValue } from '../../../../src/media/pdf/form/fields.ts'
import { readText } from '../../../../src/media/text-file.ts'

/** Maximum number of rows of a table: each is a document. */
const MAX_ROWS = 1000

/** Maximum size of a file of values, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024

/** Maximum nesting depth of names. */
const MAX_DEPTH = 64

export type Values = Map<string, FieldValue>

/**
 * Reads the values of a form: one set from JSON or YAML, or one from each row of CSV, whose header has the names.
 * @throws MediaprocError INVALID_FILE, LIMIT_EXCEEDED
 */
export async function readValuesFile(file: MediaFile, warn: (message: string) => void): Promise<Values[]> {
  const name = printableName(file.name)
  if (file.bytes > MAX_BYTES) throw limitExceeded(`${name} is larger than 16 MiB`, { hint: 'Split the file.' })
  const extension = extensionOf(file.name)
  if (extension === 'csv' || extension === 'tsv') return readTable(file, name, warn)
  const text = await readText(file, { warn })
  return readNodes(text, name, 'INVALID_FILE')
}

async function readTable(file: MediaFile, name: string, warn: (message: string) => void): Promise<Values[]> {
  let columns: string[] | undefined
  const sets: Values[] = []
  for await (const { rows } of readRows(file, { warn }))
    for (const cells of rows) {
      if (!columns) {
        columns = cells.map((cell) => cell.trim())
        continue
      }
      if (sets.length === MAX_ROWS)
        throw limitExceeded(`${name} has more than ${MAX_ROWS} rows`, { hint: 'Split the file.' })
      if (cells.length !== columns.length)
        throw new MediaprocError(
          'INVALID_FILE',
          `Row ${sets.length + 1} of ${name} has ${cells.length} values, and the header ${columns.length}`,
        )
      // An empty cell leaves the field as it is.
      const pairs = columns.map((column, index) => [column, cells[index] ?? ''] as const)
      sets.push(new Map(pairs.filter(([column, value]) => column !== '' && value !== '')))
    }
  if (sets.length === 0)
    throw new MediaprocError('INVALID_FILE', `${name} has no rows of values`, {
      hint: 'The first line has the names of the fields, and each other line the values of one document.',
    })
  return sets
}

/** Reads the setting `values`. @throws MediaprocError INVALID_SETTINGS */
export function readValues(text: string): Values {
  const [first, ...others] = readNodes(text, 'values', 'INVALID_SETTINGS')
  if (!first || others.length > 0)
    throw new MediaprocError('INVALID_SETTINGS', 'Expected one object of names and values for values')
  return first
}

/** An object, or a list of objects, of JSON or YAML. All scalars stay text as written: 007 is not a number here. */
function readNodes(text: string, name: string, code: 'INVALID_FILE' | 'INVALID_SETTINGS'): Values[] {
  const fault = (what: string) =>
    new MediaprocError(code, `${name} ${what}`, { hint: 'For example: {"name": "Ada", "agree": true}' })
  const document: Document = parseDocument(text, {
    schema: 'failsafe',
    logLevel: 'silent',
    maxAliasCount: 100,
  } as object)
  const [error] = document.errors
  if (error) throw fault(`is not valid JSON or YAML: ${error.message.split('\n', 1)[0]}`)
  const objects = isSeq(document.contents) ? document.contents.items : [document.contents]
  return objects.map((object) => {
    if (!isMap(object)) throw fault('is not an object of names and values')
    const values: Values = new Map()
    const visit = (node: unknown, prefix: string, depth: number): void => {
      if (!isMap(node) || depth > MAX_DEPTH) throw fault('is nested too deeply')
      for (const { key, value } of node.items) {
        const path = `${prefix}${isScalar(key) ? String(key.value) : String(key)}`
        if (isMap(value)) visit(value, `${path}.`, depth + 1)
        else if (isSeq(value))
          values.set(
            path,
            value.items.map(scalar).filter((one) => one !== undefined),
          )
        else {
          const one = scalar(value)
          // null leaves the field as it is.
          if (one !== undefined) values.set(path, one)
        }
      }
    }
    const scalar = (node: unknown): string | undefined => {
      if (node === null) return undefined
      if (!isScalar(node)) throw fault('has a value that is neither text, a number, true, false nor a list of them')
      const isNull = node.type === 'PLAIN' && ['', '~', 'null'].includes(String(node.value))
      return isNull ? undefined : String(node.value)
    }
    visit(object, '', 0)
    return values
  })
}
