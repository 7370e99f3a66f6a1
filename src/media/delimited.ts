import { MediaprocError } from '../errors.ts'
import { uniqueNames } from './unique-names.ts'

/** Delimiters that are guessed among (Papa Parse's defaults, which the catalogue names). */
const DELIMITERS = [',', '\t', ';', '|', '\u001e', '\u001f']

/** Rows of text cells, the first being the header's. */
export interface Delimited {
  header: string[]
  /** Cells in the order of the header. An object would sort names such as 2024 to the front. */
  rows: string[][]
  /** What stands between the fields. */
  delimiter: string
}

/** What the bytes 0x80 to 0x9f are in Windows-1252; Node 20's own decoder takes them for control characters of Latin-1. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/** Bytes of Windows-1252 as text. */
export function decodeWindows1252(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return latin.replace(/[\u0080-\u009f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)
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
    return decodeWindows1252(bytes)
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
  const { rows: all, delimiter } = await parseTable(text, name)
  const [header = [], ...rows] = all
  for (const [index, { length }] of rows.entries())
    if (length !== header.length)
      refuse(name, `data row ${index + 1} has ${fieldCount(length)}, and the header ${fieldCount(header.length)}`)
  return {
    header: uniqueNames(header, { repeat: (name, number) => `${name}_${number}`, caseSensitive: true }),
    rows,
    delimiter,
  }
}

/** Delimited text as rows of cells, without a header; empty lines are left out. */
export async function parseRows(text: string, name: string): Promise<string[][]> {
  return (await parseTable(text, name)).rows
}

/** Delimited text as rows of cells, and what it was delimited by. */
export async function parseTable(text: string, name: string): Promise<{ rows: string[][]; delimiter: string }> {
  const { default: papa } = await import('papaparse')
  const { data, errors, meta } = papa.parse<string[]>(text, { skipEmptyLines: true, delimitersToGuess: DELIMITERS })
  const error = firstError(errors)
  if (error) refuse(name, `${error.message.toLowerCase()}${error.row === undefined ? '' : ` in row ${error.row + 1}`}`)
  return { rows: data, delimiter: meta.delimiter }
}

/** Rows as CSV: comma, CRLF between rows, no final line end; quoted only where needed. null and undefined are empty. */
export function writeCsv(fields: readonly string[], rows: readonly unknown[][]): Promise<string> {
  return writeDelimited(fields, rows, ',')
}

/** As `writeCsv`, with another delimiter. */
export async function writeDelimited(
  fields: readonly string[],
  rows: readonly unknown[][],
  delimiter: string,
): Promise<string> {
  const { default: papa } = await import('papaparse')
  // The library ends a lone header row with a line end.
  if (rows.length === 0) return papa.unparse([[...fields]], { delimiter })
  return papa.unparse({ fields: [...fields], data: rows as unknown[][] }, { escapeFormulae: false, delimiter })
}
