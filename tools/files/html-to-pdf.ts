import { readFile } from 'node:fs/promises'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { printed } from './_shared/pages/print.ts'

export default tool({
  section: 'files',
  id: 'html-to-pdf',
  summary: 'Print an HTML file to PDF, no network',
  input: oneFile('html'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  conversion: true,
  engines: ['chromium'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'a page with its own styles and pictures', inputs: ['page.html'] }],
  // As UTF-8, bad bytes replaced (catalogue).
  run: async (job) => printed(job, new TextDecoder().decode(await readFile(job.inputs[0]!.path))),
})
