import type { Mupdf, PDFObject } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { shownSize, uprightMatrix } from '../page/impose.ts'
import { appendToPage } from '../page/page-content.ts'

/** A box in fractions of the displayed page, from its upper left. */
export interface PicturePlacement {
  x: number
  y: number
  w: number
  h: number
}

/**
 * Draws an image over the content of a page (from 1), stretched to a box on the displayed page, that is, cropped and
 * rotated.
 */
export function placePicture(
  mupdf: Mupdf,
  document: PdfHandle,
  page: number,
  image: PDFObject,
  { x, y, w, h }: PicturePlacement,
): void {
  // An image without width or height is invisible, and its matrix cannot be drawn with.
  if (w === 0 || h === 0) return
  const { Matrix } = mupdf
  const object = document.pdf.findPage(page - 1)
  const { width, height } = shownSize(document, page)
  const onDisplay: [number, number, number, number, number, number] = [
    w * width,
    0,
    0,
    h * height,
    x * width,
    (1 - y - h) * height,
  ]
  const matrix = Matrix.concat(onDisplay, Matrix.invert(uprightMatrix(object)))
  const name = appendToPage(document.pdf, object, { form: image, matrix, name: 'Signature' })
  document.expect(`page ${page} has its picture ${name}`, (saved) =>
    saved
      .findPage(page - 1)
      .get('Resources', 'XObject', name)
      .isStream(),
  )
}
