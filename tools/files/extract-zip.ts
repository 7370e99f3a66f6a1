import { setName } from '../../src/media/naming.ts'
import { uniqueNames } from '../../src/media/unique-names.ts'
import { extractEntries, listEntries } from '../../src/media/unzip.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'

/** The answer lists at most so many entries (catalogue). */
const LISTED = 100

/** Nothing is said of what others packed: a browser must not show it as a page (catalogue). */
const MIME = 'application/octet-stream'

export default tool({
  section: 'files',
  id: 'extract-zip',
  summary: 'Unpack a ZIP safely into one flat ZIP or one file',
  input: oneFile('zip'),
  settings: {},
  output: { kind: 'files+report', type: { oneOf: ['*'] } },
  timeoutS: 120,
  examples: [{ title: 'everything in one folder', inputs: ['archive.zip'] }],
  async run(job) {
    const file = job.inputs[0]!
    const entries = await listEntries(file)
    const names = uniqueNames(entries.map((entry) => entry.baseName))
    const files = []
    for (const name of names) files.push({ path: await job.output(name), name, mime: MIME })
    await extractEntries(
      file,
      entries,
      files.map(({ path }) => path),
      {
        signal: job.signal,
        onProgress: (fraction) => job.progress(fraction, 'unpacking'),
      },
    )
    const report = { entries: entries.slice(0, LISTED).map(({ size }, index) => ({ name: names[index], size })) }
    return { files, report, ...(files.length > 1 && { set: setName(file, 'extracted') }) }
  },
})
