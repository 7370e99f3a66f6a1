import { oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'word-to-pdf',
  summary: 'Print a text document to PDF',
  input: oneFile('docx', 'doc', 'odt', 'rtf', 'txt'),
  settings: { encoding: textEncoding('plain text') },
  output: { kind: 'file', type: { is: 'pdf' } },
  naming: { suffix: 'word-to-pdf', converts: true },
  engines: ['libreoffice', 'mupdf'],
  examples: [{ title: 'a letter to send', inputs: ['letter.odt'] }],
  run: (job, { encoding }) => officeResult(job, 'word-to-pdf', 'pdf', { encoding }),
})
