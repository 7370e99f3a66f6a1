import { printableName } from '../../src/media/file.ts'
import { countScripts } from '../../src/media/rich-text/scripts.ts'
import { readText } from '../../src/media/text-file.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { scriptsSentence } from './_shared/pages/left-out.ts'
import { printed } from './_shared/pages/print.ts'

export default tool({
  section: 'files',
  id: 'html-to-pdf',
  summary: 'Print an HTML file to PDF, no network',
  input: oneFile('html'),
  settings: { encoding: textEncoding('the page') },
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['chromium', 'html'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'a page with its own styles and pictures', inputs: ['page.html'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const page = await readText(file, { encoding, warn: job.warn })
    const scripts = await countScripts(page)
    if (scripts > 0) job.warn(scriptsSentence(printableName(file.name), scripts))
    return printed(job, page)
  },
})
