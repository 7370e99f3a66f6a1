import { cropPages } from '../../../src/media/pdf/page/crop.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { number } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'crop-pdf',
  summary: 'Trim the same margin off all four sides of every page',
  suffix: 'cropped',
  settings: {
    margin: number('margin cropped from each side; the hidden content stays in the file', {
      default: 20,
      min: 0,
      max: 2000,
      unit: 'pt',
    }),
  },
  examples: [{ title: 'smaller margins around the text', settings: { margin: 30 } }],
  edit(document, { margin }) {
    cropPages(document, margin)
    return document
  },
})
