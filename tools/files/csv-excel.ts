import { writeSheet } from '../../src/engines/sheets/sheet-writer.ts'
import { type RowBatch, readRows } from '../../src/media/delimited.ts'
import { extensionOf } from '../../src/media/file.ts'
import { writeGrowingCsv } from '../../src/media/growing-csv.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { integer } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { isCsv } from './_shared/sheets/csv-workbook.ts'
import { sheetRows } from './_shared/sheets/sheet-rows.ts'

export default tool({
  section: 'files',
  id: 'csv-excel',
  summary: 'Convert CSV or TSV to XLSX and XLSX to CSV',
  input: oneFile('csv', 'tsv', 'txt', 'xlsx'),
  settings: {
    sheet: integer('which worksheet of an XLSX, from 1', { default: 1, min: 1, filledByTool: true }),
    encoding: textEncoding('the table'),
  },
  output: { kind: 'file', type: { byInput: { xlsx: 'csv', csv: 'xlsx', tsv: 'xlsx', txt: 'xlsx' } } },
  naming: { suffix: 'csv-excel', converts: true },
  engines: ['xlsx'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'a table for Excel, with unchanged cell texts', inputs: ['people.csv'] },
    { title: 'the first sheet as text', inputs: ['staff.xlsx'] },
  ],
  async run(job, { sheet, encoding }) {
    const file = job.inputs[0]
    const toCsv = file.type.id === 'xlsx' || extensionOf(file.name) === 'xlsx'
    const format = toCsv ? 'csv' : 'xlsx'
    const name = convertedName(file, 'csv-excel', format)
    const path = await job.output(name)
    const { signal } = job
    if (toCsv) {
      isCsv(file)
      await writeGrowingCsv(path, filledRows(sheetRows(job, file, sheet)), { signal })
    } else {
      const onRead = (fraction: number): void => job.progress(fraction, 'converting')
      // Text cells: nothing is converted to a number or a date, so 007 stays 007.
      const rows = tableRows(readRows(file, { signal, onRead, encoding, warn: job.warn }))
      await writeSheet(path, rows, { format: 'xlsx', sheetName: 'Sheet1', signal })
    }
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

/** Without empty rows (catalogue). */
async function* filledRows(batches: AsyncIterable<string[][]>): AsyncGenerator<string[][]> {
  for await (const rows of batches) yield rows.filter((row) => row.some((cell) => cell !== ''))
}

async function* tableRows(batches: AsyncIterable<RowBatch>): AsyncGenerator<string[][]> {
  for await (const { rows } of batches) yield rows
}
