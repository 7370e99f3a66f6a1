import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { zip } from '../../lists.ts'
import { counted } from '../../wording.ts'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'
import { numberText } from '../sheets/cell-text.ts'
import type { ChooseSheet, SheetInfo } from '../sheets/choose-sheet.ts'
import { isDuration } from '../sheets/date-text.ts'
import { leftOutOf, type PackagePart } from '../sheets/left-out.ts'
import type { NumberFormats } from '../sheets/number-formats.ts'
import { OdsBook } from '../sheets/ods-book.ts'
import { guardedFormulas, hiddenSheets, restoredFormula } from '../sheets/ods-source.ts'
import { packParts } from './zip-package.ts'

export type SheetFormat = 'xlsx' | 'ods'

/** Maximum rows and columns of XLSX and ODS. */
const MAX_ROWS = 1_048_576
const MAX_COLUMNS = 16_384

/**
 * Maximum number of cells of a sheet's range that are written as text: a single cell in the far corner spans 17
 * thousand million.
 */
const MAX_CELLS = 30_000_000

/** Reads values, number formats, displayed text and formulas; ignores the size that a sheet declares. */
const READING = { type: 'buffer', cellNF: true, cellText: true, cellStyles: true, nodim: true } as const

type Library = typeof import('@e965/xlsx')
type WorkBook = ReturnType<Library['read']>
type WorkSheet = WorkBook['Sheets'][string]
type CellObject = import('@e965/xlsx').CellObject

/** Reads only values: no macros, no external links; cached formula results count as values. */
async function open(bytes: Uint8Array, name: string): Promise<{ library: Library; book: WorkBook }> {
  const library = await import('@e965/xlsx')
  if (isEncrypted(bytes)) throw locked(name)
  try {
    const content = odsContent(library, bytes)
    const readable = content === undefined ? bytes : withContent(library, bytes, guardedFormulas(content))
    const book = quietly(() => library.read(readable, READING))
    if (book.SheetNames.length === 0) throw new Error('no sheet')
    for (const sheet of Object.values(book.Sheets)) {
      translateReferences(sheet)
      if (content !== undefined) restoreFormulas(sheet)
    }
    if (content !== undefined) hideSheets(book, hiddenSheets(content))
    return { library, book }
  } catch (error) {
    const said = (error as Error).message
    if (/password|encrypted/i.test(said)) throw locked(name, error)
    throw new MediaprocError('INVALID_FILE', `${name} is damaged or not a spreadsheet`, { cause: error, detail: said })
  }
}

/** The part of an OpenDocument spreadsheet that contains its sheets. */
const ODS_CONTENT = 'content.xml'

/** The content of an OpenDocument spreadsheet package; undefined for any other file. */
function odsContent(library: Library, bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x50) return undefined
  const entry = library.CFB.find(library.CFB.read(Buffer.from(bytes), { type: 'buffer' }), ODS_CONTENT)
  return entry?.content && Buffer.from(entry.content as Uint8Array).toString('utf8')
}

function withContent(library: Library, bytes: Uint8Array, content: string): Uint8Array {
  const parts = library.CFB.read(Buffer.from(bytes), { type: 'buffer' })
  const entry = library.CFB.find(parts, ODS_CONTENT)!
  const replaced = Buffer.from(content)
  if (Buffer.compare(Buffer.from(entry.content as Uint8Array), replaced) === 0) return bytes
  Object.assign(entry, { content: replaced, size: replaced.length })
  return library.CFB.write(parts, { fileType: 'zip', type: 'buffer' }) as Uint8Array
}

function restoreFormulas(sheet: WorkSheet): void {
  for (const cell of cellsOf(sheet)) if (cell.f !== undefined) cell.f = restoredFormula(cell.f)
}

/** The library ignores that sheets of OpenDocument are hidden. */
function hideSheets(book: WorkBook, hidden: readonly boolean[]): void {
  if (!hidden.some(Boolean)) return
  book.Workbook ??= {}
  book.Workbook.Sheets = book.SheetNames.map((name, index) => ({
    ...book.Workbook!.Sheets?.[index],
    name,
    Hidden: hidden[index] ? 1 : 0,
  }))
}

/** OpenDocument references to sheets with a space in their name, which the library leaves unconverted. */
const ODS_REFERENCE = /\[\$?('(?:[^']|'')+')\.([$A-Z0-9]+)(?::\.([$A-Z0-9]+))?\]/g

function translateReferences(sheet: WorkSheet): void {
  for (const cell of cellsOf(sheet))
    if (cell.f?.includes("'."))
      cell.f = cell.f.replace(
        ODS_REFERENCE,
        (_whole, table: string, from: string, to?: string) => `${table}!${from}${to === undefined ? '' : `:${to}`}`,
      )
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

/** The library logs unsupported features to the console, which must stay clean. */
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

/** The library's number format tables. */
export async function numberFormats(): Promise<NumberFormats> {
  return (await import('@e965/xlsx')).SSF as NumberFormats
}

/**
 * A stream of a compound file, the container of Office files before 2007 ([MS-CFB]).
 * @param stream its path, such as `/WordDocument`
 * @returns undefined if the container is damaged or has no such stream
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
 * A sheet's cells as text, all rows with the same width: values in full, dates as ISO 8601, formula results.
 * @param choose selects the sheet, the first by default
 * @param notes counts formulas without a result; the formulas themselves are returned
 * @throws PROCESSING_FAILED when there are fewer sheets
 */
export async function sheetText(
  bytes: Uint8Array,
  name: string,
  choose: ChooseSheet = () => 0,
  notes = { uncomputed: 0 },
): Promise<string[][]> {
  const { library, book } = await open(bytes, name)
  const sheet = book.Sheets[book.SheetNames[await choose(infosOf(book))]!]!
  checkExtent(library, sheet, name)
  const date1904 = book.Workbook?.WBProps?.date1904 === true
  const formats = library.SSF as NumberFormats
  for (const cell of cellsOf(sheet)) {
    if (cell.f !== undefined && (cell.t === 'z' || cell.v === undefined)) {
      notes.uncomputed += 1
      Object.assign(cell, { t: 's', v: `=${cell.f}`, w: `=${cell.f}` })
    } else if (cell.t === 'e') {
      // The library omits error values, which are the cell's content.
      Object.assign(cell, { t: 's', v: cell.w ?? '#VALUE!' })
    } else if (cell.t === 'n' && typeof cell.v === 'number' && cell.w !== 'TRUE' && cell.w !== 'FALSE') {
      const code = typeof cell.z === 'string' ? cell.z : undefined
      // The library handles sections and factors of OpenDocument formats poorly; the file contains the displayed text.
      const isTrusted = book.bookType !== 'ods' || (code !== undefined && (formats.is_date(code) || isDuration(code)))
      const format = isTrusted ? code : undefined
      cell.w = numberText({ value: cell.v, format, source: cell.w?.trim() }, formats, date1904)
    }
  }
  return library.utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, defval: '', blankrows: true })
}

const infosOf = (book: WorkBook): SheetInfo[] =>
  book.SheetNames.map((name) => ({
    name,
    isEmpty: async () =>
      cellsOf(book.Sheets[name]!).every(({ v, f }) => (v === undefined || v === '') && f === undefined),
  }))

/** The sheets of any spreadsheet in memory. @throws INVALID_FILE, PASSWORD_PROTECTED */
export async function workbookSheets(bytes: Uint8Array, name: string): Promise<{ name: string; isEmpty: boolean }[]> {
  const { book } = await open(bytes, name)
  return Promise.all(infosOf(book).map(async (info) => ({ name: info.name, isEmpty: await info.isEmpty() })))
}

function checkExtent(library: Library, sheet: WorkSheet, name: string): void {
  if (!sheet['!ref']) return
  const { s: from, e: to } = library.utils.decode_range(sheet['!ref'])
  const [rows, columns] = [to.r - from.r + 1, to.c - from.c + 1]
  if (rows * columns > MAX_CELLS)
    throw limitExceeded(
      `The sheet of ${name} spans ${rows} rows and ${columns} columns; at most ${MAX_CELLS} cells are written`,
      { hint: 'Delete cells that are far away from the table.' },
    )
}

function cellsOf(sheet: WorkSheet): CellObject[] {
  return Object.keys(sheet).flatMap((key) => (key.startsWith('!') ? [] : [sheet[key] as CellObject]))
}

function writeXlsx(library: Library, book: WorkBook): Uint8Array {
  return quietly(() => library.write(book, { type: 'buffer', bookType: 'xlsx', compression: true })) as Uint8Array
}

/**
 * Converts a spreadsheet to another format: all sheets, with values, formulas, number formats, widths and hidden parts.
 * @param warn called with each loss
 */
export async function convertWorkbook(
  bytes: Uint8Array,
  format: SheetFormat,
  name: string,
  warn: (message: string, manner?: 'advice') => void,
): Promise<Uint8Array> {
  const { library, book } = await open(bytes, name)
  const left = leftOutOf(packageParts(library, bytes))
  if (left.length > 0) warn(`${name} has content that is not converted: ${left.join(', ')}`)
  if (format === 'xlsx') return writeXlsx(library, book)
  const ods = new OdsBook(book, library.SSF as NumberFormats)
  const packed = packParts(ods.parts())
  const { uncomputed, dropped } = ods.notes
  if (dropped > 0)
    warn(
      `${name} has ${counted(dropped, 'formula')} that OpenDocument cannot say, such as references to other files: the results stay`,
    )
  if (uncomputed > 0)
    warn(
      `${name} has ${counted(uncomputed, 'formula')} without a result, which the next program that opens it computes`,
      'advice',
    )
  return packed
}

/** The parts of a package; empty for an older file. */
function packageParts(library: Library, bytes: Uint8Array): PackagePart[] {
  if (bytes[0] !== 0x50) return []
  const { FullPaths, FileIndex } = library.CFB.read(bytes, { type: 'buffer' }) as {
    FullPaths: string[]
    FileIndex: { content?: Uint8Array }[]
  }
  return zip(FullPaths, FileIndex).map(([path, { content = [] }]) => ({
    path: path.replace(/^Root Entry\//, ''),
    text: () => Buffer.from(content).toString('latin1'),
  }))
}

/** A table as an XLSX file with one sheet. */
export async function workbookOf(rows: readonly (string | number)[][], sheetName: string): Promise<Uint8Array> {
  const widest = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (rows.length > MAX_ROWS || widest > MAX_COLUMNS)
    throw limitExceeded(
      `The table has ${rows.length} rows and ${widest} columns; XLSX holds ${MAX_ROWS} rows and ${MAX_COLUMNS} columns`,
      {
        hint: 'Split the table first.',
      },
    )
  const library = await import('@e965/xlsx')
  const book = library.utils.book_new()
  const sheet = library.utils.aoa_to_sheet(rows as (string | number)[][])
  sheet['!cols'] = columnWidths(rows, widest)
  library.utils.book_append_sheet(book, sheet, sheetName)
  return writeXlsx(library, book)
}

/** Minimum and maximum width of an auto-sized column, in characters. */
const COLUMN_WIDTH = { min: 8, max: 60 }

/** As wide as the longest line, so that nothing is cut off or printed as ###. */
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
