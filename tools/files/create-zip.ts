import { uniqueNames } from '../../src/media/unique-names.ts'
import { zipFiles } from '../../src/media/zip.ts'
import { tool } from '../../src/tool/contract.ts'

/** Characters that unpackers on some system refuse or interpret as a folder or a control character. */
const UNSAFE = /[\u0000-\u001f\u007f<>:"/\\|?*]/g

/** A name that unpacks everywhere: no separators or control characters, not only dots. */
function safeName(name: string): string {
  const clean = name.replace(UNSAFE, '_').replace(/[. ]+$/, '')
  return clean === '' ? 'file' : clean
}

export default tool({
  section: 'files',
  id: 'create-zip',
  summary: 'Pack several files of any kind into one ZIP',
  input: { files: 'many', min: 2, max: 50, accept: ['*'], mayBeEmpty: true },
  settings: {},
  output: { kind: 'file', type: { is: 'zip' }, name: 'archive' },
  timeoutS: 60,
  batch: false,
  examples: [{ title: 'three files in one', inputs: ['photo.jpg', 'report.pdf', 'people.csv'] }],
  async run(job) {
    const names = uniqueNames(job.inputs.map((file) => safeName(file.name)))
    const path = await job.output('archive.zip')
    const entries = job.inputs.map((file, index) => ({ name: names[index]!, path: file.path }))
    await zipFiles(entries, path, { signal: job.signal })
    return { files: [{ path, name: 'archive.zip', mime: 'application/zip' }] }
  },
})
