import { MediaprocError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { libraryEngine } from './library.ts'

export type SheetFormat = 'xlsx' | 'ods'

/** The most rows and columns that XLSX and ODS hold. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

type Library = typeof import('@e965/xlsx')
type WorkBook = ReturnType<Library['read']>

/** Only values are read: no macros, no external links; cached results of formulas count as values. */
async function open(bytes: Uint8Array, name: string): Promise<{ library: Library; book: WorkBook }> {
  const library = await import('@e965/xlsx')
  try {
    const book = library.read(bytes, { type: 'buffer', cellDates: true, cellNF: true, cellText: true })
    if (book.SheetNames.length === 0) throw new Error('no sheet')
    return { library, book }
  } catch (error) {
    const said = (error as Error).message
    if (/password|encrypted/i.test(said))
      throw new MediaprocError('PASSWORD_PROTECTED', `${name} is protected by a password`, {
        hint: 'Save it without a password first.',
        cause: error,
      })
    throw new MediaprocError('INVALID_FILE', `${name} is damaged or not a spreadsheet`, { cause: error, detail: said })
  }
}

/** The first sheet's cells as the text that a person sees. */
export async function firstSheet(bytes: Uint8Array, name: string): Promise<string[][]> {
  const { library, book } = await open(bytes, name)
  const sheet = book.Sheets[book.SheetNames[0]!]!
  return library.utils.sheet_to_json<string[]>(sheet, {
    header: 1,
    raw: false,
    defval: '',
    blankrows: true,
    dateNF: 'yyyy-mm-dd',
  })
}

/** A spreadsheet in another format: all sheets, values, formulas and number formats that the library keeps. */
export async function convertWorkbook(bytes: Uint8Array, format: SheetFormat, name: string): Promise<Uint8Array> {
  const { library, book } = await open(bytes, name)
  return library.write(book, { type: 'buffer', bookType: format, compression: true }) as Uint8Array
}

/** A table as a spreadsheet with one sheet. */
export async function workbookOf(
  rows: readonly (string | number)[][],
  format: SheetFormat,
  sheetName: string,
): Promise<Uint8Array> {
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (rows.length > MAX_ROWS || widest > MAX_COLUMNS)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `The table has ${rows.length} rows and ${widest} columns; ${format.toUpperCase()} holds ${MAX_ROWS} rows and ${MAX_COLUMNS} columns`,
      {
        hint: 'Split the table first.',
      },
    )
  const library = await import('@e965/xlsx')
  const book = library.utils.book_new()
  library.utils.book_append_sheet(book, library.utils.aoa_to_sheet(rows as (string | number)[][]), sheetName)
  return library.write(book, { type: 'buffer', bookType: format, compression: true }) as Uint8Array
}

export const xlsx: Engine = libraryEngine({
  id: 'xlsx',
  purpose: 'spreadsheets: XLSX, XLS, ODS',
  licence: 'Apache-2.0',
  package: '@e965/xlsx',
})
