import { writeDocx } from '../../../src/engines/docx/docx.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { printableName, stemOf } from '../../../src/media/file.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { readDocument } from './pdf-to-word/read-document.ts'

export default pdfTool({
  id: 'pdf-to-word',
  summary: 'Convert a text PDF to a Word document',
  settings: {},
  output: { kind: 'file', type: { is: 'docx' } },
  conversion: true,
  engines: ['mupdf', 'docx'],
  timeoutS: 300,
  async: true,
  heavy: true,
  batch: true,
  examples: [{ title: 'a report to continue writing' }],
  suffix: '',
  async produce([document], _settings, { files: [file], warn, signal, progress }) {
    const shown = printableName(file.name)
    const { warnings, title, ...text } = await readDocument(document, {
      signal,
      onProgress: (fraction) => progress(fraction, 'reading'),
    })
    if (text.blocks.length === 0)
      throw new MediaprocError('PROCESSING_FAILED', `${shown} has nothing to convert: its pages are blank or drawn`, {
        hint: {
          shell: 'Use mediaproc pdf pdf-to-image to convert them to images.',
          http: 'Use the tool pdf-to-image to convert them to images.',
        },
      })
    for (const warning of warnings) warn(warning)
    const data = await writeDocx({ ...text, title: title ?? stemOf(file.name) })
    return { files: [{ type: 'docx', data }] }
  },
})
