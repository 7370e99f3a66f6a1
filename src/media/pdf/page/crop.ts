import type { PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import type { PdfHandle } from '../handle.ts'
import { itemsOf } from '../structure/trees.ts'
import { separatePages } from './page-tree.ts'

/** Left, bottom, right, top, in page units. */
type Box = [number, number, number, number]

/** ISO 32000-1 requires a MediaBox; readers assume US Letter when it is missing. */
const DEFAULT_BOX: Box = [0, 0, 612, 792]

/**
 * Moves the edges of the visible area of every page inwards by `margin` points; content outside is hidden, not deleted.
 * If a page would have no width or height left, throws TARGET_UNREACHABLE and changes nothing.
 */
export function cropPages(document: PdfHandle, margin: number): void {
  const { pdf, pageCount } = document
  separatePages(pdf)
  const boxes = Array.from({ length: pageCount }, (_, index) => {
    const page = pdf.findPage(index)
    const box = visibleBox(page)
    const inset = margin / userUnit(page)
    const after: Box = [box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset]
    if (after[0] < after[2] && after[1] < after[3]) return after
    const size = [box[2] - box[0], box[3] - box[1]].map((side) => Number((side * userUnit(page)).toFixed(1)))
    throw new MediaprocError(
      'TARGET_UNREACHABLE',
      `A margin of ${margin} points leaves nothing of page ${index + 1}, which is ${size.join(' x ')} points`,
      { hint: 'Choose a smaller margin.' },
    )
  })
  if (margin === 0) return
  // Readers ignore text outside the visible area.
  document.forgetText()
  for (const [index, box] of boxes.entries()) {
    pdf.findPage(index).put('CropBox', box)
    document.expect(`page ${index + 1} is cropped`, (saved) => {
      const found = itemsOf(saved.findPage(index).get('CropBox')).map((side) => side.asNumber())
      return box.every((side, position) => Math.abs(side - found[position]!) < 0.01)
    })
  }
}

/** The part of the page that readers display: its crop box, clipped to the media box. */
export function visibleBox(page: PDFObject): Box {
  const media = boxOf(page, 'MediaBox') ?? DEFAULT_BOX
  const crop = boxOf(page, 'CropBox') ?? media
  const both: Box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ]
  // A crop box outside the media box is an error, and readers ignore it.
  return both[0] < both[2] && both[1] < both[3] ? both : media
}

function boxOf(page: PDFObject, name: string): Box | undefined {
  const sides = itemsOf(page.getInheritable(name)).map((side) => (side.isNumber() ? side.asNumber() : Number.NaN))
  if (sides.length !== 4 || sides.some(Number.isNaN)) return undefined
  // Any two opposite corners define a box (ISO 32000-1, 7.9.5).
  const [left, bottom, right, top] = sides as Box
  return [Math.min(left, right), Math.min(bottom, top), Math.max(left, right), Math.max(bottom, top)]
}

/** Points per page unit. */
export function userUnit(page: PDFObject): number {
  const unit = page.get('UserUnit')
  return unit.isNumber() && unit.asNumber() > 0 ? unit.asNumber() : 1
}
