import { readFile, writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { decodeText, parseTable, writeDelimited } from '../../src/media/delimited.ts'
import { printableName } from '../../src/media/file.ts'
import { setName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean, integer } from '../../src/tool/settings.ts'

/** More files than a folder should get. */
const MAX_PARTS = 10_000

export default tool({
  section: 'files',
  id: 'split-csv',
  summary: 'Cut a CSV into parts of N rows, as a ZIP',
  input: oneFile('csv', 'tsv', 'txt'),
  settings: {
    rowsPerFile: integer('data rows of a part; the last takes what is left', {
      default: 1000,
      min: 1,
      max: 1_000_000,
      unit: 'rows',
    }),
    keepHeader: boolean('the first row stands in every part; otherwise in none', { default: true }),
  },
  output: { kind: 'files', type: { is: 'csv' } },
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'two rows in each', inputs: ['people.csv'], settings: { rowsPerFile: 2 } }],
  async run(job, { rowsPerFile, keepHeader }) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const { rows: all, delimiter } = await parseTable(decodeText(await readFile(file.path)), shown)
    const [header = [], ...rows] = all
    if (rows.length === 0) throw new MediaprocError('PROCESSING_FAILED', `${shown} has no rows below its header`)
    const count = Math.ceil(rows.length / rowsPerFile)
    if (count > MAX_PARTS)
      throw new MediaprocError('LIMIT_EXCEEDED', `That would be ${count} parts; at most ${MAX_PARTS} are written`, {
        hint: 'Put more rows into each: --rows-per-file',
      })
    const files = []
    for (let part = 0; part < count; part += 1) {
      job.signal.throwIfAborted()
      const own = rows.slice(part * rowsPerFile, (part + 1) * rowsPerFile)
      const name = `part-${part + 1}.csv`
      const path = await job.output(name)
      const [first, ...rest] = keepHeader ? [header, ...own] : own
      await writeFile(path, await writeDelimited(first!, rest, delimiter))
      files.push({ path, name, mime: 'text/csv' })
      job.progress((part + 1) / count, 'writing')
    }
    return { files, set: setName(file, 'parts') }
  },
})
