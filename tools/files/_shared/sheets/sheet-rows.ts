import { readFile } from 'node:fs/promises'
import { isXlsx, xlsxRows } from '../../../../src/engines/sheets/xlsx-reader.ts'
import { sheetText } from '../../../../src/engines/xlsx.ts'
import { type MediaFile, printableName } from '../../../../src/media/file.ts'
import { checkUnpackedSize } from '../../../../src/media/unzip.ts'
import type { Job } from '../../../../src/tool/contract.ts'

/** Sheets of XLSX are read piece by piece, however large; everything else is held in memory. */
const STREAMED = /^\/?xl[/\\]worksheets[/\\]/i

/**
 * A sheet of any spreadsheet as rows of text, in batches; warns of formulas that nobody has computed.
 * @param number of the sheet, from 1
 */
export async function* sheetRows(job: Job, file: MediaFile, number = 1): AsyncGenerator<string[][]> {
  const name = printableName(file.name)
  const notes = { uncomputed: 0 }
  if (file.type.id === 'xlsx' && (await isXlsx(file.path))) {
    await checkUnpackedSize(file, STREAMED)
    const onRead = (fraction: number): void => job.progress(fraction, 'reading')
    yield* xlsxRows(file.path, name, { number, notes, onRead })
  } else {
    const bytes = await readFile(file.path)
    // Encrypted workbooks and XLS are no ZIP archives.
    if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
    yield await sheetText(bytes, name, number, notes)
  }
  if (notes.uncomputed === 0) return
  const formulas = notes.uncomputed === 1 ? 'a formula' : `${notes.uncomputed} formulas`
  job.warn(
    `${name} holds ${formulas} without a result, as no spreadsheet program has computed ${notes.uncomputed === 1 ? 'it' : 'them'}: the table holds the text of the formula`,
  )
}
