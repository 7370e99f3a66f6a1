import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { copyOfDirect, entriesOf, itemsOf } from '../structure/trees.ts'

/** Maximum depth of the page tree. */
const MAX_DEPTH = 100

/**
 * Gives every page its own object. Some writers reference the same page object twice in the tree, so a change of one
 * page would change both.
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
  for (const [key, value] of entriesOf(source)) if (key !== 'Parent') copy.put(key, copyOfDirect(pdf, value))
  copy.put('Parent', parent)
  // The kids array of a node is replaced entry by entry below, so it must not be shared even if it is an object of its
  // own.
  if (!source.get('Kids').isArray()) return copy
  const kids = pdf.newArray()
  for (const kid of itemsOf(source.get('Kids'))) kids.push(kid)
  copy.put('Kids', kids)
  return copy
}
