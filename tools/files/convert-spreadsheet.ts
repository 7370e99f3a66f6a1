import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { writeSheet } from '../../src/engines/sheets/sheet-writer.ts'
import { convertWorkbook } from '../../src/engines/xlsx.ts'
import { printableName } from '../../src/media/file.ts'
import { writeGrowingCsv } from '../../src/media/growing-csv.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { checkUnpackedSize } from '../../src/media/unzip.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { isCsv, sheetNameOf, valueRows } from './_shared/sheets/csv-workbook.ts'
import { sheetRows } from './_shared/sheets/sheet-rows.ts'

export default tool({
  section: 'files',
  id: 'convert-spreadsheet',
  summary: 'Convert between XLSX, ODS and CSV',
  input: oneFile('xlsx', 'xls', 'ods', 'csv'),
  settings: {
    format: choice(['xlsx', 'ods', 'csv'], 'the format to write; csv takes the first sheet', { required: true }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  naming: { suffix: 'convert-spreadsheet', converts: true },
  conversion: true,
  engines: ['xlsx'],
  timeoutS: 120,
  async: true,
  examples: [
    { title: 'a table as a spreadsheet', inputs: ['people.csv'], settings: { format: 'xlsx' } },
    { title: 'the first sheet as text', inputs: ['people.xlsx'], settings: { format: 'csv' } },
  ],
  async run(job, { format }) {
    const file = job.inputs[0]!
    const name = convertedName(file, 'convert-spreadsheet', format)
    const path = await job.output(name)
    if (file.type.id === format) await copyFile(file.path, path)
    else await convert(job, path, format)
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

async function convert(job: Job, path: string, format: 'xlsx' | 'ods' | 'csv'): Promise<void> {
  const file = job.inputs[0]!
  const { signal } = job
  if (isCsv(file) && format !== 'csv') {
    const onRead = (fraction: number): void => job.progress(fraction, 'converting')
    return writeSheet(path, valueRows(file, { signal, onRead }), { format, sheetName: sheetNameOf(file), signal })
  }
  if (format === 'csv') return writeGrowingCsv(path, sheetRows(job, file), { signal })
  const bytes = await readFile(file.path)
  // Encrypted workbooks and XLS are no ZIP archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
  return writeFile(path, await convertWorkbook(bytes, format, printableName(file.name)))
}
