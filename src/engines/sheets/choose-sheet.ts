import { MediaprocError } from '../../errors.ts'
import { listed } from '../../wording.ts'

/** A sheet of a workbook, in its order. */
export interface SheetInfo {
  name: string
  /** Nothing is in any cell of it; looked up on demand, as it takes reading the sheet. */
  isEmpty(): Promise<boolean>
}

/** Decides which sheet is read; returns its place, from 0. @throws PROCESSING_FAILED where it is not there */
export type ChooseSheet = (sheets: readonly SheetInfo[]) => number | Promise<number>

/**
 * The sheet that a caller names.
 * @param wanted its name, without regard to case as in Excel, or its number from 1; a name wins
 * @param file for messages
 */
export function sheetCalled(wanted: string | number, file: string): ChooseSheet {
  return (sheets) => {
    const text = String(wanted).trim().toLowerCase()
    const named = sheets.findIndex(({ name }) => name.toLowerCase() === text)
    if (named >= 0 && typeof wanted === 'string') return named
    const number = Number(text)
    if (Number.isInteger(number) && number >= 1 && number <= sheets.length) return number - 1
    throw new MediaprocError(
      'PROCESSING_FAILED',
      `${file} has ${sheets.length === 1 ? 'one sheet' : `${sheets.length} sheets`}; there is no sheet ${String(wanted)}`,
      {
        hint: `The sheets are: ${listed(
          sheets.map(({ name }) => name),
          20,
        )}`,
      },
    )
  }
}

/** The first sheet; `onLeftOut` receives the names of the others that hold something. */
export function firstSheet(onLeftOut: (taken: string, others: string[]) => void): ChooseSheet {
  return async ([first, ...others]) => {
    const names: string[] = []
    for (const sheet of others) if (!(await sheet.isEmpty())) names.push(sheet.name)
    if (names.length > 0) onLeftOut(first!.name, names)
    return 0
  }
}
