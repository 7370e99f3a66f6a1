import type { PDFDocument, PDFObject } from '../../engines/mupdf.ts'
import { entriesOf, itemsOf } from './trees.ts'

/** How deep the page tree may nest. */
const MAX_DEPTH = 100

/**
 * Gives every page an object of its own. Some writers put one page object into the tree twice; whoever changes one of the
 * two pages would change both.
 */
export function separatePages(pdf: PDFDocument): void {
  const seen = new Set<number>()
  const wasSeen = (object: PDFObject): boolean => {
    if (!object.isIndirect()) return false
    const before = seen.has(object.asIndirect())
    seen.add(object.asIndirect())
    return before
  }
  const visit = (node: PDFObject, depth: number): void => {
    const kids = node.get('Kids')
    itemsOf(kids).forEach((kid, index) => {
      if (!kid.isDictionary() || depth > MAX_DEPTH) return
      let own = kid
      if (wasSeen(kid)) {
        own = pdf.addObject(copyOf(pdf, kid, node))
        kids.put(index, own)
      }
      if (own.get('Kids').isArray()) visit(own, depth + 1)
    })
  }
  visit(pdf.getTrailer().get('Root', 'Pages'), 0)
}

function copyOf(pdf: PDFDocument, source: PDFObject, parent: PDFObject): PDFObject {
  const copy = pdf.newDictionary()
  for (const [key, value] of entriesOf(source)) copy.put(key, value)
  copy.put('Parent', parent)
  const kids = source.get('Kids')
  if (!kids.isArray()) return copy
  const own = pdf.newArray()
  for (const kid of itemsOf(kids)) own.push(kid)
  copy.put('Kids', own)
  return copy
}
