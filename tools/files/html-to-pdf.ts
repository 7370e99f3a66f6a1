import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { printableName } from '../../src/media/file.ts'
import { decodeText, hasWideMark } from '../../src/media/text-file.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { printed } from './_shared/pages/print.ts'

export default tool({
  section: 'files',
  id: 'html-to-pdf',
  summary: 'Print an HTML file to PDF, no network',
  input: oneFile('html'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: '' },
  conversion: true,
  engines: ['chromium'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'a page with its own styles and pictures', inputs: ['page.html'] }],
  run: async (job) => printed(job, await utf8Of(job)),
})

/** As UTF-8, bad bytes replaced (catalogue), which is told; UTF-16 by its mark. */
async function utf8Of(job: Job): Promise<string> {
  const file = job.inputs[0]!
  const bytes = await readFile(file.path)
  if (hasWideMark(bytes)) return decodeText(bytes)
  if (!isUtf8(bytes))
    job.warn(`${printableName(file.name)} is not UTF-8: what cannot be read as such is replaced by \ufffd`)
  return new TextDecoder().decode(bytes)
}
