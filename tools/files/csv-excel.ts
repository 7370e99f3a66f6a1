import { readFile, writeFile } from 'node:fs/promises'
import { sheetText, workbookOf } from '../../src/engines/xlsx.ts'
import { decodeText, parseRows, writeCsv } from '../../src/media/delimited.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { checkUnpackedSize } from '../../src/media/unzip.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { integer } from '../../src/tool/settings.ts'

export default tool({
  section: 'files',
  id: 'csv-excel',
  summary: 'Convert CSV or TSV to XLSX and XLSX to CSV',
  input: oneFile('csv', 'tsv', 'txt', 'xlsx'),
  settings: {
    sheet: integer('which worksheet of an XLSX, from 1', { default: 1, min: 1 }),
  },
  output: { kind: 'file', type: { byInput: { xlsx: 'csv', csv: 'xlsx', tsv: 'xlsx', txt: 'xlsx' } } },
  engines: ['xlsx'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'a table for Excel, every cell as it is written', inputs: ['people.csv'] },
    { title: 'the first sheet as text', inputs: ['people.xlsx'] },
  ],
  async run(job, { sheet }) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const toCsv = file.type.id === 'xlsx' || extensionOf(file.name) === 'xlsx'
    const format = toCsv ? 'csv' : 'xlsx'
    const name = convertedName(file, 'csv-excel', format)
    const path = await job.output(name)
    const bytes = await readFile(file.path)
    if (toCsv) {
      if (bytes[0] === 0x50 && bytes[1] === 0x4b) await checkUnpackedSize(file)
      const rows = await sheetText(bytes, shown, sheet)
      const [header = [], ...rest] = rows.filter((row) => row.some((cell) => cell !== ''))
      await writeFile(path, await writeCsv(header, rest))
    } else {
      // Text cells: nothing is taken for a number or a date, so that 007 stays 007.
      await writeFile(path, await workbookOf(await parseRows(decodeText(bytes), shown), 'xlsx', 'Sheet1'))
    }
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
