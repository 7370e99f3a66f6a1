import { firstOf } from '../../src/lists.ts'
import { printableName } from '../../src/media/file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'
import { csvWorkbook, isCsv } from './_shared/sheets/csv-workbook.ts'
import { warnOfCutCells } from './_shared/sheets/cut-cells.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'excel-to-pdf',
  summary: 'Print a spreadsheet to PDF, all sheets',
  input: oneFile('xlsx', 'xls', 'ods', 'csv'),
  settings: { encoding: textEncoding('a CSV file') },
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: 'excel-to-pdf', converts: true },
  engines: ['libreoffice', 'xlsx', 'mupdf'],
  examples: [{ title: 'a table to print', inputs: ['sales.csv'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    // Uses our own reader, as LibreOffice guesses types: it would print 007 as 7, and a telephone number as a sum.
    const source = isCsv(file)
      ? ({
          type: 'xlsx',
          bytes: await csvWorkbook(file, { signal: job.signal, encoding, warn: job.warn }),
          leftOut: 0,
        } as const)
      : undefined
    const result = await officeResult(job, 'excel-to-pdf', 'pdf', { source })
    if (!source) await warnOfCutCells(job, firstOf(result.files).path, printableName(file.name))
    return result
  },
})
