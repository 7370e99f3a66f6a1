import { carryInformation, distilled } from '../../../src/media/pdf/distill.ts'
import { countAnnotations } from '../../../src/media/pdf/structure/annotation-list.ts'
import { expectNoForm, FORM_IS_FLAT, hasForm } from '../../../src/media/pdf/verify/losses.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { grayAnnotations } from './grayscale-pdf/annotation-colors.ts'

export default pdfTool({
  id: 'grayscale-pdf',
  summary: 'Turn every colour in a PDF to gray',
  suffix: 'grayscale',
  settings: {},
  engines: ['mupdf', 'ghostscript'],
  timeoutS: 120,
  heavy: true,
  examples: [{ title: 'for a black-and-white printer' }],
  async edit(document, _settings, { signal, warn }) {
    if (hasForm(document)) warn(FORM_IS_FLAT)
    const annotations = countAnnotations(document)
    const args = ['-sProcessColorModel=DeviceGray', '-sColorConversionStrategy=Gray']
    const result = await distilled(document, { args, encryption: 'keep', signal })
    const lost = annotations - countAnnotations(result)
    if (lost > 0)
      warn(
        `${lost} ${lost === 1 ? 'annotation is' : 'annotations are'} lost: Ghostscript omits annotations that it cannot place`,
      )
    carryInformation(document, result)
    grayAnnotations(result)
    expectNoForm(result)
    return result
  },
})
