import { pdfTool } from '../../src/tool/pdf-tool.ts'
import { text } from '../../src/tool/settings.ts'

export default pdfTool({
  id: 'protect-pdf',
  summary: 'Encrypt a PDF with AES-256 passwords',
  suffix: 'protected',
  deterministic: false,
  settings: {
    userPassword: text('asked for when the file is opened', {
      required: true,
      minLength: 1,
      maxLength: 256,
      secret: true,
    }),
    ownerPassword: text('lifts restrictions; by default the same', { minLength: 1, maxLength: 256, secret: true }),
  },
  examples: [{ title: 'with a password', settings: { userPassword: 'open sesame' } }],
  edit(document, { userPassword, ownerPassword }) {
    document.target.encryption = { userPassword, ownerPassword: ownerPassword ?? userPassword }
    return document
  },
})
