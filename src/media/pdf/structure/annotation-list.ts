import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { itemsOf } from './trees.ts'

/** The number of annotations that a document displays, without fields and popups. */
export function countAnnotations({ pdf, pageCount }: { pdf: PDFDocument; pageCount: number }): number {
  const kinds = annotationsOf(pdf, pageCount).map((annotation) => annotation.get('Subtype').asName())
  return kinds.filter((kind) => kind !== 'Widget' && kind !== 'Popup').length
}

/** The annotations of all pages. */
export function annotationsOf(pdf: PDFDocument, pageCount: number): PDFObject[] {
  const lists = Array.from({ length: pageCount }, (_, page) => itemsOf(pdf.findPage(page).get('Annots')))
  return lists.flat().filter((annotation) => annotation.isDictionary())
}
