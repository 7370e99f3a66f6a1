import { oneFile, tool } from '../../src/tool/contract.ts'
import { officeResult } from './_shared/office/result.ts'

export default tool({
  section: 'files',
  id: 'word-to-pdf',
  summary: 'Print a text document to PDF',
  input: oneFile('docx', 'doc', 'odt', 'rtf', 'txt'),
  settings: {},
  output: { kind: 'file', type: { is: 'pdf' } },
  conversion: true,
  engines: ['libreoffice', 'mupdf'],
  timeoutS: 120,
  async: true,
  heavy: true,
  deterministic: false,
  batch: true,
  examples: [{ title: 'a letter to send', inputs: ['letter.odt'] }],
  run: (job) => officeResult(job, 'word-to-pdf', 'pdf'),
})
