import { readRecords } from '../../src/media/delimited.ts'
import { extensionOf } from '../../src/media/file.ts'
import { writeText } from '../../src/media/growing-csv.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { jsonToCsv } from './csv-json/json-table.ts'
import { recordsAsJson, recordsAsLines } from './csv-json/records.ts'

export default tool({
  section: 'files',
  id: 'csv-json',
  summary: 'Convert CSV or TSV to JSON or JSON Lines, and both to CSV',
  input: oneFile('csv', 'tsv', 'json', 'jsonl', 'txt'),
  settings: {
    pretty: boolean('JSON with line breaks and indents', { default: true }),
    lines: boolean('JSON Lines: an object per line', { default: false }),
    encoding: textEncoding('the file'),
  },
  output: {
    kind: 'file',
    type: [
      { when: { lines: true }, byInput: { json: 'csv', jsonl: 'csv', csv: 'jsonl', tsv: 'jsonl', txt: 'jsonl' } },
      { byInput: { json: 'csv', jsonl: 'csv', csv: 'json', tsv: 'json', txt: 'json' } },
    ],
  },
  naming: { suffix: 'csv-json', converts: true },
  conversion: true,
  timeoutS: 60,
  examples: [
    { title: 'a table as JSON', inputs: ['people.csv'] },
    { title: 'JSON as a table', inputs: ['members.json'] },
    { title: 'a table as JSON Lines', inputs: ['people.csv'], settings: { lines: true } },
  ],
  async run(job, { pretty, lines, encoding }) {
    const file = job.inputs[0]
    const extension = extensionOf(file.name)
    const isJson = ['json', 'jsonl', 'ndjson'].includes(extension)
    const toCsv = isJson || (['json', 'jsonl'].includes(file.type.id) && extension === '')
    const type = toCsv ? 'csv' : lines ? 'jsonl' : 'json'
    const name = convertedName(file, 'csv-json', type)
    const path = await job.output(name)
    const onRead = (fraction: number): void => job.progress(fraction, 'converting')
    const reading = { signal: job.signal, onRead, encoding, warn: job.warn }
    if (toCsv) await jsonToCsv(file, path, reading)
    else {
      const records = readRecords(file, reading)
      await writeText(path, lines ? recordsAsLines(records) : recordsAsJson(records, pretty), job.signal)
    }
    return { files: [{ path, name, mime: mimeOf(type) }] }
  },
})
