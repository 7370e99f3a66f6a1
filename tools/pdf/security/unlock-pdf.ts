import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'unlock-pdf',
  summary: 'Remove the password of a PDF, given the password',
  suffix: 'unlocked',
  settings: {
    password: text('the user or the owner password', { required: true, minLength: 1, maxLength: 256, secret: true }),
  },
  examples: [{ title: 'without the password', inputs: ['secret.pdf'], settings: { password: 'open sesame' } }],
  open: ({ password }) => ({ password }),
  edit(document) {
    document.target.encryption = 'none'
    return document
  },
})
