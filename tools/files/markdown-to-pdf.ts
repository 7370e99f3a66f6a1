import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { markdownPage } from './_shared/pages/markdown-page.ts'
import { checkPaper, PAPER_SETTINGS, paperStyle } from './_shared/pages/paper.ts'
import { printed } from './_shared/pages/print.ts'

export default tool({
  section: 'files',
  id: 'markdown-to-pdf',
  summary: 'Convert Markdown to a styled PDF',
  input: oneFile('md', 'txt'),
  settings: { ...PAPER_SETTINGS, encoding: textEncoding('the text') },
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['markdown', 'chromium'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [
    { title: 'a document to print', inputs: ['notes.md'] },
    {
      title: 'on US paper, with page numbers',
      inputs: ['notes.md'],
      settings: { pageSize: 'Letter', header: '{title}', footer: '{page} / {pages}' },
    },
  ],
  check(paper) {
    checkPaper(paper)
  },
  async run(job, { encoding, ...paper }) {
    const file = job.inputs[0]
    return printed(job, await markdownPage(file, { encoding, warn: job.warn }, (title) => paperStyle(paper, title)))
  },
})
