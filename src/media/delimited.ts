import { MediaprocError } from '../errors.ts'
import { uniqueNames } from './unique-names.ts'

/** Delimiters that are guessed among (Papa Parse's defaults, which the catalogue names). */
const DELIMITERS = [',', '\t', ';', '|', '\u001e', '\u001f']

/** Rows of text cells, the first being the header's. */
export interface Delimited {
  header: string[]
  /** Cells in the order of the header. An object would sort names such as 2024 to the front. */
  rows: string[][]
}

/**
 * Bytes as text: by the byte order mark, else UTF-8, else Windows-1252 (what older spreadsheet programs wrote). The mark is
 * not part of the text.
 */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

interface ParseError {
  type: string
  code: string
  message: string
  row?: number
}

/** The first thing that makes the text no table. That a table of one column has no delimiter is no fault. */
function firstError(errors: readonly ParseError[]): ParseError | undefined {
  return errors.find((error) => error.code !== 'UndetectableDelimiter')
}

function refuse(name: string, what: string): never {
  throw new MediaprocError('PROCESSING_FAILED', `${name} is not a whole table: ${what}`, {
    hint: 'Check the quotes and the number of fields in that row.',
  })
}

const fieldCount = (count: number): string => (count === 1 ? '1 field' : `${count} fields`)

/** Delimited text with a header row; every value stays text. Any fault refuses the whole file. */
export async function parseRecords(text: string, name: string): Promise<Delimited> {
  const [header = [], ...rows] = await parseRows(text, name)
  for (const [index, { length }] of rows.entries())
    if (length !== header.length)
      refuse(name, `data row ${index + 1} has ${fieldCount(length)}, and the header ${fieldCount(header.length)}`)
  return { header: uniqueNames(header, { repeat: (name, number) => `${name}_${number}`, caseSensitive: true }), rows }
}

/** Delimited text as rows of cells, without a header; empty lines are left out. */
export async function parseRows(text: string, name: string): Promise<string[][]> {
  const { default: papa } = await import('papaparse')
  const { data, errors } = papa.parse<string[]>(text, { skipEmptyLines: true, delimitersToGuess: DELIMITERS })
  const error = firstError(errors)
  if (error) refuse(name, `${error.message.toLowerCase()}${error.row === undefined ? '' : ` in row ${error.row + 1}`}`)
  return data
}

/** Rows as CSV: comma, CRLF between rows, no final line end; quoted only where needed. null and undefined are empty. */
export async function writeCsv(fields: readonly string[], rows: readonly unknown[][]): Promise<string> {
  const { default: papa } = await import('papaparse')
  // The library ends a lone header row with a line end.
  if (rows.length === 0) return papa.unparse([[...fields]])
  return papa.unparse({ fields: [...fields], data: rows as unknown[][] }, { escapeFormulae: false })
}
