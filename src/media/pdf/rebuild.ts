import type { PDFDocument, PDFObject } from '../../engines/mupdf.ts'
import { copyOfDirect, itemsOf } from './structure/trees.ts'

/** Maximum depth of the page tree. */
const MAX_DEPTH = 100

/** Entries that a page inherits from its ancestors (ISO 32000-1, 7.7.3.4). */
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate']

/**
 * Rebuilds the page list of a damaged document when it cannot be followed: first from the remains of the tree; if
 * nothing remains, from every page object in the file, by object number. Returns false when there is none.
 */
export function rebuildPages(pdf: PDFDocument): boolean {
  if (isSound(pdf)) return true
  const root = pdf.getTrailer().get('Root')
  const inTree = root.isDictionary() ? pagesBelow(root.get('Pages'), 0, new Set()) : []
  const pages = inTree.length > 0 ? inTree : pagesAnywhere(pdf)
  if (pages.length === 0) return false
  const kids = pdf.newArray()
  const tree = pdf.addObject({ Type: 'Pages', Count: pages.length })
  for (const page of pages) {
    for (const key of INHERITED) {
      const value = page.getInheritable(key)
      if (!value.isNull()) page.put(key, copyOfDirect(pdf, value))
    }
    page.put('Parent', tree)
    kids.push(page)
  }
  tree.put('Kids', kids)
  if (root.isDictionary()) root.put('Pages', tree)
  else {
    const catalog = pdf.addObject({ Type: 'Catalog' })
    catalog.put('Pages', tree)
    pdf.getTrailer().put('Root', catalog)
  }
  return true
}

function isSound(pdf: PDFDocument): boolean {
  try {
    const count = pdf.countPages()
    for (let page = 0; page < count; page++) if (!pdf.findPage(page).isDictionary()) return false
    return count > 0
  } catch {
    return false
  }
}

function pagesBelow(node: PDFObject, depth: number, seen: Set<number>): PDFObject[] {
  if (!node.isDictionary() || depth > MAX_DEPTH) return []
  if (node.isIndirect()) {
    if (seen.has(node.asIndirect())) return []
    seen.add(node.asIndirect())
  }
  const kids = node.get('Kids')
  if (kids.isArray()) return itemsOf(kids).flatMap((kid) => pagesBelow(kid, depth + 1, seen))
  return node.get('Type').asName() === 'Page' || !node.get('Contents').isNull() ? [node] : []
}

function pagesAnywhere(pdf: PDFDocument): PDFObject[] {
  const pages: PDFObject[] = []
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (object.isDictionary() && !object.isStream() && object.get('Type').asName() === 'Page') pages.push(object)
  }
  return pages
}
