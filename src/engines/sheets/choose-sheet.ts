import { MediaprocError } from '../../errors.ts'
import { listed } from '../../wording.ts'

/** A sheet of a workbook, in its order. */
export interface SheetInfo {
  name: string
  /** Whether all its cells are empty; determined on demand, as it requires reading the sheet. */
  isEmpty(): Promise<boolean>
}

/** Selects the sheet to read; returns its index, from 0. @throws PROCESSING_FAILED if it does not exist */
export type ChooseSheet = (sheets: readonly SheetInfo[]) => number | Promise<number>

/**
 * The sheet that a caller requests.
 * @param wanted its name, case-insensitive as in Excel, or its number from 1; a name takes precedence
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

/** The first sheet; `onLeftOut` is called with the names of the other non-empty ones. */
export function firstSheet(onLeftOut: (taken: string, others: string[]) => void): ChooseSheet {
  return async ([first, ...others]) => {
    const names: string[] = []
    for (const sheet of others) if (!(await sheet.isEmpty())) names.push(sheet.name)
    if (names.length > 0) onLeftOut(first!.name, names)
    return 0
  }
}
