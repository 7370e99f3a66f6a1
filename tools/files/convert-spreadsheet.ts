import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { convertWorkbook, sheetText, workbookOf } from '../../src/engines/xlsx.ts'
import { MediaprocError } from '../../src/errors.ts'
import { decodeText, parseRows, writeCsv } from '../../src/media/delimited.ts'
import { extensionOf, type MediaFile, printableName, stemOf } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { checkUnpackedSize } from '../../src/media/unzip.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'

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
  const shown = printableName(file.name)
  const bytes = await readFile(file.path)
  const isText = file.type.group === 'data' || file.type.group === 'text'
  if (isText && extensionOf(file.name) !== 'csv')
    throw new MediaprocError('INVALID_FILE', `${shown} is plain text, not a spreadsheet`)
  // Encrypted workbooks and XLS are no ZIP archives.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
  if (format === 'csv') {
    const [header = [], ...rows] = await sheetText(bytes, shown)
    return writeCsv(header, rows)
  }
  if (!isText) return convertWorkbook(bytes, format, shown)
  const rows = await parseRows(decodeText(bytes), shown)
  // Sheet names hold at most 31 characters, and not these.
  const sheetName =
    stemOf(file.name)
      .replace(/[[\]:*?/\\]/g, '_')
      .slice(0, 31) || 'Sheet1'
  return workbookOf(
    rows.map((row) => row.map(sheetValue)),
    format,
    sheetName,
  )
}

/** A cell becomes a number only where that says the same: 007, +49 170 and 1e5 stay text. 15 digits are exact in a sheet. */
function sheetValue(cell: string): string | number {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) return cell
  return String(Number(cell)) === cell ? Number(cell) : cell
}
