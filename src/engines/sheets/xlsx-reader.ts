import { buffer } from 'node:stream/consumers'
import { MediaprocError } from '../../errors.ts'
import type { ChooseSheet, SheetInfo } from './choose-sheet.ts'
import { MarkupReader } from './markup.ts'
import { Package } from './package.ts'
import { type SheetNotes, SheetVisitor } from './sheet-visitor.ts'
import { bookPart, openWorkbook, type Workbook } from './workbook.ts'

/**
 * Streams the cells of an XLSX sheet as text, in batches of rows: values in full, dates as ISO 8601, formula results.
 * Rows can be shorter than others, or empty.
 * @param name for messages
 * @param options.choose selects the sheet
 * @throws PROCESSING_FAILED when there are fewer sheets, INVALID_FILE when it is damaged, LIMIT_EXCEEDED for far cells
 */
export async function* xlsxRows(
  path: string,
  name: string,
  { choose, notes, onRead }: { choose: ChooseSheet; notes: SheetNotes; onRead?: (fraction: number) => void },
): AsyncGenerator<string[][]> {
  let parts: Package | undefined
  try {
    parts = await Package.open(path)
    const book = await openWorkbook(parts)
    if (book.sheets.length === 0) throw new Error('no sheet')
    const sheet = book.sheets[await choose(infosOf(parts, book))]!.part
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
    throw sheetError(error, name)
  } finally {
    parts?.close()
  }
}

/** The sheets of an XLSX file. @throws INVALID_FILE */
export async function xlsxSheets(path: string, name: string): Promise<{ name: string; isEmpty: boolean }[]> {
  let parts: Package | undefined
  try {
    parts = await Package.open(path)
    const found: { name: string; isEmpty: boolean }[] = []
    for (const info of infosOf(parts, await openWorkbook(parts)))
      found.push({ name: info.name, isEmpty: await info.isEmpty() })
    return found
  } catch (error) {
    throw sheetError(error, name)
  } finally {
    parts?.close()
  }
}

/** Converts a library's exception for a damaged file to INVALID_FILE; errors from the catalogue are kept. */
function sheetError(error: unknown, name: string): MediaprocError {
  if (error instanceof MediaprocError) return error
  const detail = (error as Error).message
  return new MediaprocError('INVALID_FILE', `${name} is damaged or not a spreadsheet`, { cause: error, detail })
}

/** Sheets with longer markup are not empty. */
const EMPTY_BYTES = 64 * 1024

const infosOf = (parts: Package, { sheets }: Workbook): SheetInfo[] =>
  sheets.map(({ name, part }) => ({
    name,
    async isEmpty() {
      if (!parts.has(part)) return true
      if (parts.size(part) > EMPTY_BYTES) return false
      const markup = (await buffer(await parts.stream(part))).toString()
      return !/<(?:\w+:)?(?:v|is|f)[\s>]/.test(markup)
    },
  }))

/** Whether a file is an XLSX package with XML parts: other kinds of spreadsheets also use the extension .xlsx. */
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
