import type { PDFObject } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { separatePages } from './page-tree.ts'

/** An angle in degrees as one from 0 up to 360. */
export const withinTurn = (degrees: number): number => ((degrees % 360) + 360) % 360

/** How a page is displayed, in degrees clockwise: 0, 90, 180 or 270. */
export function rotationOf(page: PDFObject): number {
  const rotation = page.getInheritable('Rotate')
  return rotation.isNumber() ? withinTurn(Math.round(rotation.asNumber() / 90) * 90) : 0
}

/**
 * Rotates pages (from 1) clockwise by a multiple of 90 degrees, relative to their current /Rotate; the content is
 * unchanged.
 */
export function rotatePages(document: PdfHandle, pages: ReadonlySet<number>, degrees: number): void {
  separatePages(document.pdf)
  for (const page of pages) {
    const object = document.pdf.findPage(page - 1)
    // The entry is inherited from the page tree if the page has none (ISO 32000-1, 7.7.3.4).
    const present = object.getInheritable('Rotate')
    const before = present.isNumber() ? present.asNumber() : 0
    const after = withinTurn(before + degrees)
    object.put('Rotate', after)
    document.expect(
      `page ${page} is turned`,
      (saved) =>
        saved
          .findPage(page - 1)
          .get('Rotate')
          .asNumber() === after,
    )
  }
}
