import { MediaprocError } from '../errors.ts'
import type { Engine } from './engine.ts'
import { libraryEngine } from './library.ts'
import { numberText } from './sheets/cell-text.ts'
import type { NumberFormats } from './sheets/number-formats.ts'
import { packParts } from './zip-package.ts'

export type SheetFormat = 'xlsx' | 'ods'

/** The most rows and columns that XLSX and ODS hold. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/** The most cells of a sheet's rectangle that are written as text: a single cell in the far corner spans 17 thousand million. */
const MAX_CELLS = 30_000_000

/** Values, number formats and the shown text are read, and formulas; the size that a sheet declares is not believed. */
const READING = { type: 'buffer', cellNF: true, cellText: true, nodim: true } as const

type Library = typeof import('@e965/xlsx')
type WorkBook = ReturnType<Library['read']>
type WorkSheet = WorkBook['Sheets'][string]
type CellObject = import('@e965/xlsx').CellObject

/** Only values are read: no macros, no external links; cached results of formulas count as values. */
async function open(bytes: Uint8Array, name: string): Promise<{ library: Library; book: WorkBook }> {
  const library = await import('@e965/xlsx')
  if (isEncrypted(bytes)) throw locked(name)
  try {
    const book = quietly(() => library.read(bytes, READING))
    if (book.SheetNames.length === 0) throw new Error('no sheet')
    return { library, book }
  } catch (error) {
    const said = (error as Error).message
    if (/password|encrypted/i.test(said)) throw locked(name, error)
    throw new MediaprocError('INVALID_FILE', `${name} is damaged or not a spreadsheet`, { cause: error, detail: said })
  }
}

/** An encrypted workbook is a compound file with a stream of this name ([MS-OFFCRYPTO] 2.3.4.4). */
function isEncrypted(bytes: Uint8Array): boolean {
  const isCompound = Buffer.from(bytes.subarray(0, 4)).toString('hex') === 'd0cf11e0'
  return (
    isCompound && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('EncryptedPackage', 0, 'utf16le')
  )
}

function locked(name: string, cause?: unknown): MediaprocError {
  const hint = 'Save it without a password first.'
  return new MediaprocError('PASSWORD_PROTECTED', `${name} is protected by a password`, { hint, cause })
}

/** The library tells of what it does not understand on the console, which is not ours to write to. */
function quietly<T>(work: () => T): T {
  const { error, info, log, warn } = console
  const silence = (): void => {}
  Object.assign(console, { error: silence, info: silence, log: silence, warn: silence })
  try {
    return work()
  } finally {
    Object.assign(console, { error, info, log, warn })
  }
}

/** What the library knows of number formats. */
export async function numberFormats(): Promise<NumberFormats> {
  return (await import('@e965/xlsx')).SSF as NumberFormats
}

/**
 * A stream of a compound file, the container of Office files before 2007 ([MS-CFB]).
 * @param stream its path, such as `/WordDocument`
 * @returns nothing where the container is damaged or holds no such stream
 */
export async function compoundStream(bytes: Uint8Array, stream: string): Promise<Uint8Array | undefined> {
  const { CFB } = await import('@e965/xlsx')
  try {
    const content = CFB.find(CFB.read(Buffer.from(bytes), { type: 'buffer' }), stream)?.content
    return content && Uint8Array.from(content)
  } catch {
    return undefined
  }
}

/**
 * A sheet's cells as text, all rows of the same width: values in full, dates as ISO 8601, results of formulas.
 * @param number of the sheet, from 1
 * @param notes counts formulas without a result; these are given themselves
 * @throws PROCESSING_FAILED when there are fewer sheets
 */
export async function sheetText(
  bytes: Uint8Array,
  name: string,
  number = 1,
  notes = { uncomputed: 0 },
): Promise<string[][]> {
  const { library, book } = await open(bytes, name)
  const { SheetNames: names } = book
  if (number > names.length) throw noSuchSheet(name, number, names.length)
  const sheet = book.Sheets[names[number - 1]!]!
  checkExtent(library, sheet, name)
  const date1904 = book.Workbook?.WBProps?.date1904 === true
  const formats = library.SSF as NumberFormats
  for (const cell of cellsOf(sheet)) {
    if (cell.f !== undefined && (cell.t === 'z' || cell.v === undefined)) {
      notes.uncomputed += 1
      Object.assign(cell, { t: 's', v: `=${cell.f}`, w: `=${cell.f}` })
    } else if (cell.t === 'e') {
      // The library leaves errors out; they are what the cell says.
      Object.assign(cell, { t: 's', v: cell.w ?? '#VALUE!' })
    } else if (cell.t === 'n' && typeof cell.v === 'number' && cell.w !== 'TRUE' && cell.w !== 'FALSE') {
      const format = typeof cell.z === 'string' ? cell.z : undefined
      cell.w = numberText({ value: cell.v, format, source: cell.w }, formats, date1904)
    }
  }
  return library.utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, defval: '', blankrows: true })
}

export function noSuchSheet(name: string, number: number, count: number): MediaprocError {
  return new MediaprocError(
    'PROCESSING_FAILED',
    `${name} has ${count === 1 ? 'one sheet' : `${count} sheets`}; there is no sheet ${number}`,
  )
}

function checkExtent(library: Library, sheet: WorkSheet, name: string): void {
  if (!sheet['!ref']) return
  const { s: from, e: to } = library.utils.decode_range(sheet['!ref'])
  const [rows, columns] = [to.r - from.r + 1, to.c - from.c + 1]
  if (rows * columns > MAX_CELLS)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `The sheet of ${name} spans ${rows} rows and ${columns} columns; at most ${MAX_CELLS} cells are written`,
      { hint: 'Delete what stands far away from the table.' },
    )
}

function cellsOf(sheet: WorkSheet): CellObject[] {
  return Object.keys(sheet).flatMap((key) => (key.startsWith('!') ? [] : [sheet[key] as CellObject]))
}

async function write(library: Library, book: WorkBook, format: SheetFormat): Promise<Uint8Array> {
  const options = { type: 'buffer', bookType: format, compression: format !== 'ods' } as const
  const bytes = quietly(() => library.write(book, options)) as Uint8Array
  if (format !== 'ods') return bytes
  const { FullPaths, FileIndex } = library.CFB.read(bytes, { type: 'buffer' }) as {
    FullPaths: string[]
    FileIndex: { content?: Uint8Array }[]
  }
  const parts = FullPaths.map((path, index) => [path.replace(/^Root Entry\//, ''), FileIndex[index]!.content] as const)
  const whole = new Map<string, Uint8Array>()
  // The library marks its archives with an entry of its own.
  for (const [name, content] of parts) if (content && !name.startsWith('\u0001')) whole.set(name, content)
  return packParts(whole)
}

/** A spreadsheet in another format: all sheets, values, formulas and number formats that the library keeps. */
export async function convertWorkbook(bytes: Uint8Array, format: SheetFormat, name: string): Promise<Uint8Array> {
  const { library, book } = await open(bytes, name)
  if (format === 'ods') for (const sheet of Object.values(book.Sheets)) quoteSeparators(library, sheet)
  return write(library, book, format)
}

/** The writer of ODS loses the `-` and the spaces of date formats, unless they are quoted as literal text. */
function quoteSeparators(library: Library, sheet: WorkSheet): void {
  for (const cell of cellsOf(sheet))
    if (typeof cell.z === 'string' && library.SSF.is_date(cell.z))
      cell.z = cell.z.replace(/"[^"]*"|\\(.)|[- ]/g, (whole, literal?: string) =>
        whole.startsWith('"') ? whole : `"${literal ?? whole}"`,
      )
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
  const sheet = library.utils.aoa_to_sheet(rows as (string | number)[][])
  sheet['!cols'] = columnWidths(rows, widest)
  library.utils.book_append_sheet(book, sheet, sheetName)
  return write(library, book, format)
}

/** The narrowest and the widest column that is made for its content, in characters. */
const COLUMN_WIDTH = { min: 8, max: 60 }

/** As wide as their longest line, so that nothing is cut off or shown as ### in print. */
function columnWidths(rows: readonly (string | number)[][], columns: number): { wch: number }[] {
  const widths = new Array<number>(columns).fill(COLUMN_WIDTH.min)
  for (const row of rows)
    for (const [column, cell] of row.entries()) {
      const { length } = String(cell)
      if (length > widths[column]!) widths[column] = Math.min(length, COLUMN_WIDTH.max)
    }
  return widths.map((width) => ({ wch: width + 1 }))
}

export const xlsx: Engine = libraryEngine({
  id: 'xlsx',
  purpose: 'spreadsheets: XLSX, XLS, ODS',
  licence: 'Apache-2.0',
  package: '@e965/xlsx',
})
