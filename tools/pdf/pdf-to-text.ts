import { writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { openPdfFile } from '../../src/media/pdf/document.ts'
import { extractText } from '../../src/media/pdf/text.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'

export default tool({
  section: 'pdf',
  id: 'pdf-to-text',
  summary: 'Extract the text layer as UTF-8 text',
  input: oneFile('pdf'),
  settings: {},
  output: { kind: 'file+report', type: { is: 'txt' } },
  conversion: true,
  engines: ['mupdf'],
  timeoutS: 60,
  examples: [{ title: 'the text of a report' }],
  async run(job) {
    const file = job.inputs[0]!
    const document = await openPdfFile(file)
    try {
      const text = extractText(document)
      if (text.trim() === '')
        throw new MediaprocError(
          'PROCESSING_FAILED',
          `${printableName(file.name)} has no text: its pages are pictures`,
          {
            hint: 'Text in pictures is read by mediaproc pdf ocr-pdf.',
          },
        )
      const name = suffixedName(file, '', 'txt')
      const path = await job.output(name)
      await writeFile(path, text)
      return { files: [{ path, name, mime: 'text/plain' }], report: { chars: Array.from(text).length } }
    } finally {
      document.close()
    }
  },
})
