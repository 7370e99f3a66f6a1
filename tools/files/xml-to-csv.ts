import { writeFile } from 'node:fs/promises'
import { parseXml } from '../../src/engines/xml.ts'
import { MediaprocError } from '../../src/errors.ts'
import { writeRows } from '../../src/media/delimited.ts'
import { printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { counted, listed } from '../../src/wording.ts'
import { leftOut, recordsIn, tableOf } from './xml-to-csv/records.ts'

/** Larger input is refused (catalogue), bytes: it is held in memory several times over. */
const MAX_BYTES = 10 * 1024 * 1024

export default tool({
  section: 'files',
  id: 'xml-to-csv',
  summary: 'Turn repeating XML elements into CSV rows',
  input: oneFile('xml'),
  settings: { encoding: textEncoding('the file') },
  output: { kind: 'file+report', type: { is: 'csv' } },
  naming: { suffix: 'xml-to-csv', converts: true },
  conversion: true,
  engines: ['xml'],
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'a table of the repeated elements', inputs: ['register.xml'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const text = await readText(file, { maxBytes: MAX_BYTES, encoding, warn: job.warn })
    const document = await parseXml(text, shown, { warn: job.warn })
    const records = recordsIn(document)
    if (!records)
      throw new MediaprocError('PROCESSING_FAILED', `${shown} has no repeated elements, and none with plain values`)
    const outside = leftOut(document, records)
    if (outside.length > 0)
      job.warn(
        `${shown} has ${counted(outside.length, 'value')} outside the rows, omitted: ${listed([...new Set(outside)])}`,
      )
    const { fields, rows } = tableOf(records.rows)
    const name = convertedName(file, 'xml-to-csv', 'csv')
    const path = await job.output(name)
    await writeFile(path, writeRows([fields, ...rows]))
    return { files: [{ path, name, mime: 'text/csv' }], report: { rows: rows.length } }
  },
})
