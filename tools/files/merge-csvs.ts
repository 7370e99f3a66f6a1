import { readFile, writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { decodeText, parseRecords, writeDelimited } from '../../src/media/delimited.ts'
import { printableName } from '../../src/media/file.ts'
import { tool } from '../../src/tool/contract.ts'

export default tool({
  section: 'files',
  id: 'merge-csvs',
  summary: 'Concatenate CSV files that have the same columns',
  input: { files: 'many', min: 2, max: 20, accept: ['csv', 'tsv', 'txt'] },
  settings: {},
  output: { kind: 'file', type: { is: 'csv' } },
  timeoutS: 60,
  batch: false,
  examples: [{ title: 'the rows of one behind those of the other', inputs: ['people.csv', 'people.csv'] }],
  async run(job) {
    const path = await job.output('merged.csv')
    let columns: readonly string[] = []
    let delimiter = ','
    const rows: string[][] = []
    for (const [index, file] of job.inputs.entries()) {
      job.signal.throwIfAborted()
      const table = await parseRecords(decodeText(await readFile(file.path)), printableName(file.name))
      if (index === 0) {
        columns = table.header
        delimiter = table.delimiter
      }
      const places = columns.map((column) => table.header.indexOf(column))
      if (places.includes(-1) || table.header.length !== columns.length)
        throw otherColumns(file.name, columns, table.header)
      for (const row of table.rows) rows.push(places.map((place) => row[place]!))
      job.progress((index + 1) / job.inputs.length, 'reading')
    }
    await writeFile(path, await writeDelimited(columns, rows, delimiter))
    return { files: [{ path, name: 'merged.csv', mime: 'text/csv' }] }
  },
})

function otherColumns(name: string, wanted: readonly string[], found: readonly string[]): MediaprocError {
  const missing = wanted.filter((column) => !found.includes(column))
  const more = found.filter((column) => !wanted.includes(column))
  const said = [
    ...(missing.length > 0 ? [`it lacks ${missing.slice(0, 5).join(', ')}`] : []),
    ...(more.length > 0 ? [`it has ${more.slice(0, 5).join(', ')} besides`] : []),
  ]
  return new MediaprocError('PROCESSING_FAILED', `${printableName(name)} has other columns: ${said.join('; ')}`, {
    hint: 'All files need the columns of the first one, in any order.',
  })
}
