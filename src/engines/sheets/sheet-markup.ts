/** Writes a spreadsheet with one sheet in a format, from start to end. */
export interface SheetMarkup {
  /** For messages. */
  label: string
  /** Everything except the sheet, in archive order; `mimetype` is stored uncompressed. */
  parts(sheetName: string): readonly (readonly [name: string, content: string])[]
  sheetPart: string
  /** The markup before the rows; column widths are in characters. */
  begin(widths: readonly number[], sheetName: string): string
  /** @param number of the row, from 1 */
  row(row: readonly (string | number)[], number: number): string
  end(): string
}

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

const known: string[] = []

/** The name of a column from 0: A, B … Z, AA … */
export function columnLetters(column: number): string {
  const before = column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)
  known[column] ??= before + String.fromCharCode(65 + (column % 26))
  return known[column]
}
