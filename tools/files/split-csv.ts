import { appendFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { limitExceeded } from '../../src/limit-exceeded.ts'
import { lastOf } from '../../src/lists.ts'
import { readRows, writeRows } from '../../src/media/delimited.ts'
import { type MediaFile, printableName } from '../../src/media/file.ts'
import { setName } from '../../src/media/naming.ts'
import type { ReadingOptions } from '../../src/media/text-file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean, integer } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'

/** More files than a folder should contain. */
const MAX_PARTS = 10_000

export default tool({
  section: 'files',
  id: 'split-csv',
  summary: 'Cut a CSV into parts of N rows, as a ZIP',
  input: oneFile('csv', 'tsv', 'txt'),
  settings: {
    rowsPerFile: integer('data rows per part; the last one gets the remainder', {
      default: 1000,
      min: 1,
      max: 1_000_000,
      unit: 'rows',
    }),
    keepHeader: boolean('repeat the first row in every part; otherwise it is in none', { default: true }),
    encoding: textEncoding('the table'),
  },
  output: { kind: 'files', type: { is: 'csv' }, set: '{stem}_parts' },
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'two rows in each', inputs: ['people.csv'], settings: { rowsPerFile: 2 } }],
  async run(job, { rowsPerFile, keepHeader, encoding }) {
    const file = job.inputs[0]
    const { signal } = job
    await checkCount(file, rowsPerFile, { signal, encoding })
    const onRead = (fraction: number): void => job.progress(fraction, 'splitting')
    const reading = { signal, onRead, encoding, warn: job.warn }
    const parts: { path: string; name: string; mime: string }[] = []
    let header: string[] | undefined
    let rowsRead = 0
    for await (const { rows, delimiter } of readRows(file, reading)) {
      header ??= rows.shift()!
      for (let from = 0; from < rows.length; ) {
        const inPart = rowsRead % rowsPerFile
        const own = rows.slice(from, from + rowsPerFile - inPart)
        from += own.length
        rowsRead += own.length
        if (inPart === 0) {
          const name = `part-${parts.length + 1}.csv`
          parts.push({ path: await job.output(name), name, mime: 'text/csv' })
        }
        const text = writeRows(inPart === 0 && keepHeader ? [header, ...own] : own, delimiter)
        await appendFile(lastOf(parts).path, inPart === 0 ? text : `\r\n${text}`)
      }
    }
    if (rowsRead === 0)
      throw new MediaprocError('PROCESSING_FAILED', `${printableName(file.name)} has no rows below its header`)
    return { files: parts, set: setName(file, 'parts') }
  },
})

/** A row has at least two bytes, so only a file above a certain size can have too many; only such files are checked. */
async function checkCount(file: MediaFile, rowsPerFile: number, options: ReadingOptions): Promise<void> {
  if (file.bytes <= 2 * rowsPerFile * MAX_PARTS) return
  let rowsRead = -1
  for await (const { rows } of readRows(file, options)) rowsRead += rows.length
  const count = Math.ceil(rowsRead / rowsPerFile)
  if (count <= MAX_PARTS) return
  throw limitExceeded(`That would be ${count} parts; the limit is ${MAX_PARTS}`, {
    hint: { shell: 'Increase the rows per part: --rows-per-file', http: 'Increase the rows per part: rowsPerFile.' },
  })
}
