import { readFile } from 'node:fs/promises'
import { workbookOf } from '../../../../src/engines/xlsx.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { decodeText, parseRows } from '../../../../src/media/delimited.ts'
import { extensionOf, type MediaFile, printableName, stemOf } from '../../../../src/media/file.ts'

/** Whether a file is a table of text. A text that is not called .csv is refused, as it is no spreadsheet. */
export function isCsv(file: MediaFile): boolean {
  if (file.type.group !== 'data' && file.type.group !== 'text') return false
  if (extensionOf(file.name) === 'csv') return true
  throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} is plain text, not a spreadsheet`)
}

/** A table of text as a spreadsheet with one sheet, which is called as the file. */
export async function csvWorkbook(file: MediaFile, format: 'xlsx' | 'ods'): Promise<Uint8Array> {
  const rows = await parseRows(decodeText(await readFile(file.path)), printableName(file.name))
  // Sheet names hold at most 31 characters, and not these.
  const sheetName =
    stemOf(file.name)
      .replace(/[[\]:*?/\\]/g, '_')
      .slice(0, 31) || 'Sheet1'
  return workbookOf(
    rows.map((row) => row.map(sheetValue)),
    format,
    sheetName,
  )
}

/** A cell becomes a number only where that says the same: 007, +49 170 and 1e5 stay text. 15 digits are exact in a sheet. */
function sheetValue(cell: string): string | number {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) return cell
  return String(Number(cell)) === cell ? Number(cell) : cell
}
