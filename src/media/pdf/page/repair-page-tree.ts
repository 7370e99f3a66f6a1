import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { itemsOf } from '../structure/trees.ts'

/** Maximum depth of the page tree. */
const MAX_DEPTH = 100

/**
 * Longer lists are left unchanged: checking an entry takes 20 microseconds, and a malicious file may have a million.
 */
const MAX_ENTRIES = 50_000

/** The default page size, in points: US Letter, as in other readers. */
const PAPER = [0, 0, 612, 792]

/**
 * Repairs the page tree while all pages are present, tolerating the same errors as other readers: entries that are not
 * pages, nodes that contain themselves, types and parents, counts that are missing or too small, invalid boxes,
 * rotations and resources. A valid document is not changed.
 * @returns whether all referenced pages are in the file
 */
export function mendPageTree(pdf: PDFDocument): boolean {
  const root = pdf.getTrailer().get('Root')
  if (!root.isDictionary()) return true
  const pages = root.get('Pages')
  if (!pages.isDictionary() || !pages.get('Kids').isArray()) return true
  if (root.get('Type').asName() !== 'Catalog') root.put('Type', pdf.newName('Catalog'))
  return mendNode(pdf, pages, [], { entries: MAX_ENTRIES }).isWhole
}

interface Found {
  count: number
  isWhole: boolean
}

function mendNode(pdf: PDFDocument, node: PDFObject, above: readonly number[], left: { entries: number }): Found {
  const path = node.isIndirect() ? [...above, node.asIndirect()] : above
  if (node.get('Type').asName() !== 'Pages') node.put('Type', pdf.newName('Pages'))
  const kids = node.get('Kids')
  const found: Found = { count: 0, isWhole: true }
  left.entries -= kids.length
  if (left.entries < 0) return found
  // In reverse, because entries are removed.
  for (const [index, kid] of [...itemsOf(kids).entries()].reverse()) {
    const isLoop = kid.isIndirect() && path.includes(kid.asIndirect())
    if (isLoop || !kid.isDictionary()) {
      if (!isLoop && kid.isIndirect()) found.isWhole = false
      else kids.delete(index)
      continue
    }
    if (!kid.get('Parent').isDictionary()) kid.put('Parent', node)
    const below =
      kid.get('Kids').isArray() && path.length < MAX_DEPTH ? mendNode(pdf, kid, path, left) : mendPage(pdf, kid)
    found.count += below.count
    found.isWhole &&= below.isWhole
  }
  if (left.entries < 0) return found
  // A count above the number of pages may indicate missing pages.
  const said = node.get('Count')
  if (!said.isNumber() || (said.asNumber() >= 0 && said.asNumber() < found.count))
    node.put('Count', pdf.newInteger(found.count))
  return found
}

function mendPage(pdf: PDFDocument, page: PDFObject): Found {
  if (page.get('Type').asName() !== 'Page') page.put('Type', pdf.newName('Page'))
  const resources = page.get('Resources')
  if (!resources.isNull() && !resources.isDictionary()) page.put('Resources', pdf.newDictionary())
  const rotation = page.get('Rotate')
  if (!rotation.isNull() && !rotation.isNumber()) page.delete('Rotate')
  for (const key of ['MediaBox', 'CropBox']) {
    const box = page.get(key)
    if (!box.isNull() && !isBox(box)) page.delete(key)
  }
  if (!isBox(page.getInheritable('MediaBox'))) page.put('MediaBox', PAPER)
  return { count: 1, isWhole: true }
}

const isBox = (box: PDFObject): boolean =>
  box.isArray() && box.length === 4 && itemsOf(box).every((side) => side.isNumber())
