import { stampText } from '../../../src/media/pdf/stamp/stamp.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer } from '../../../src/tool/settings.ts'

/** Distance from the edges of the visible page, points (catalogue). */
const INSET = 18

const BLACK = [0, 0, 0] as const

export default pdfTool({
  id: 'pdf-page-numbers',
  summary: 'Print a page number on every page',
  suffix: 'numbered',
  settings: {
    position: choice(['bl', 'bc', 'br', 'tl', 'tc', 'tr'], 'bottom or top; left, centre or right', { default: 'bc' }),
    fontSize: integer('font size', { default: 10, min: 6, max: 24, unit: 'pt' }),
  },
  examples: [{ title: 'at the top right', settings: { position: 'tr' } }],
  async edit(document, { position, fontSize }, { warn }) {
    const scaled = await stampText(document, {
      text: 'Page %p of %P',
      position,
      fontSize,
      insetPt: INSET,
      colour: BLACK,
    })
    if (scaled.length > 0)
      warn(
        `The number is wider than ${scaled.length === 1 ? `page ${scaled[0]}` : `${scaled.length} pages`}, and is smaller there`,
      )
    return document
  },
})
