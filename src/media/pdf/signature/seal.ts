import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { required } from '../../../lists.ts'
import { userUnit } from '../page/crop.ts'
import { rotationOf } from '../page/rotate.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { layoutLines } from '../stamp/stamp-layout.ts'
import { itemsOf } from '../structure/trees.ts'

/** Largest size of the letters, in points; distance of lines and from the edges, in em. */
const MOST_SIZE = 14
const LEADING = 1.25
const MARGIN = 0.5

const INK = [0.1, 0.15, 0.3] as const

/** Draws the text of a visible signature into the box of a field, upright on the displayed page. */
export function drawSeal(
  mupdf: Mupdf,
  pdf: PDFDocument,
  widget: PDFObject,
  page: PDFObject,
  lines: readonly string[],
): void {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = itemsOf(widget.get('Rect')).map((side) => side.asNumber() * userUnit(page))
  const turn = rotationOf(page) / 90
  const [boxWidth, boxHeight] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
  if (boxWidth < 2 || boxHeight < 2) return
  const [width, height] = turn % 2 === 1 ? [boxHeight, boxWidth] : [boxWidth, boxHeight]
  const { lines: laid, resources } = layoutLines(mupdf, pdf, lines, INK)
  const widest = Math.max(...lines.map((line) => required(laid, line).width))
  const size = Math.min(
    MOST_SIZE,
    height / ((lines.length - 1) * LEADING + 1 + 2 * MARGIN),
    width / (widest + 2 * MARGIN),
  )
  const top = (height + ((lines.length - 1) * LEADING + 1) * size) / 2
  const drawn = lines.map((line, index) => {
    const base = top - (0.78 + index * LEADING) * size
    const scale = pdfNumber(size)
    return `q ${scale} 0 0 ${scale} ${pdfNumber(MARGIN * size)} ${pdfNumber(base)} cm ${required(laid, line).content} Q`
  })
  const frame = `0.45 0.5 0.62 RG 0.75 w 0.375 0.375 ${pdfNumber(width - 0.75)} ${pdfNumber(height - 0.75)} re S`
  const form = pdf.newDictionary()
  form.put('Type', pdf.newName('XObject'))
  form.put('Subtype', pdf.newName('Form'))
  form.put('BBox', [0, 0, width, height])
  // Readers fit the turned box into the field.
  form.put(
    'Matrix',
    [
      [1, 0, 0, 1],
      [0, 1, -1, 0],
      [-1, 0, 0, -1],
      [0, -1, 1, 0],
    ][turn]?.concat(0, 0) ?? [1, 0, 0, 1, 0, 0],
  )
  form.put('Resources', resources)
  const appearances = pdf.newDictionary()
  const paint = `${INK.map(pdfNumber).join(' ')} rg`
  appearances.put('N', pdf.addStream([frame, paint, ...drawn].join('\n'), form))
  widget.put('AP', appearances)
}
