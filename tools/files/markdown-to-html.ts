import { writeFile } from 'node:fs/promises'
import { suffixedName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { markdownPage } from './_shared/pages/markdown-page.ts'

export default tool({
  section: 'files',
  id: 'markdown-to-html',
  summary: 'Convert Markdown to a standalone HTML page',
  input: oneFile('md', 'txt'),
  settings: { encoding: textEncoding('the text') },
  output: { kind: 'file', type: { is: 'html' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['markdown'],
  timeoutS: 120,
  batch: true,
  examples: [{ title: 'a page to open in a browser', inputs: ['notes.md'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const name = suffixedName(file, '', 'html')
    const path = await job.output(name)
    await writeFile(path, await markdownPage(file, { encoding, warn: job.warn }))
    return { files: [{ path, name, mime: 'text/html' }] }
  },
})
