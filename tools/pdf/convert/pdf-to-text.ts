import { MediaprocError } from '../../../src/errors.ts'
import { printableName } from '../../../src/media/file.ts'
import type { PdfHandle } from '../../../src/media/pdf/document.ts'
import { extractText, hasPictures } from '../../../src/media/pdf/structure/text.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'pdf-to-text',
  summary: 'Extract the text layer as UTF-8 text',
  settings: {},
  output: { kind: 'file+report', type: { is: 'txt' } },
  conversion: true,
  examples: [{ title: 'the text of a report' }],
  suffix: '',
  produce([document], _settings, { files: [file] }) {
    const data = extractText(document)
    if (data.trim() === '') throw withoutText(document, printableName(file.name))
    return { files: [{ type: 'txt', data }], report: { chars: Array.from(data).length } }
  },
})

function withoutText(document: PdfHandle, name: string): MediaprocError {
  const pages = hasPictures(document) ? 'pictures' : 'blank or drawn'
  return new MediaprocError('PROCESSING_FAILED', `${name} has no text: its pages are ${pages}`, {
    hint: {
      shell: 'Use mediaproc pdf ocr-pdf to read text in images.',
      http: 'Use the tool ocr-pdf to read text in images.',
    },
  })
}
