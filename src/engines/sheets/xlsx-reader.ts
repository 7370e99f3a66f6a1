import { MediaprocError } from '../../errors.ts'
import { noSuchSheet } from '../xlsx.ts'
import { MarkupReader } from './markup.ts'
import { Package } from './package.ts'
import { type SheetNotes, SheetVisitor } from './sheet-visitor.ts'
import { bookPart, openWorkbook } from './workbook.ts'

/**
 * The cells of a sheet of an XLSX file as text, in batches of rows, without holding the sheet in memory: values in full,
 * dates as ISO 8601, results of formulas. Rows may be shorter than others, and empty.
 * @param name for messages
 * @param number of the sheet, from 1
 * @throws PROCESSING_FAILED when there are fewer sheets, INVALID_FILE when it is damaged, LIMIT_EXCEEDED for far cells
 */
export async function* xlsxRows(
  path: string,
  name: string,
  { number, notes, onRead }: { number: number; notes: SheetNotes; onRead?: (fraction: number) => void },
): AsyncGenerator<string[][]> {
  let parts: Package | undefined
  try {
    parts = await Package.open(path)
    const book = await openWorkbook(parts)
    const { sheets } = book
    if (sheets.length > 0 && number > sheets.length) throw noSuchSheet(name, number, sheets.length)
    const sheet = sheets[number - 1]
    if (sheet === undefined) throw new Error('no sheet')
    const visitor = new SheetVisitor(book, name, notes)
    const reader = await MarkupReader.open(visitor)
    let read = 0
    for await (const bytes of (await parts.stream(sheet)) as AsyncIterable<Buffer>) {
      reader.write(bytes)
      read += bytes.length
      onRead?.(read / parts.size(sheet))
      if (visitor.rows.length > 0) yield visitor.takeRows()
    }
    reader.end()
    yield visitor.takeRows()
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    const detail = (error as Error).message
    throw new MediaprocError('INVALID_FILE', `${name} is damaged or not a spreadsheet`, { cause: error, detail })
  } finally {
    parts?.close()
  }
}

/** Whether a file is an XLSX package whose parts are XML: spreadsheets of other kinds are called .xlsx, too. */
export async function isXlsx(path: string): Promise<boolean> {
  try {
    const parts = await Package.open(path)
    try {
      const book = await bookPart(parts)
      return book.toLowerCase().endsWith('.xml') && parts.has(book)
    } finally {
      parts.close()
    }
  } catch {
    return false
  }
}
