import { MediaprocError } from '../../src/errors.ts'
import { printableName } from '../../src/media/file.ts'
import { extractText } from '../../src/media/pdf/text.ts'
import { pdfTool } from '../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'pdf-to-text',
  summary: 'Extract the text layer as UTF-8 text',
  settings: {},
  output: { kind: 'file+report', type: { is: 'txt' } },
  conversion: true,
  examples: [{ title: 'the text of a report' }],
  suffix: '',
  produce([document], _settings, { files: [file] }) {
    const data = extractText(document!)
    if (data.trim() === '')
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `${printableName(file!.name)} has no text: its pages are pictures`,
        {
          hint: 'Text in pictures is read by mediaproc pdf ocr-pdf.',
        },
      )
    return { files: [{ type: 'txt', data }], report: { chars: Array.from(data).length } }
  },
})
