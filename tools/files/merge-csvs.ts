import { MediaprocError } from '../../src/errors.ts'
import { delimitedText, readRecords } from '../../src/media/delimited.ts'
import { printableName } from '../../src/media/file.ts'
import { writeText } from '../../src/media/growing-csv.ts'
import { type Job, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'

export default tool({
  section: 'files',
  id: 'merge-csvs',
  summary: 'Concatenate CSV files that have the same columns',
  input: { files: 'many', min: 2, max: 20, accept: ['csv', 'tsv', 'txt'] },
  settings: { encoding: textEncoding('each table') },
  output: { kind: 'file', type: { is: 'csv' }, name: 'merged' },
  timeoutS: 60,
  batch: false,
  examples: [{ title: 'append the rows of one table to the other', inputs: ['people.csv', 'people.csv'] }],
  async run(job, { encoding }) {
    const path = await job.output('merged.csv')
    const format = { delimiter: ',' }
    await writeText(
      path,
      delimitedText(mergedRows(job, format, encoding), () => format.delimiter),
      job.signal,
    )
    return { files: [{ path, name: 'merged.csv', mime: 'text/csv' }] }
  },
})

/** Yields the header of the first file, then all rows in its column order; reports the first file's delimiter. */
async function* mergedRows(job: Job, format: { delimiter: string }, encoding: string): AsyncGenerator<string[][]> {
  let columns: readonly string[] | undefined
  for (const [index, file] of job.inputs.entries()) {
    let places: number[] | undefined
    const onRead = (fraction: number): void => job.progress((index + fraction) / job.inputs.length, 'merging')
    for await (const batch of readRecords(file, { signal: job.signal, onRead, encoding, warn: job.warn })) {
      if (!columns) {
        columns = batch.columns
        format.delimiter = batch.delimiter
        yield [[...batch.header]]
      }
      places ??= placesOf(columns, batch.columns, file.name)
      const order = places
      yield batch.rows.map((row) => order.map((place) => row[place]!))
    }
    if (!places && columns && columns.length > 0) throw otherColumns(file.name, columns, [])
    columns ??= []
  }
}

/** Indexes of the first file's columns in this file. */
function placesOf(wanted: readonly string[], found: readonly string[], name: string): number[] {
  const places = wanted.map((column) => found.indexOf(column))
  if (places.includes(-1) || found.length !== wanted.length) throw otherColumns(name, wanted, found)
  return places
}

function otherColumns(name: string, wanted: readonly string[], found: readonly string[]): MediaprocError {
  const missing = wanted.filter((column) => !found.includes(column))
  const more = found.filter((column) => !wanted.includes(column))
  const said = [
    ...(missing.length > 0 ? [`missing: ${missing.slice(0, 5).join(', ')}`] : []),
    ...(more.length > 0 ? [`additional: ${more.slice(0, 5).join(', ')}`] : []),
  ]
  return new MediaprocError('PROCESSING_FAILED', `${printableName(name)} has different columns: ${said.join('; ')}`, {
    hint: 'All files need the columns of the first one, in any order.',
  })
}
