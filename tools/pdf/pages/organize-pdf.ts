import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'organize-pdf',
  summary: 'Rebuild a PDF with its pages in the order given',
  suffix: 'organized',
  settings: {
    order: text('all pages of the result, such as 3,1,2,5-z; a page listed twice appears twice', {
      grammar: 'page-range',
      required: true,
      maxLength: MAX_RANGE_LENGTH,
      example: '3,1,2',
    }),
  },
  examples: [{ title: 'the last page first', settings: { order: 'z,1-r2' } }],
  edit: (document, { order }) => selectPages(document, parsePageRange(order, document.pageCount)),
})
