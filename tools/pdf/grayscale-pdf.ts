import { carryInformation, distilled } from '../../src/media/pdf/distill.ts'
import { FORM_IS_FLAT, hasForm } from '../../src/media/pdf/losses.ts'
import { pdfTool } from '../../src/tool/pdf-tool.ts'

export default pdfTool({
  id: 'grayscale-pdf',
  summary: 'Turn every colour in a PDF to gray',
  suffix: 'grayscale',
  settings: {},
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  heavy: true,
  examples: [{ title: 'for a printer without colours' }],
  async edit(document, _settings, { signal, warn }) {
    if (hasForm(document)) warn(FORM_IS_FLAT)
    const args = ['-sProcessColorModel=DeviceGray', '-sColorConversionStrategy=Gray']
    const result = await distilled(document, { args, encryption: 'keep', signal })
    carryInformation(document, result)
    return result
  },
})
