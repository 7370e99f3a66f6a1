import type { PdfHandle } from '../handle.ts'
import { separatePages } from './page-tree.ts'

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
    const after = (((before + degrees) % 360) + 360) % 360
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
