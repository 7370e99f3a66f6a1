import { workbookOf } from '../../../../src/engines/documents/xlsx.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { readRows } from '../../../../src/media/delimited.ts'
import { extensionOf, type MediaFile, printableName, stemOf } from '../../../../src/media/file.ts'
import type { ReadingOptions } from '../../../../src/media/text-file.ts'

/** Whether a file is a text table. Text without the extension .csv is refused, because it is not a spreadsheet. */
export function isCsv(file: MediaFile): boolean {
  if (file.type.group !== 'data' && file.type.group !== 'text') return false
  if (extensionOf(file.name) === 'csv') return true
  throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} is plain text, not a spreadsheet`)
}

/** The name of the sheet of a text table: the name of the file, at most 31 characters, without these. */
export function sheetNameOf(file: MediaFile): string {
  return (
    stemOf(file.name)
      .replace(/[[\]:*?/\\]/g, '_')
      .slice(0, 31) || 'Sheet1'
  )
}

/** The rows of a table of text for a sheet: what is a number becomes one. */
export async function* valueRows(file: MediaFile, options: ReadingOptions = {}): AsyncGenerator<(string | number)[][]> {
  for await (const { rows } of readRows(file, options)) yield rows.map((row) => row.map(sheetValue))
}

/** A table of text as an XLSX file with one sheet, held in memory. */
export async function csvWorkbook(file: MediaFile, options: ReadingOptions): Promise<Uint8Array> {
  const all: (string | number)[][] = []
  for await (const rows of valueRows(file, options)) for (const row of rows) all.push(row)
  return workbookOf(all, sheetNameOf(file))
}

/** A cell becomes a number only where that says the same: 007, +49 170 and 1e5 stay text. 15 digits are exact in a sheet. */
function sheetValue(cell: string): string | number {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) return cell
  return String(Number(cell)) === cell ? Number(cell) : cell
}
