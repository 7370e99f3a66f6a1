import { MediaprocError } from '../errors.ts'
import { extensionOf, type MediaFile, printableName } from './file.ts'
import { type ReadingOptions, textChunks } from './text-file.ts'
import { uniqueNames } from './unique-names.ts'

/** Candidates for delimiter detection (Papa Parse's defaults, as named in the catalogue). */
const DELIMITERS = [',', '\t', ';', '|', '\u001e', '\u001f']

/**
 * Maximum row length, in characters: an unclosed quote turns everything after it into one row, which must fit into
 * memory.
 */
const MAX_ROW = 32 * 1024 * 1024

/** A batch of table rows, in order; `delimiter` separates the cells. */
export interface RowBatch {
  rows: string[][]
  delimiter: string
  /** The line of the file, from 1, at which each row begins; only with `countsLines`. */
  lines?: readonly number[]
}

/** A batch of table rows below the header. */
export interface RecordBatch extends RowBatch {
  /** The cells of the header as written. */
  header: readonly string[]
  /** The header cells made unique: `a,a` becomes `a` and `a_1`. */
  columns: readonly string[]
}

export interface TableOptions extends ReadingOptions {
  /** The known delimiter of a file written by this program: disables detection and keeps empty rows. */
  ownDelimiter?: string
  /** Reports the lines of rows. */
  countsLines?: boolean
}

interface ParseError {
  code: string
  message: string
  row?: number
}

function refuse(name: string, what: string): never {
  throw new MediaprocError('PROCESSING_FAILED', `${name} is not a whole table: ${what}`, {
    hint: 'Check the quotes and the number of fields in that row.',
  })
}

const fieldCount = (count: number): string => (count === 1 ? '1 field' : `${count} fields`)
const lineEndsIn = (cell: string): number => cell.match(/\r\n|\r|\n/g)?.length ?? 0
const isBlank = (row: readonly string[]): boolean => row.length === 1 && row[0] === ''

/** The line that declares the delimiter for Excel; it is not a row. */
interface SeparatorHint {
  delimiter: string
  /** Length of the line in characters, including its end. */
  length: number
}

function separatorHint(text: string): SeparatorHint | undefined {
  const [line, delimiter] = /^"?sep=([^"\r\n])"?(?:\r\n|\r|\n|$)/i.exec(text) ?? []
  return line === undefined ? undefined : { delimiter: delimiter!, length: line.length }
}

/**
 * Reads a file of delimited text of any size as rows of cells, without empty lines. Only a chunk of it is in memory.
 * @throws PROCESSING_FAILED for stray and unclosed quotes
 */
export async function* readRows(file: MediaFile, options: TableOptions = {}): AsyncGenerator<RowBatch> {
  const { default: papa } = await import('papaparse')
  const name = printableName(file.name)
  if (/^(?:jsonl|ndjson)$/.test(extensionOf(file.name)))
    throw new MediaprocError('INVALID_FILE', `${name} holds JSON, line by line, and no delimited text`, {
      hint: { shell: 'Make it one list first: jq -s . FILE', http: 'Make it one list first.' },
    })
  const { ownDelimiter, countsLines = false } = options
  let format = ownDelimiter === undefined ? undefined : { delimiter: ownDelimiter, newline: '\r\n' as const }
  let hint: SeparatorHint | undefined
  let read = 0
  let line = 1
  const linesOf = (rows: readonly string[][]): number[] =>
    rows.map((row) => {
      const first = line
      line += 1 + row.reduce((sum, cell) => sum + lineEndsIn(cell), 0)
      return first
    })
  const rowsOf = (text: string, isLast: boolean): { rows: string[][]; cursor: number; lines?: readonly number[] } => {
    if (!format) {
      const guessing = { preview: 1, skipEmptyLines: true, delimitersToGuess: DELIMITERS, delimiter: hint?.delimiter }
      const { meta } = papa.parse(text, guessing)
      format = { delimiter: meta.delimiter, newline: meta.linebreak as '\r\n' }
    }
    const { data, errors, meta } = new papa.Parser(format).parse(text, 0, !isLast) as {
      data: string[][]
      errors: ParseError[]
      meta: { cursor: number }
    }
    const [error] = errors
    if (error) refuse(name, `${error.message.toLowerCase()} in row ${read + (hint ? 1 : 0) + (error.row ?? 0) + 1}`)
    read += data.length
    const lines = countsLines ? linesOf(data) : undefined
    const isKept = (row: readonly string[]): boolean => ownDelimiter !== undefined || !isBlank(row)
    return {
      rows: data.filter(isKept),
      ...(lines && { lines: lines.filter((_line, index) => isKept(data[index] ?? [])) }),
      cursor: meta.cursor,
    }
  }
  let rest = ''
  let isStart = ownDelimiter === undefined
  for await (const chunk of textChunks(file, options)) {
    rest += chunk
    if (isStart) {
      hint = separatorHint(rest)
      if (hint) line += 1
      rest = rest.slice(hint?.length)
      isStart = false
    }
    // Split after a line end: a quote at the very end could be closing or half of an escaped one.
    const end = rest.lastIndexOf('\n') + 1 || rest.lastIndexOf('\r', rest.length - 2) + 1
    const { rows, cursor, lines } = end === 0 ? { rows: [], cursor: 0 } : rowsOf(rest.slice(0, end), false)
    rest = rest.slice(cursor)
    if (rest.length > MAX_ROW) refuse(name, `row ${read + 1} has more than ${MAX_ROW} characters; a quote may be open`)
    if (rows.length > 0) yield { rows, delimiter: format!.delimiter, ...(lines && { lines }) }
  }
  const { rows, lines } = rest === '' ? { rows: [] } : rowsOf(rest, true)
  if (rows.length > 0) yield { rows, delimiter: format!.delimiter, ...(lines && { lines }) }
}

/**
 * Like `readRows`, with a header row; every value stays text. A file with only a header yields one batch without rows,
 * and an empty file yields none.
 * @throws PROCESSING_FAILED also for rows with more or fewer cells than the header
 */
export async function* readRecords(file: MediaFile, options: TableOptions = {}): AsyncGenerator<RecordBatch> {
  const name = printableName(file.name)
  let header: readonly string[] | undefined
  let columns: readonly string[] = []
  let done = 0
  for await (const { rows, delimiter } of readRows(file, options)) {
    if (!header) {
      header = rows.shift()!
      columns = uniqueNames(header, { repeat: (name, number) => `${name}_${number}`, caseSensitive: true })
    }
    for (const { length } of rows) {
      done += 1
      if (length !== header.length)
        refuse(name, `data row ${done} has ${fieldCount(length)}, and the header ${fieldCount(header.length)}`)
    }
    yield { header, columns, rows, delimiter }
  }
}

/** Parses delimited text in memory as rows of cells, without a header; empty lines are skipped. */
export async function parseRows(text: string, name: string): Promise<string[][]> {
  const { default: papa } = await import('papaparse')
  const hint = separatorHint(text)
  const { data, errors } = papa.parse<string[]>(text.slice(hint?.length), {
    ...{ skipEmptyLines: true, delimitersToGuess: DELIMITERS, delimiter: hint?.delimiter },
  })
  // A table with a single column has no delimiter, which is not an error.
  const error = errors.find(({ code }) => code !== 'UndetectableDelimiter')
  if (error) refuse(name, `${error.message.toLowerCase()}${error.row === undefined ? '' : ` in row ${error.row + 1}`}`)
  return data
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/**
 * Formats rows as delimited text: CRLF between rows, no final line end. A cell is only quoted if it contains the
 * delimiter, a quote, a line end or a byte order mark, or starts or ends with a space. The output equals Papa Parse's,
 * in a quarter of its time.
 */
export function writeRows(rows: readonly (readonly string[])[], delimiter = ','): string {
  const special = new RegExp(`["\\r\\n\\ufeff${delimiter === '|' ? '\\|' : delimiter}]|^ | $`)
  return rows.map((row) => row.map((cell) => (special.test(cell) ? quoted(cell) : cell)).join(delimiter)).join('\r\n')
}

/** Formats batches of rows as one delimited text, chunk by chunk. */
export async function* delimitedText(
  batches: AsyncIterable<readonly (readonly string[])[]>,
  delimiter: string | (() => string) = ',',
): AsyncGenerator<string> {
  let isFirst = true
  for await (const rows of batches) {
    if (rows.length === 0) continue
    const text = writeRows(rows, typeof delimiter === 'string' ? delimiter : delimiter())
    yield isFirst ? text : `\r\n${text}`
    isFirst = false
  }
}
