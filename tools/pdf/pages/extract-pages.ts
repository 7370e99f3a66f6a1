import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'extract-pages',
  summary: 'Copy chosen pages into a new PDF, in the order given',
  suffix: 'extracted',
  settings: {
    range: text('pages such as 1-5,8,10-z; z is the last, r2 the one before; order counts', {
      grammar: 'page-range',
      required: true,
      maxLength: MAX_RANGE_LENGTH,
      example: '1-3,z',
    }),
  },
  examples: [
    { title: 'the first two pages', settings: { range: '1-2' } },
    { title: 'all pages backwards', settings: { range: 'z-1' } },
  ],
  edit: (document, { range }) => selectPages(document, parsePageRange(range, document.pageCount)),
})
