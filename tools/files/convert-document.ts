import { oneFile, tool } from '../../src/tool/contract.ts'
import { choice } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { OFFICE_WORK, officeResult } from './_shared/office/result.ts'

export default tool({
  ...OFFICE_WORK,
  id: 'convert-document',
  summary: 'Convert between DOCX, ODT, RTF and plain text',
  input: oneFile('docx', 'doc', 'odt', 'rtf', 'txt'),
  settings: {
    format: choice(['docx', 'odt', 'rtf', 'txt'], 'output format; txt is UTF-8 without any formatting', {
      required: true,
    }),
    encoding: textEncoding('plain text'),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  naming: { suffix: 'convert-document', converts: true },
  engines: ['libreoffice'],
  examples: [{ title: 'for Word', inputs: ['letter.odt'], settings: { format: 'docx' } }],
  run: (job, { format, encoding }) => officeResult(job, 'convert-document', format, { encoding }),
})
