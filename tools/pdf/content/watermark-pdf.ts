import { stampText } from '../../../src/media/pdf/stamp/stamp.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice, integer, number, text } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

/** Distance of the outer positions from the edges of the visible page, points. */
const INSET = 12

export default pdfTool({
  id: 'watermark-pdf',
  summary: 'Stamp one text on every page',
  suffix: 'watermarked',
  settings: {
    text: text('%p is the page number, %P the number of pages', {
      required: true,
      minLength: 1,
      maxLength: 200,
      example: 'DRAFT',
    }),
    position: choice(
      ['tl', 'tc', 'tr', 'l', 'c', 'r', 'bl', 'bc', 'br'],
      'top, middle or bottom; left, centre or right',
      {
        default: 'c',
      },
    ),
    fontSize: integer('font size', { default: 48, min: 6, max: 72, unit: 'pt' }),
    opacity: number('opacity; 1 is opaque', { default: 0.3, min: 0.05, max: 1 }),
    rotation: number('counter-clockwise', { default: 45, min: -180, max: 180, unit: 'degrees' }),
  },
  examples: [
    { title: 'a draft', settings: { text: 'DRAFT' } },
    {
      title: 'page numbers',
      settings: { text: 'Page %p of %P', position: 'br', fontSize: 10, rotation: 0, opacity: 1 },
    },
  ],
  check({ text: given }) {
    if (given.trim() === '') throw invalidSettings('Expected text that is not blank for text')
  },
  async edit(document, { text: given, position, fontSize, opacity, rotation }, { warn }) {
    const scaled = await stampText(document, {
      text: given,
      position,
      fontSize,
      opacity,
      rotation,
      insetPt: position === 'c' ? 0 : INSET,
    })
    if (scaled.length > 0)
      warn(
        `The text is larger than ${scaled.length === 1 ? `page ${scaled[0]}` : `${scaled.length} pages`} at ${fontSize} pt, and is smaller there`,
      )
    return document
  },
})
