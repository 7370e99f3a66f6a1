import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { limitExceeded } from '../../limit-exceeded.ts'
import { odsMarkup } from './ods-markup.ts'
import type { SheetMarkup } from './sheet-markup.ts'
import { xlsxMarkup } from './xlsx-markup.ts'

/** The most that a sheet holds. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/** The narrowest and the widest column that is made for its content, in characters. */
const COLUMN_WIDTH = { min: 8, max: 60 }

/** Characters of markup that are written at once. */
const PIECE = 1 << 16

const ENTRY_TIME = new Date(1980, 0, 1)

const FORMATS = { xlsx: xlsxMarkup, ods: odsMarkup } as const

type Rows = readonly (readonly (string | number)[])[]

/**
 * Writes rows as a spreadsheet with one sheet, without holding them in memory. Texts are texts: nothing becomes a number, a date
 * or a formula. Columns are as wide as what the first rows hold.
 * @throws LIMIT_EXCEEDED for more rows, columns or characters in a cell than the format holds
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
      // Cells that do not fit are still counted, for the message.
      if (count > MAX_ROWS || widest > MAX_COLUMNS) continue
      text += markup.row(row, count)
      // Long texts that are put together piece by piece keep the collector of garbage busy.
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

/** So that nothing is cut off or shown as ### in print. */
function columnWidths(rows: Rows): number[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.slice(0, MAX_COLUMNS).entries())
      widths[column] = Math.max(widths[column] ?? COLUMN_WIDTH.min, Math.min(String(cell).length, COLUMN_WIDTH.max))
  return widths
}
