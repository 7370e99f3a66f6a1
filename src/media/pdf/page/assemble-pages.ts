import type { PDFObject } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { signatureKeys } from '../structure/forms.ts'
import { itemsOf } from '../structure/trees.ts'
import type { ObjectImporter } from './importer.ts'

/** Distinct pages of one document, each with its index (from 0) in the result. */
export interface PagePart {
  document: PdfHandle
  pages: Array<{ page: number; index: number }>
  importer: ObjectImporter | undefined
  /** The part that contains the first copies of these pages. */
  repeats: PagePart | undefined
}

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate']

/** Other page entries that are copied; article threads, separation data and private data of editors are not. */
const OWN = [
  'Contents',
  'BleedBox',
  'TrimBox',
  'ArtBox',
  'UserUnit',
  'Group',
  'Trans',
  'Dur',
  'Tabs',
  'Metadata',
  'VP',
  'Thumb',
]

/** ISO 32000-1 requires a MediaBox; readers assume US Letter when it is missing. In points. */
const DEFAULT_MEDIA_BOX = [0, 0, 612, 792]

/** Copies the pages of a part to their indexes in `pages` and returns the source's form widgets that were copied. */
export function importPages(importer: ObjectImporter, part: PagePart, pages: PDFObject[]): PDFObject[] {
  const { source, target } = importer
  const sources = part.pages.map(({ page }) => source.findPage(page - 1))
  // All pages are created first, because links on one may point to others.
  part.pages.forEach(({ index }, position) => {
    pages[index] = target.createObject()
    importer.register(sources[position]!, pages[index])
  })
  const widgets: PDFObject[] = []
  const annotations = sources.map((page) =>
    itemsOf(page.get('Annots')).filter((annotation) => isKept(importer, annotation)),
  )
  for (const annotation of annotations.flat()) {
    if (!annotation.isIndirect() || importer.registered(annotation)) continue
    importer.register(annotation, target.createObject())
    if (annotation.get('Subtype').asName() === 'Widget') widgets.push(annotation)
  }
  part.pages.forEach(({ index }, position) => {
    const page = pages[index]!
    page.writeObject(pageDictionary(importer, sources[position]!))
    const copies = target.newArray()
    for (const annotation of annotations[position]!) copies.push(importAnnotation(importer, annotation, page))
    if (annotations[position]!.length > 0) page.put('Annots', copies)
  })
  return widgets
}

function pageDictionary(importer: ObjectImporter, source: PDFObject): PDFObject {
  const { target } = importer
  const page = target.newDictionary()
  page.put('Type', target.newName('Page'))
  for (const key of INHERITED) {
    const value = importer.copy(source.getInheritable(key))
    if (!value.isNull()) page.put(key, value)
  }
  for (const key of OWN) {
    const value = importer.copy(source.get(key))
    if (!value.isNull()) page.put(key, value)
  }
  if (page.get('MediaBox').isNull()) page.put('MediaBox', DEFAULT_MEDIA_BOX)
  if (page.get('Resources').isNull()) page.put('Resources', target.newDictionary())
  if (importer.structureOffset !== undefined && source.get('StructParents').isNumber()) {
    page.put('StructParents', source.get('StructParents').asNumber() + importer.structureOffset)
  }
  return page
}

/** Removes links to pages that are not copied; everything else is kept. */
function isKept(importer: ObjectImporter, annotation: PDFObject): boolean {
  if (!annotation.isDictionary()) return false
  if (annotation.get('Subtype').asName() !== 'Link') return true
  const isGoTo = annotation.get('A', 'S').asName() === 'GoTo'
  const destination = isGoTo ? annotation.get('A', 'D') : annotation.get('Dest')
  return destination.isNull() ? !isGoTo : importer.destination(destination) !== undefined
}

function importAnnotation(importer: ObjectImporter, source: PDFObject, page: PDFObject): PDFObject {
  const isWidget = source.get('Subtype').asName() === 'Widget'
  const skipped = isWidget ? ['P', 'Parent', ...signatureKeys(source)] : ['P']
  const annotation = importer.copyDictionary(source, skipped)
  annotation.put('P', page)
  const registered = importer.registered(source)
  if (!registered) return annotation
  registered.writeObject(annotation)
  return registered
}
