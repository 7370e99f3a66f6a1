import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { limitExceeded } from '../../limit-exceeded.ts'
import { odsMarkup } from './ods-markup.ts'
import type { SheetMarkup } from './sheet-markup.ts'
import { xlsxMarkup } from './xlsx-markup.ts'

/** Limits of a sheet. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/** Minimum and maximum width of an auto-sized column, in characters. */
const COLUMN_WIDTH = { min: 8, max: 60 }

/** Characters of markup written at once. */
const PIECE = 1 << 16

const ENTRY_TIME = new Date(1980, 0, 1)

const FORMATS = { xlsx: xlsxMarkup, ods: odsMarkup } as const

type Rows = readonly (readonly (string | number)[])[]

/**
 * Streams rows to a spreadsheet with one sheet. Texts stay texts: nothing becomes a number, a date or a formula. Column
 * widths are based on the first rows.
 * @throws LIMIT_EXCEEDED for more rows, columns or characters per cell than the format supports
 */
export async function writeSheet(
  path: string,
  batches: AsyncIterable<Rows>,
  { format, sheetName, signal }: { format: keyof typeof FORMATS; sheetName: string; signal: AbortSignal },
): Promise<void> {
  const { ZipFile } = await import('yazl')
  const markup = FORMATS[format]
  const archive = new ZipFile()
  const options = { mtime: ENTRY_TIME, mode: 0o100644, forceDosTimestamp: true }
  for (const [name, content] of markup.parts(sheetName))
    archive.addBuffer(Buffer.from(content), name, { ...options, compress: name !== 'mimetype' })
  const sheet = Readable.from(sheetText(batches, markup, sheetName), { objectMode: false })
  const output = archive.outputStream as Readable
  sheet.once('error', (error) => output.destroy(error))
  archive.addReadStream(sheet, markup.sheetPart, options)
  archive.end()
  await pipeline(output, createWriteStream(path), { signal })
}

async function* sheetText(
  batches: AsyncIterable<Rows>,
  markup: SheetMarkup,
  sheetName: string,
): AsyncGenerator<Buffer> {
  let count = 0
  let widest = 0
  let isBegun = false
  for await (const rows of batches) {
    let text = isBegun ? '' : markup.begin(columnWidths(rows), sheetName)
    isBegun = true
    for (const row of rows) {
      count += 1
      widest = Math.max(widest, row.length)
      // Excess rows are counted to the end, so that the message can state the total.
      if (count > MAX_ROWS || widest > MAX_COLUMNS) continue
      text += markup.row(row, count)
      // Long strings built by concatenation are expensive for the garbage collector.
      if (text.length < PIECE) continue
      yield Buffer.from(text)
      text = ''
    }
    if (text !== '') yield Buffer.from(text)
  }
  if (count > MAX_ROWS || widest > MAX_COLUMNS)
    throw limitExceeded(
      `The table has ${count} rows and ${widest} columns; ${markup.label} holds ${MAX_ROWS} rows and ${MAX_COLUMNS} columns`,
      { hint: 'Split the table first.' },
    )
  yield Buffer.from((isBegun ? '' : markup.begin([], sheetName)) + markup.end())
}

/** Widths that avoid cut-off text and ### in print. */
function columnWidths(rows: Rows): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.slice(0, MAX_COLUMNS).entries())
      widths[column] = Math.max(widths[column] ?? COLUMN_WIDTH.min, Math.min(String(cell).length, COLUMN_WIDTH.max))
  return widths
}
