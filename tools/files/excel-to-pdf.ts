import { oneFile, tool } from '../../src/tool/contract.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'
import { csvWorkbook, isCsv } from './_shared/sheets/csv-workbook.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'excel-to-pdf',
  summary: 'Print a spreadsheet to PDF, all sheets',
  input: oneFile('xlsx', 'xls', 'ods', 'csv'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: 'excel-to-pdf', converts: true },
  engines: ['libreoffice', 'xlsx', 'mupdf'],
  examples: [{ title: 'a table to print', inputs: ['sales.csv'] }],
  async run(job) {
    const file = job.inputs[0]!
    // Our own reader, since LibreOffice would guess: 007 would be printed as 7, and a telephone number as a sum.
    const source = isCsv(file) ? ({ type: 'xlsx', bytes: await csvWorkbook(file), leftOut: 0 } as const) : undefined
    return officeResult(job, 'excel-to-pdf', 'pdf', source)
  },
})
