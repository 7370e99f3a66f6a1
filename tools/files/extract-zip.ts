import { printableName } from '../../src/media/file.ts'
import { setName } from '../../src/media/naming.ts'
import { uniqueNames } from '../../src/media/unique-names.ts'
import { extractEntries, listEntries, type ZipListing } from '../../src/media/unzip.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { counted, listed } from '../../src/wording.ts'

/** Maximum number of entries listed in the result (catalogue). */
const LISTED = 100

/** Entries get no specific media type: a browser must not display them as a page (catalogue). */
const MIME = 'application/octet-stream'

export default tool({
  section: 'files',
  id: 'extract-zip',
  summary: 'Unpack a ZIP safely into one flat ZIP or one file',
  input: oneFile('zip'),
  settings: {},
  output: { kind: 'files+report', type: { oneOf: ['*'] } },
  timeoutS: 120,
  examples: [{ title: 'everything in one folder', inputs: ['bundle.zip'] }],
  async run(job) {
    const file = job.inputs[0]
    const { members: entries, links } = await listEntries(file)
    if (links.count > 0) job.warn(linksSentence(printableName(file.name), links))
    const names = uniqueNames(entries.map((entry) => entry.baseName))
    const files = []
    for (const name of names) files.push({ path: await job.output(name), name, mime: MIME, isVerbatim: true })
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

/** Links are never created: a link could point outside the folder, or to files that are placed there later. */
function linksSentence(name: string, links: ZipListing['links']): string {
  const rest = links.count - links.names.length
  const more = rest > 0 ? ` and ${rest} more` : ''
  return `${name} contains ${counted(links.count, 'symbolic link')}, which ${links.count === 1 ? 'is' : 'are'} not unpacked: ${listed(links.names)}${more}`
}
