import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { convertWorkbook } from '../../src/engines/documents/xlsx.ts'
import { writeSheet } from '../../src/engines/sheets/sheet-writer.ts'
import { MediaprocError } from '../../src/errors.ts'
import { printableName } from '../../src/media/file.ts'
import { writeGrowingCsv } from '../../src/media/growing-csv.ts'
import { convertedName, outputName, setName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { uniqueNames } from '../../src/media/unique-names.ts'
import { checkUnpackedSize } from '../../src/media/unzip.ts'
import { action, type Job, oneFile, type ToolResult, tool } from '../../src/tool/contract.ts'
import { choice, text } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { isCsv, sheetNameOf, valueRows } from './_shared/sheets/csv-workbook.ts'
import { sheetRows, sheetsOf } from './_shared/sheets/sheet-rows.ts'

export default tool({
  section: 'files',
  id: 'convert-spreadsheet',
  summary: 'Convert between XLSX, ODS and CSV',
  input: oneFile('xlsx', 'xls', 'ods', 'csv'),
  settings: {
    format: choice(['xlsx', 'ods', 'csv'], 'output format; csv supports one sheet', { required: true }),
    sheet: text('sheet for CSV output: its name, or its number from 1; the first by default', {
      ...{ minLength: 1, maxLength: 100, example: 'Prices', when: { format: 'csv' } },
    }),
    encoding: textEncoding('a CSV file'),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  naming: { suffix: 'convert-spreadsheet', converts: true },
  conversion: true,
  engines: ['xlsx'],
  timeoutS: 120,
  async: true,
  examples: [
    { title: 'a table as a spreadsheet', inputs: ['people.csv'], settings: { format: 'xlsx' } },
    { title: 'the first sheet as text', inputs: ['staff.xlsx'], settings: { format: 'csv' } },
  ],
  actions: [
    action({
      id: 'sheets',
      summary: 'Write every sheet of a spreadsheet as a CSV file',
      input: oneFile('xlsx', 'xls', 'ods'),
      settings: {},
      output: { kind: 'files', type: { is: 'csv' }, set: '{stem}_sheets' },
      run: allSheets,
    }),
  ],
  async run(job, { format, sheet, encoding }) {
    const file = job.inputs[0]
    const name = convertedName(file, 'convert-spreadsheet', format)
    const path = await job.output(name)
    if (file.type.id === format) await copyFile(file.path, path)
    else await convert(job, path, { format, sheet, encoding })
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

async function convert(
  job: Job,
  path: string,
  { format, sheet, encoding }: { format: 'xlsx' | 'ods' | 'csv'; sheet: string | undefined; encoding: string },
): Promise<void> {
  const file = job.inputs[0]
  const { signal } = job
  if (isCsv(file) && format !== 'csv') {
    const onRead = (fraction: number): void => job.progress(fraction, 'converting')
    return writeSheet(path, valueRows(file, { signal, onRead, encoding, warn: job.warn }), {
      format,
      sheetName: sheetNameOf(file),
      signal,
    })
  }
  if (format === 'csv') return writeGrowingCsv(path, sheetRows(job, file, sheet), { signal })
  const bytes = await readFile(file.path)
  // Encrypted workbooks and XLS are not ZIP archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
  return writeFile(path, await convertWorkbook(bytes, format, printableName(file.name), job.warn))
}

/** Characters that some system does not allow in file names. */
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*]/g

/** Writes a CSV file for each non-empty sheet, named after the sheet. */
async function allSheets(job: Job): Promise<ToolResult> {
  const file = job.inputs[0]
  isCsv(file)
  const sheets = await sheetsOf(file)
  const numbers = sheets.flatMap(({ isEmpty }, index) => (isEmpty ? [] : [index + 1]))
  if (numbers.length === 0)
    throw new MediaprocError('PROCESSING_FAILED', `${printableName(file.name)} has only empty sheets`)
  const stems = numbers.map((number) => sheets[number - 1]!.name.replace(UNSAFE, '_').replace(/[. ]+$/, '') || 'sheet')
  const names = uniqueNames(stems.map((stem) => outputName(stem, '', 'csv')))
  const files = []
  for (const [index, number] of numbers.entries()) {
    const path = await job.output(names[index]!)
    await writeGrowingCsv(path, sheetRows(job, file, number), { signal: job.signal })
    files.push({ path, name: names[index]!, mime: 'text/csv' })
  }
  return { files, set: setName(file, 'sheets') }
}
