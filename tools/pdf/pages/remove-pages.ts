import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { selectPages } from '../../../src/media/pdf/page/rearrange.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { text } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'remove-pages',
  summary: 'Delete chosen pages, keep the rest in order',
  suffix: 'removed',
  settings: {
    pages: text('pages to delete, such as 2,5-8,z; z is the last, r2 the one before', {
      grammar: 'page-range',
      short: 'p',
      required: true,
      maxLength: MAX_RANGE_LENGTH,
      example: '2,z',
    }),
  },
  examples: [{ title: 'without the cover', settings: { pages: '1' } }],
  edit(document, { pages }) {
    const removed = new Set(parsePageRange(pages, document.pageCount))
    const all = Array.from({ length: document.pageCount }, (_, index) => index + 1)
    return selectPages(
      document,
      all.filter((page) => !removed.has(page)),
    )
  },
})
