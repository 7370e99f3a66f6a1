import { readRecords } from '../../src/media/delimited.ts'
import { extensionOf } from '../../src/media/file.ts'
import { writeText } from '../../src/media/growing-csv.ts'
import { convertedName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { jsonToCsv } from './csv-json/json-table.ts'
import { recordsAsJson } from './csv-json/records.ts'

export default tool({
  section: 'files',
  id: 'csv-json',
  summary: 'Convert CSV or TSV to JSON and JSON to CSV',
  input: oneFile('csv', 'tsv', 'json', 'txt'),
  settings: {
    pretty: boolean('JSON with line breaks and indents', { default: true }),
    encoding: textEncoding('the file'),
  },
  output: { kind: 'file', type: { byInput: { json: 'csv', csv: 'json', tsv: 'json', txt: 'json' } } },
  naming: { suffix: 'csv-json', converts: true },
  conversion: true,
  timeoutS: 60,
  examples: [
    { title: 'a table as JSON', inputs: ['people.csv'] },
    { title: 'JSON as a table', inputs: ['members.json'] },
  ],
  async run(job, { pretty, encoding }) {
    const file = job.inputs[0]
    const toCsv = extensionOf(file.name) === 'json' || (file.type.id === 'json' && extensionOf(file.name) === '')
    const name = convertedName(file, 'csv-json', toCsv ? 'csv' : 'json')
    const path = await job.output(name)
    const onRead = (fraction: number): void => job.progress(fraction, 'converting')
    const reading = { signal: job.signal, onRead, encoding, warn: job.warn }
    if (toCsv) await jsonToCsv(file, path, reading)
    else await writeText(path, recordsAsJson(readRecords(file, reading), pretty), job.signal)
    return { files: [{ path, name, mime: toCsv ? 'text/csv' : 'application/json' }] }
  },
})
