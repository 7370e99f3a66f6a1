import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { convertWorkbook, sheetText } from '../../src/engines/xlsx.ts'
import { writeCsv } from '../../src/media/delimited.ts'
import { type MediaFile, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { checkUnpackedSize } from '../../src/media/unzip.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { csvWorkbook, isCsv } from './_shared/sheets/csv-workbook.ts'

export default tool({
  section: 'files',
  id: 'convert-spreadsheet',
  summary: 'Convert between XLSX, ODS and CSV',
  input: oneFile('xlsx', 'xls', 'ods', 'csv'),
  settings: {
    format: choice(['xlsx', 'ods', 'csv'], 'the format to write; csv takes the first sheet', { required: true }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
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
    else await writeFile(path, await convert(file, format))
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

async function convert(file: MediaFile, format: 'xlsx' | 'ods' | 'csv'): Promise<string | Uint8Array> {
  const isText = isCsv(file)
  if (isText && format !== 'csv') return csvWorkbook(file, format)
  const shown = printableName(file.name)
  const bytes = await readFile(file.path)
  // Encrypted workbooks and XLS are no ZIP archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
  if (format !== 'csv') return convertWorkbook(bytes, format, shown)
  const [header = [], ...rows] = await sheetText(bytes, shown)
  return writeCsv(header, rows)
}
