import { imposePages } from '../../../src/media/pdf/page/impose.ts'
import { expectNoForm, FORM_IS_FLAT, hasForm } from '../../../src/media/pdf/verify/losses.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { bookletSheets } from './booklet-pdf/sheets.ts'

export default pdfTool({
  id: 'booklet-pdf',
  summary: 'Impose pages for duplex printing and folding',
  suffix: 'booklet',
  settings: {
    perSheet: choice([2, 4, 6, 8], 'pages on each side of an A4 sheet', { short: 'n', default: 2 }),
  },
  examples: [{ title: 'a booklet of A5', settings: { perSheet: 2 } }],
  async edit(document, { perSheet }, { warn }) {
    if (hasForm(document)) warn(FORM_IS_FLAT)
    const sheets = bookletSheets(document.pageCount, perSheet)
    await imposePages(document, sheets, { margin: 0, frame: 0, enlarge: true })
    expectNoForm(document)
    return document
  },
})
