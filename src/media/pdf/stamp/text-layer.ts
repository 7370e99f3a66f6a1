import { loadMupdf, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { appendToPage } from '../page/page-content.ts'
import { separatePages } from '../page/page-tree.ts'
import { ADVANCE, ASCENT, addGlyphlessFont, DESCENT, type GlyphlessFont } from './glyphless-font.ts'
import { pdfNumber } from './stamp-form.ts'

/**
 * A word and its position on the page as displayed: points from the upper left corner, y down; the angle clockwise, in
 * radians.
 */
export interface PlacedWord {
  text: string
  centre: { x: number; y: number }
  width: number
  height: number
  angle: number
}

/** The words of a page (from 1), line by line. */
export interface PageWords {
  page: number
  lines: readonly (readonly PlacedWord[])[]
}

/** A text at a position, scaled to the required width regardless of its letters. */
function shown(text: string, width: number, size: number, font: GlyphlessFont): string {
  const natural = (Array.from(text).length * size * ADVANCE) / 1000
  return `${pdfNumber((100 * width) / natural)} Tz ${font.codes(text)} Tj`
}

/** The words of a line, and spaces between them as wide as the gaps, so that readers separate them. */
function lineContent(words: readonly PlacedWord[], [left, top]: readonly number[], font: GlyphlessFont): string[] {
  return words.map((word, at) => {
    const { centre, width, height, angle, text } = word
    const size = (height * 1000) / (ASCENT - DESCENT)
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const base = height / 2 + (size * DESCENT) / 1000
    // The form's y axis points up, the display's down.
    const x = centre.x - (width / 2) * cos - base * sin + left!
    const y = -(centre.y - (width / 2) * sin + base * cos + top!)
    const matrix = [cos, -sin, sin, cos, x, y].map(pdfNumber).join(' ')
    const next = words[at + 1]
    const gap = next ? Math.hypot(next.centre.x - centre.x, next.centre.y - centre.y) - (next.width + width) / 2 : 0
    const space = gap > 0 ? ` ${shown(' ', gap, size, font)}` : ''
    return `${matrix} Tm /F ${pdfNumber(size)} Tf ${shown(text, width, size, font)}${space}`
  })
}

/**
 * Adds invisible text over the content of pages: recognized text is placed where it was recognized and can be searched,
 * selected and copied, and the appearance of the page does not change (text rendering mode 3).
 */
export async function addTextLayer(document: PdfHandle, pages: readonly PageWords[]): Promise<void> {
  const { Matrix } = await loadMupdf()
  const { pdf } = document
  const texts = pages.flatMap(({ lines }) => lines.flat().map(({ text }) => text))
  if (texts.length === 0) return
  withMupdfErrors('PROCESSING_FAILED', 'The text could not be laid over the pages', () => {
    const font = addGlyphlessFont(pdf, [...texts, ' '])
    separatePages(pdf)
    for (const { page, lines } of pages) {
      if (lines.length === 0) continue
      const loaded = pdf.loadPage(page - 1)
      const [left, top, right, bottom] = loaded.getBounds()
      const toDisplay = loaded.getTransform()
      loaded.destroy()
      const content = lines.flatMap((line) => lineContent(line, [left, top], font))
      const form = pdf.addStream(`BT 3 Tr\n${content.join('\n')}\nET`, {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [left, -bottom, right, -top],
        Resources: { Font: { F: font.object } },
      })
      const matrix = Matrix.concat(Matrix.scale(1, -1), Matrix.invert(toDisplay))
      const name = appendToPage(pdf, pdf.findPage(page - 1), { form, matrix, name: 'Text' })
      document.expect(`page ${page} has its text ${name}`, (saved) =>
        saved
          .findPage(page - 1)
          .get('Resources', 'XObject', name)
          .isStream(),
      )
    }
  })
}
