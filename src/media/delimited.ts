import { MediaprocError } from '../errors.ts'

/** Delimiters that are guessed among (Papa Parse's defaults, which the catalogue names). */
const DELIMITERS = [',', '\t', ';', '|', '\u001e', '\u001f']

/** Rows of text cells, the first being the header's. */
export interface Delimited {
  header: string[]
  rows: Record<string, string>[]
}

/**
 * Bytes as text: by the byte order mark, else UTF-8, else Windows-1252 (what spreadsheets of old wrote). The mark is
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

function refuse(name: string, error: ParseError): never {
  // The header is line 1, and rows are counted from 0.
  const where = error.row === undefined ? '' : ` in data row ${error.row + 1}`
  throw new MediaprocError(
    'PROCESSING_FAILED',
    `${name} is not a whole table: ${error.message.toLowerCase()}${where}`,
    {
      hint: 'Check the quotes and the number of fields in that row.',
    },
  )
}

/** Delimited text with a header row as records; every value stays text. Any fault refuses the whole file. */
export async function parseRecords(text: string, name: string): Promise<Delimited> {
  const { default: papa } = await import('papaparse')
  const { data, errors, meta } = papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: true,
    delimitersToGuess: DELIMITERS,
  })
  const error = firstError(errors)
  if (error) refuse(name, error)
  return { header: meta.fields ?? [], rows: data }
}

/** Delimited text as rows of cells, without a header. */
export async function parseRows(text: string, name: string): Promise<string[][]> {
  const { default: papa } = await import('papaparse')
  const { data, errors } = papa.parse<string[]>(text, { skipEmptyLines: true, delimitersToGuess: DELIMITERS })
  const error = firstError(errors)
  if (error) refuse(name, error)
  return data
}

/** Rows as CSV: comma, CRLF between rows, no final line end; quoted only where needed. null and undefined are empty. */
export async function writeCsv(fields: readonly string[], rows: readonly unknown[][]): Promise<string> {
  const { default: papa } = await import('papaparse')
  return papa.unparse({ fields: [...fields], data: rows as unknown[][] }, { escapeFormulae: false })
}
