import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { firstOf, lastOf } from '../../../lists.ts'
import type { ObjectImporter } from '../page/importer.ts'

/** Maximum number of bookmarks read from one document, and maximum depth, to stop at loops and in malicious files. */
const MAX_ITEMS = 100_000
const MAX_DEPTH = 64

const LIMITS = `have more than ${MAX_DEPTH} levels, or are more than ${MAX_ITEMS}`

/** A bookmark to be written, with its children. */
export interface OutlineItem {
  /** The entry without links to others. */
  entry: PDFObject
  open: boolean
  children: OutlineItem[]
}

/**
 * The bookmarks of a source for the target: titles, colours and styles unchanged, destinations on the copied pages. A
 * bookmark whose page was not copied is removed, unless it has remaining children; then it becomes a heading without a
 * target.
 */
export function importOutline(importer: ObjectImporter): OutlineItem[] {
  const seen = new Set<number>()
  const level = (first: PDFObject, depth: number): OutlineItem[] => {
    const items: OutlineItem[] = []
    let source = first
    while (source.isDictionary() && source.isIndirect() && !seen.has(source.asIndirect()) && seen.size < MAX_ITEMS) {
      seen.add(source.asIndirect())
      const children = depth < MAX_DEPTH ? level(source.get('First'), depth + 1) : []
      const leads = leadsSomewhere(importer, source)
      if (children.length > 0 || leads) {
        const entry = importer.copyDictionary(source, ['Parent', 'Prev', 'Next', 'First', 'Last', 'Count', 'SE'])
        if (!leads) entry.delete('A')
        items.push({ entry, children, open: source.get('Count').asNumber() > 0 })
      }
      source = source.get('Next')
    }
    return items
  }
  return level(importer.source.getTrailer().get('Root', 'Outlines', 'First'), 0)
}

/**
 * The bookmarks as MuPDF reads them. It reads all levels by recursion, which a malicious file overflows, and after that its
 * memory cannot be used any more: the depth and the links are checked first.
 * @throws MediaprocError INVALID_FILE for bookmarks in a loop, more than 64 levels deep, or more than 100,000
 */
export function loadOutline(pdf: PDFDocument): ReturnType<PDFDocument['loadOutline']> {
  const seen = new Set<number>()
  const waiting = [{ item: pdf.getTrailer().get('Root', 'Outlines', 'First'), depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { item, depth } = next
    if (!item.isDictionary()) continue
    const id = item.isIndirect() ? item.asIndirect() : undefined
    const isLoop = id !== undefined && seen.has(id)
    if (isLoop || depth > MAX_DEPTH || seen.size >= MAX_ITEMS)
      throw new MediaprocError('INVALID_FILE', `The bookmarks of the document ${isLoop ? 'lead in a loop' : LIMITS}`, {
        hint: 'Save the document without bookmarks first.',
      })
    if (id !== undefined) seen.add(id)
    waiting.push({ item: item.get('Next'), depth }, { item: item.get('First'), depth: depth + 1 })
  }
  return pdf.loadOutline()
}

/** Whether a bookmark of the source has a target in the result. */
function leadsSomewhere(importer: ObjectImporter, source: PDFObject): boolean {
  const action = source.get('A', 'S').asName()
  const destination = action === 'GoTo' ? source.get('A', 'D') : source.get('Dest')
  if (!destination.isNull()) return importer.destination(destination) !== undefined
  return action !== '' && action !== 'GoTo'
}

/** Writes bookmarks into the document, if any. */
export function writeOutline(pdf: PDFDocument, items: OutlineItem[]): void {
  if (items.length === 0) return
  const root = pdf.createObject()
  const dictionary = pdf.newDictionary()
  dictionary.put('Type', pdf.newName('Outlines'))
  root.writeObject(dictionary)
  root.put('Count', linkLevel(pdf, root, items))
  pdf.getTrailer().get('Root').put('Outlines', root)
}

/** Links one level below `parent`; returns the number of visible bookmarks when the level is open. */
function linkLevel(pdf: PDFDocument, parent: PDFObject, items: OutlineItem[]): number {
  const references = items.map((item) => pdf.addObject(item.entry))
  let visible = items.length
  items.forEach((item, index) => {
    const reference = references[index]!
    reference.put('Parent', parent)
    if (index > 0) reference.put('Prev', references[index - 1]!)
    if (index < items.length - 1) reference.put('Next', references[index + 1]!)
    if (item.children.length === 0) return
    const below = linkLevel(pdf, reference, item.children)
    // A negative count marks a closed bookmark (ISO 32000-1, table 153).
    reference.put('Count', item.open ? below : -below)
    if (item.open) visible += below
  })
  parent.put('First', firstOf(references))
  parent.put('Last', lastOf(references))
  return visible
}
