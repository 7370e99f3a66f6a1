import { readFile, writeFile } from 'node:fs/promises'
import { decodeText, parseRecords, writeCsv } from '../../src/media/delimited.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { cellOf, recordsOf } from './csv-json/json-table.ts'
import { parseOrdered, plainKey, recordsAsJson } from './csv-json/ordered-json.ts'

export default tool({
  section: 'files',
  id: 'csv-json',
  summary: 'Convert CSV or TSV to JSON and JSON to CSV',
  input: oneFile('csv', 'tsv', 'json', 'txt'),
  settings: {
    pretty: boolean('JSON with line breaks and indents', { default: true }),
  },
  output: { kind: 'file', type: { byInput: { json: 'csv', csv: 'json', tsv: 'json', txt: 'json' } } },
  conversion: true,
  timeoutS: 60,
  examples: [
    { title: 'a table as JSON', inputs: ['people.csv'] },
    { title: 'JSON as a table', inputs: ['people.json'] },
  ],
  async run(job, { pretty }) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const text = decodeText(await readFile(file.path))
    const toCsv = extensionOf(file.name) === 'json' || (file.type.id === 'json' && extensionOf(file.name) === '')
    const name = convertedName(file, 'csv-json', toCsv ? 'csv' : 'json')
    const path = await job.output(name)
    if (!toCsv) {
      await writeFile(path, recordsAsJson(await parseRecords(text, shown), pretty))
      return { files: [{ path, name, mime: 'application/json' }] }
    }
    const records = recordsOf(parseOrdered(text, shown), shown)
    const fields = [...new Set(records.flatMap((record) => Object.keys(record)))]
    const rows = records.map((record) => fields.map((field) => cellOf(record[field])))
    await writeFile(path, await writeCsv(fields.map(plainKey), rows))
    return { files: [{ path, name, mime: 'text/csv' }] }
  },
})
