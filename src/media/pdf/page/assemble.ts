import { createHash } from 'node:crypto'
import { loadMupdf, type PDFDocument, type PDFObject, withMupdfErrors } from '../../../engines/mupdf.ts'
import { firstOf } from '../../../lists.ts'
import { UniqueNames } from '../../unique-names.ts'
import { PdfHandle } from '../handle.ts'
import { generateAppearances, needsAppearances } from '../structure/appearances.ts'
import { emptyForm, importForm, writeForm } from '../structure/forms.ts'
import { type PageLabel, readPageLabels, writePageLabels } from '../structure/labels.ts'
import { emptyLayers, importLayers, writeLayers } from '../structure/layers.ts'
import { importOutline, type OutlineItem, writeOutline } from '../structure/outline.ts'
import { emptyStructure, hasStructure, importStructure, writeStructure } from '../structure/structure.ts'
import { readNameTree, writeNameTree } from '../structure/trees.ts'
import type { EncryptionSource } from '../write/encryption.ts'
import { importPages, type PagePart } from './assemble-pages.ts'
import { ObjectImporter } from './importer.ts'

/** Some pages (from 1, in this order, repetitions allowed) of a document. */
export interface AssemblyPart {
  document: PdfHandle
  pages: number[]
  /** A bookmark to the first of these pages, with the document's own below. */
  bookmark?: string
}

/** Pages per node of the page tree: readers process flat nodes of thousands slowly. */
const NODE_SIZE = 128

/** Catalog entries copied from the first document. */
const FROM_FIRST = ['Lang', 'ViewerPreferences', 'PageMode', 'PageLayout']

/** Catalog entries that are only valid if nothing from another document is added. */
const FROM_SINGLE = ['Metadata', 'OutputIntents']

/**
 * Creates a document from pages of other documents, which stay open and unchanged. Copied, for the chosen pages only:
 * page boxes, rotation, annotations, links (by name too; links to pages that are not included are removed), form fields
 * (`name+1` on a clash), bookmarks, named destinations, page labels, layers, tags, attachments (`name (2)` on a clash),
 * and from the first document the title and related metadata and the viewer settings. Not copied: signature values, XFA
 * forms, article threads, document JavaScript, additional layer configurations, and embedded private data of editors. A
 * repeated page gets its own annotations and fields the second time, and no tags. Encryption is that of a single source
 * document; with several, none.
 */
export async function assemblePages(parts: AssemblyPart[]): Promise<PdfHandle> {
  const mupdf = await loadMupdf()
  const target = new mupdf.PDFDocument()
  try {
    return withMupdfErrors('PROCESSING_FAILED', 'The pages could not be put together', () => assemble(target, parts))
  } catch (error) {
    target.destroy()
    throw error
  }
}

function assemble(target: PDFDocument, parts: AssemblyPart[]): PdfHandle {
  // The library writes its own name into the catalog of a new document, where it has no meaning.
  target.getTrailer().get('Root').delete('Info')
  const pages: PDFObject[] = []
  const labels: Array<PageLabel | undefined> = []
  const outline: OutlineItem[] = []
  const bookmarks = new Map(parts.flatMap(({ document, bookmark }) => (bookmark ? [[document, bookmark]] : [])))
  const destinations = new Map<string, PDFObject>()
  const attachments = new Map<string, PDFObject>()
  const attachmentNames = new UniqueNames({
    repeat: (name, number) => `${name} (${number})`,
    first: 2,
    caseSensitive: true,
  })
  const form = emptyForm()
  const single = singleDocument(parts)
  // The flag applies to all fields of a document: with it, readers would also redraw the fields of the other sources.
  if (single) form.needAppearances = needsAppearances(single.pdf)
  else
    for (const document of new Set(parts.map((part) => part.document)))
      if (needsAppearances(document.pdf)) generateAppearances(document)
  const layers = emptyLayers()
  const structure = emptyStructure()

  for (const part of inGenerations(parts)) {
    const tagged = !part.repeats && hasStructure(part.document.pdf)
    const importer = new ObjectImporter(
      part.document.pdf,
      target,
      tagged ? structure.nextKey : undefined,
      part.repeats?.importer,
    )
    part.importer = importer
    const widgets = importPages(importer, part, pages)
    importForm(importer, widgets, form)
    const partLabels = readPageLabels(part.document.pdf)
    for (const { index, page } of part.pages) labels[index] = partLabels?.[page - 1]
    if (!part.repeats) {
      outline.push(
        ...withBookmark(target, importOutline(importer), bookmarks.get(part.document), pages[firstIndex(part)]),
      )
      importNames(importer, destinations, attachments, attachmentNames)
      if (tagged) importStructure(importer, structure)
    }
    importer.finish()
    if (!part.repeats) importLayers(importer, layers)
  }

  const tagged = parts.every(({ document }) => hasStructure(document.pdf))
  writePages(target, pages)
  writePageLabels(target, labels)
  writeOutline(target, outline)
  writeForm(target, form)
  writeLayers(target, layers)
  writeStructure(target, structure, tagged)
  writeNames(target, destinations, attachments)
  writeDocumentEntries(target, parts)
  const encryption: EncryptionSource | undefined = single?.encryptionSource()
  const sources = new Set(parts.map(({ document }) => document))
  const result = new PdfHandle(target, {
    encryption,
    sourceBytes: [...sources].reduce((sum, { sourceBytes }) => sum + sourceBytes, 0),
    isDamaged: parts.some(({ document }) => document.wasRepaired),
  })
  if (parts.every(({ document }) => document.shown))
    result.shown = parts.flatMap(({ document, pages: chosen }) => chosen.map((page) => document.shown![page - 1]!))
  return result
}

const firstIndex = ({ pages }: PagePart): number => firstOf(pages).index

/** Bookmarks below one that leads to a page, if it has a title. */
function withBookmark(
  target: PDFDocument,
  items: OutlineItem[],
  title: string | undefined,
  page: PDFObject | undefined,
): OutlineItem[] {
  if (title === undefined || !page) return items
  const entry = target.newDictionary()
  const destination = target.newArray()
  destination.push(page)
  destination.push(target.newName('Fit'))
  entry.put('Title', target.newString(title))
  entry.put('Dest', destination)
  return [{ entry, open: false, children: items }]
}

/**
 * Splits the parts so that each contains a page only once; the repetition of a page becomes a separate part that refers
 * to the first.
 */
function inGenerations(parts: AssemblyPart[]): PagePart[] {
  const generations: PagePart[] = []
  const perDocument = new Map<PdfHandle, PagePart[]>()
  const times = new Map<PdfHandle, Map<number, number>>()
  let index = 0
  for (const { document, pages } of parts) {
    const own = perDocument.get(document) ?? []
    const counts = times.get(document) ?? new Map<number, number>()
    perDocument.set(document, own)
    times.set(document, counts)
    for (const page of pages) {
      const before = counts.get(page) ?? 0
      counts.set(page, before + 1)
      if (!own[before]) {
        own[before] = { document, pages: [], importer: undefined, repeats: own[0] }
        generations.push(own[before])
      }
      own[before].pages.push({ page, index: index++ })
    }
  }
  return generations
}

function singleDocument(parts: AssemblyPart[]): PdfHandle | undefined {
  const first = parts[0]?.document
  return parts.every(({ document }) => document === first) ? first : undefined
}

function importNames(
  importer: ObjectImporter,
  destinations: Map<string, PDFObject>,
  attachments: Map<string, PDFObject>,
  attachmentNames: UniqueNames,
): void {
  for (const [name, value] of importer.namedDestinations()) {
    const destination = destinations.has(name) ? undefined : importer.destination(value)
    if (destination) destinations.set(name, destination)
  }
  for (const [name, value] of readNameTree(importer.source.getTrailer().get('Root', 'Names', 'EmbeddedFiles'))) {
    attachments.set(attachmentNames.give(name), importer.copy(value))
  }
}

function writeNames(
  target: PDFDocument,
  destinations: Map<string, PDFObject>,
  attachments: Map<string, PDFObject>,
): void {
  if (destinations.size + attachments.size === 0) return
  const names = target.newDictionary()
  if (destinations.size > 0) names.put('Dests', writeNameTree(target, destinations))
  if (attachments.size > 0) names.put('EmbeddedFiles', writeNameTree(target, attachments))
  target.getTrailer().get('Root').put('Names', names)
}

function writePages(target: PDFDocument, pages: PDFObject[]): void {
  const root = target.getTrailer().get('Root', 'Pages')
  const kids = target.newArray()
  for (let start = 0; start < pages.length; start += NODE_SIZE) {
    const group = pages.slice(start, start + NODE_SIZE)
    const parent = pages.length > NODE_SIZE ? target.createObject() : root
    const list = parent === root ? kids : target.newArray()
    for (const page of group) {
      page.put('Parent', parent)
      list.push(page)
    }
    if (parent === root) continue
    const node = target.newDictionary()
    node.put('Type', target.newName('Pages'))
    node.put('Parent', root)
    node.put('Kids', list)
    node.put('Count', group.length)
    parent.writeObject(node)
    kids.push(parent)
  }
  root.put('Kids', kids)
  root.put('Count', pages.length)
}

function writeDocumentEntries(target: PDFDocument, parts: AssemblyPart[]): void {
  const first = firstOf(parts).document.pdf
  const single = singleDocument(parts) !== undefined
  const importer = new ObjectImporter(first, target)
  const root = first.getTrailer().get('Root')
  for (const key of [...FROM_FIRST, ...(single ? FROM_SINGLE : [])]) {
    const value = importer.copy(root.get(key))
    if (!value.isNull()) target.getTrailer().get('Root').put(key, value)
  }
  const information = importer.copy(first.getTrailer().get('Info'))
  if (information.isDictionary()) target.getTrailer().put('Info', information)
  importer.finish()
  target
    .getTrailer()
    .put(
      'ID',
      single && first.getTrailer().get('ID').isArray()
        ? importer.copy(first.getTrailer().get('ID'))
        : newId(target, parts),
    )
}

/** An identifier derived from the sources, so that the same inputs give the same file. */
function newId(target: PDFDocument, parts: AssemblyPart[]): PDFObject {
  const hash = createHash('sha256')
  for (const { document, pages } of parts)
    hash.update(`${document.pdf.getTrailer().get('ID').toString()} ${pages.join()};`)
  const bytes = new Uint8Array(hash.digest().subarray(0, 16))
  const id = target.newArray()
  id.push(target.newByteString(bytes))
  id.push(target.newByteString(bytes))
  return id
}
