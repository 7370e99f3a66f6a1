import { workbookOf } from '../../../../src/engines/documents/xlsx.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { readRows } from '../../../../src/media/delimited.ts'
import { extensionOf, type MediaFile, printableName, stemOf } from '../../../../src/media/file.ts'
import type { ReadingOptions } from '../../../../src/media/text-file.ts'

/** Whether a file is a text table. A text file without the extension .csv is refused, as it is no spreadsheet. */
export function isCsv(file: MediaFile): boolean {
  if (file.type.group !== 'data' && file.type.group !== 'text') return false
  if (extensionOf(file.name) === 'csv') return true
  throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} is plain text, not a spreadsheet`)
}

/** The sheet name of a text table: the file's name, at most 31 characters, without these characters. */
export function sheetNameOf(file: MediaFile): string {
  return (
    stemOf(file.name)
      .replace(/[[\]:*?/\\]/g, '_')
      .slice(0, 31) || 'Sheet1'
  )
}

/** The rows of a text table for a sheet: numeric cells become numbers. */
export async function* valueRows(file: MediaFile, options: ReadingOptions = {}): AsyncGenerator<(string | number)[][]> {
  for await (const { rows } of readRows(file, options)) yield rows.map((row) => row.map(sheetValue))
}

/** Converts a text table to an XLSX file with one sheet, in memory. */
export async function csvWorkbook(file: MediaFile, options: ReadingOptions): Promise<Uint8Array> {
  const all: (string | number)[][] = []
  for await (const rows of valueRows(file, options)) for (const row of rows) all.push(row)
  return workbookOf(all, sheetNameOf(file))
}

/**
 * A cell becomes a number only if that preserves its text: 007, +49 170 and 1e5 stay text. Sheets keep 15 digits
 * exactly.
 */
function sheetValue(cell: string): string | number {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) return cell
  return String(Number(cell)) === cell ? Number(cell) : cell
}
