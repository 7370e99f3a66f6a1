import type { PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import type { PdfHandle } from '../handle.ts'
import { itemsOf } from '../structure/trees.ts'
import { separatePages } from './page-tree.ts'

/** Left, bottom, right, top, in units of the page. */
type Box = [number, number, number, number]

/** ISO 32000-1 requires a MediaBox; readers take US Letter where it is missing. */
const DEFAULT_BOX: Box = [0, 0, 612, 792]

/**
 * Moves the edges of what is shown of every page inwards by `margin` points; what lies outside is hidden, not deleted.
 * A page that would have no width or height left is TARGET_UNREACHABLE, and nothing is changed.
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
  // Readers pass over text outside of what is shown.
  document.forgetText()
  for (const [index, box] of boxes.entries()) {
    pdf.findPage(index).put('CropBox', box)
    document.expect(`page ${index + 1} is cropped`, (saved) => {
      const found = itemsOf(saved.findPage(index).get('CropBox')).map((side) => side.asNumber())
      return box.every((side, position) => Math.abs(side - found[position]!) < 0.01)
    })
  }
}

/** The part of the page that readers show: its crop box, as far as it lies on the medium. */
export function visibleBox(page: PDFObject): Box {
  const media = boxOf(page, 'MediaBox') ?? DEFAULT_BOX
  const crop = boxOf(page, 'CropBox') ?? media
  const both: Box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ]
  // A crop box beside the medium is a mistake, and readers pass over it.
  return both[0] < both[2] && both[1] < both[3] ? both : media
}

function boxOf(page: PDFObject, name: string): Box | undefined {
  const sides = itemsOf(page.getInheritable(name)).map((side) => (side.isNumber() ? side.asNumber() : Number.NaN))
  if (sides.length !== 4 || sides.some(Number.isNaN)) return undefined
  // Any two opposite corners are a box (ISO 32000-1, 7.9.5).
  const [left, bottom, right, top] = sides as Box
  return [Math.min(left, right), Math.min(bottom, top), Math.max(left, right), Math.max(bottom, top)]
}

/** Points to one unit of the page. */
export function userUnit(page: PDFObject): number {
  const unit = page.get('UserUnit')
  return unit.isNumber() && unit.asNumber() > 0 ? unit.asNumber() : 1
}
