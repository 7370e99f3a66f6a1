import { stemOf } from '../../src/media/file.ts'
import { readText } from '../../src/media/text-file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { markdownPage } from './_shared/pages/markdown-page.ts'
import { printed } from './_shared/pages/print.ts'

export default tool({
  section: 'files',
  id: 'markdown-to-pdf',
  summary: 'Convert Markdown to a styled PDF',
  input: oneFile('md', 'txt'),
  settings: { encoding: textEncoding('the text') },
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['markdown', 'chromium'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'a document to print', inputs: ['notes.md'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    return printed(job, await markdownPage(await readText(file, { encoding, warn: job.warn }), stemOf(file.name)))
  },
})
