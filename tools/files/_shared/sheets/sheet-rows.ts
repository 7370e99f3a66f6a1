import { readFile } from 'node:fs/promises'
import { sheetText, workbookSheets } from '../../../../src/engines/documents/xlsx.ts'
import { firstSheet, sheetCalled } from '../../../../src/engines/sheets/choose-sheet.ts'
import { isXlsx, xlsxRows, xlsxSheets } from '../../../../src/engines/sheets/xlsx-reader.ts'
import { type MediaFile, printableName } from '../../../../src/media/file.ts'
import { checkUnpackedSize } from '../../../../src/media/unzip.ts'
import type { Job } from '../../../../src/tool/contract.ts'
import { counted, listed } from '../../../../src/wording.ts'

/** XLSX sheets are streamed, however large; everything else is held in memory. */
const STREAMED = /^\/?xl[/\\]worksheets[/\\]/i

const isStreamed = async (file: MediaFile): Promise<boolean> => file.type.id === 'xlsx' && (await isXlsx(file.path))

async function wholeFile(file: MediaFile): Promise<Uint8Array> {
  const bytes = await readFile(file.path)
  // Encrypted workbooks and XLS are not ZIP archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
  return bytes
}

/** The sheets of any spreadsheet, in order. */
export async function sheetsOf(file: MediaFile): Promise<{ name: string; isEmpty: boolean }[]> {
  const name = printableName(file.name)
  if (!(await isStreamed(file))) return workbookSheets(await wholeFile(file), name)
  await checkUnpackedSize(file, STREAMED)
  return xlsxSheets(file.path, name)
}

/**
 * A sheet of any spreadsheet as rows of text, in batches; warns about formulas without a result, and about other sheets
 * if none is named.
 * @param sheet its name, or its number from 1; defaults to the first
 */
export async function* sheetRows(job: Job, file: MediaFile, sheet?: string | number): AsyncGenerator<string[][]> {
  const name = printableName(file.name)
  const notes = { uncomputed: 0 }
  const choose =
    sheet === undefined
      ? firstSheet((taken, others) => job.warn(othersSentence(name, taken, others)))
      : sheetCalled(sheet, name)
  if (await isStreamed(file)) {
    await checkUnpackedSize(file, STREAMED)
    const onRead = (fraction: number): void => job.progress(fraction, 'reading')
    yield* xlsxRows(file.path, name, { choose, notes, onRead })
  } else yield await sheetText(await wholeFile(file), name, choose, notes)
  if (notes.uncomputed === 0) return
  const formulas = notes.uncomputed === 1 ? 'a formula' : `${notes.uncomputed} formulas`
  job.warn(
    `${name} holds ${formulas} without a result, as no spreadsheet program has computed ${notes.uncomputed === 1 ? 'it' : 'them'}: the table contains the text of the formula`,
  )
}

function othersSentence(name: string, taken: string, others: readonly string[]): string {
  const names = listed(others)
  return `${name} has ${counted(others.length, 'more sheet')} than ${printableName(taken)}, the first, which is the only one used (--sheet selects another, files/convert-spreadsheet/sheets converts all): ${names}`
}
