import { MAX_RANGE_LENGTH, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'
import { rotatePages } from '../../../src/media/pdf/page/rotate.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, text } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'rotate-pdf',
  summary: 'Turn all or selected pages clockwise by 90, 180 or 270 degrees',
  suffix: 'rotated',
  settings: {
    angle: choice([90, 180, 270], 'clockwise, added to the current rotation of the page', {
      short: 'a',
      default: 90,
      unit: 'degrees',
    }),
    range: text('pages to rotate, such as 1-3,z', {
      default: '1-z',
      maxLength: MAX_RANGE_LENGTH,
      grammar: 'page-range',
    }),
  },
  examples: [
    { title: 'all pages to the right' },
    { title: 'only the first page, upside down', settings: { angle: 180, range: '1' } },
  ],
  edit(document, { angle, range }) {
    // A page listed twice is rotated once.
    rotatePages(document, new Set(parsePageRange(range, document.pageCount)), angle)
    return document
  },
})
