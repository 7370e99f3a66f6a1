import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { eachContainer, filterNameTree, itemsOf } from '../structure/trees.ts'
import { type ChangedContent, REPLACEMENTS } from './clean-marked-content.ts'

/** Texts of an element: its title, pronunciation, identifier, and files such as its formula in MathML. */
const TEXTS = [...REPLACEMENTS, 'T', 'Phoneme', 'ID', 'AF']

/** What areas removed, by object numbers. */
export interface RemovedObjects {
  annotations: Set<number>
  /** By the object number of the page. */
  pages: Map<number, ChangedContent>
}

/**
 * Removes the titles and replacement texts of structure elements, and of the elements around them, whose content or
 * annotation was removed, and references to removed annotations and drawings (ISO 32000-1, 14.7.4 and 12.5.6.2).
 */
export function cleanStructure(pdf: PDFDocument, removed: RemovedObjects): void {
  const { annotations } = removed
  const changes = [...removed.pages.values()]
  const isChanged = changes.some(({ sequences, drawings }) => sequences.size + drawings.size > 0)
  if (annotations.size === 0 && !isChanged) return
  const cleaner = new ElementCleaner(pdf, removed)
  const isGone = (object: PDFObject) => object.isIndirect() && annotations.has(object.asIndirect())
  eachContainer(pdf, (container) => {
    if (!container.isDictionary()) return
    for (const key of ['IRT', 'Popup']) if (isGone(container.get(key))) container.delete(key)
    if (container.get('S').isName() && !container.get('K').isNull()) cleaner.clean(container)
  })
  cleaner.finish()
}

class ElementCleaner {
  readonly #pdf: PDFDocument
  readonly #removed: RemovedObjects
  /** The pages of elements, by their object numbers. */
  readonly #pages = new Map<number, number | undefined>()
  /** The object numbers of elements without their texts. */
  readonly #emptied = new Set<number>()
  /** Identifiers of these elements, which other elements refer to. */
  readonly #identifiers = new Set<string>()
  readonly #classes = new Set<string>()

  constructor(pdf: PDFDocument, removed: RemovedObjects) {
    this.#pdf = pdf
    this.#removed = removed
  }

  clean(element: PDFObject): void {
    const kids = element.get('K')
    const all = kids.isArray() ? itemsOf(kids) : [kids]
    const gone = all.filter((kid) => this.#isReferenceToGone(kid, element))
    if (gone.length > 0 || all.some((kid) => this.#isRemoved(kid, element))) this.#emptyTexts(element)
    if (gone.length === 0) return
    const left = this.#pdf.newArray()
    for (const kid of all) if (!gone.includes(kid)) left.push(kid)
    element.put('K', left)
  }

  /** Removes what refers to identifiers, and the texts of attribute classes. */
  finish(): void {
    const root = this.#pdf.getTrailer().get('Root', 'StructTreeRoot')
    for (const name of this.#classes) emptyAttributes(root.get('ClassMap').get(name))
    if (this.#identifiers.size === 0) return
    const isLeft = (name: PDFObject) => !this.#identifiers.has(bytesOf(name))
    if (root.get('IDTree').isDictionary())
      root.put(
        'IDTree',
        filterNameTree(this.#pdf, root.get('IDTree'), (name) => isLeft(name)),
      )
    eachContainer(this.#pdf, (container) => {
      const headers = container.isDictionary() ? itemsOf(container.get('Headers')) : []
      if (headers.every(isLeft)) return
      const left = this.#pdf.newArray()
      for (const header of headers) if (isLeft(header)) left.push(header)
      container.put('Headers', left)
    })
  }

  #isReferenceToGone(kid: PDFObject, element: PDFObject): boolean {
    const object = kid.isDictionary() ? kid.get('Obj') : undefined
    if (!object?.isIndirect()) return false
    const number = object.asIndirect()
    const isGone = ({ drawings }: ChangedContent) => drawings.has(number)
    return this.#removed.annotations.has(number) || this.#changesOf(kid, element, isGone)
  }

  /** Whether a kid of an element is a sequence that lost content. */
  #isRemoved(kid: PDFObject, element: PDFObject): boolean {
    const id = kid.isDictionary() ? kid.get('MCID') : kid
    return id.isNumber() && this.#changesOf(kid, element, ({ sequences }) => sequences.has(id.asNumber()))
  }

  /** Whether a kid of an element may have lost content: on its page, or on any one if its page is unknown. */
  #changesOf(kid: PDFObject, element: PDFObject, isChanged: (content: ChangedContent) => boolean): boolean {
    const { pages } = this.#removed
    if (![...pages.values()].some(isChanged)) return false
    const page = pageOf(kid) ?? this.#pageAround(element)
    const own = page === undefined ? undefined : pages.get(page)
    return page === undefined || (own !== undefined && isChanged(own))
  }

  /** The page of an element or of the first one around it that has one. */
  #pageAround(element: PDFObject): number | undefined {
    const waiting: number[] = []
    let page: number | undefined
    for (const one of withParents(element)) {
      page = pageOf(one) ?? this.#pages.get(one.asIndirect())
      if (page !== undefined || this.#pages.has(one.asIndirect())) break
      if (one.isIndirect()) waiting.push(one.asIndirect())
    }
    for (const number of waiting) this.#pages.set(number, page)
    return page
  }

  /** Texts of an element replace those of all elements inside. */
  #emptyTexts(element: PDFObject): void {
    for (const one of withParents(element)) {
      if (this.#emptied.has(one.asIndirect())) return
      if (one.isIndirect()) this.#emptied.add(one.asIndirect())
      if (one.get('ID').isString()) this.#identifiers.add(bytesOf(one.get('ID')))
      emptyAttributes(one.get('A'))
      const classes = one.get('C')
      for (const name of classes.isArray() ? itemsOf(classes) : [classes])
        if (name.isName()) this.#classes.add(name.asName())
      for (const key of TEXTS) one.delete(key)
    }
  }
}

const bytesOf = (text: PDFObject): string =>
  text.isString() ? Buffer.from(text.asByteString()).toString('latin1') : ''

/** The object number of the page that an element or a kid names. */
function pageOf(entry: PDFObject): number | undefined {
  const page = entry.isDictionary() ? entry.get('Pg') : undefined
  return page?.isDictionary() && page.isIndirect() ? page.asIndirect() : undefined
}

/** An element and those around it. */
function* withParents(element: PDFObject): Generator<PDFObject> {
  const seen = new Set<number>()
  for (let one = element; one.isDictionary() && one.get('S').isName(); one = one.get('P')) {
    // A damaged tree can have loops.
    if (one.isIndirect() && seen.has(one.asIndirect())) return
    seen.add(one.asIndirect())
    yield one
  }
}

/** Removes the texts of attributes, such as the summary of a table (ISO 32000-1, 14.7.5 and 14.8.5). */
function emptyAttributes(attributes: PDFObject): void {
  if (attributes.isArray()) for (const one of itemsOf(attributes)) emptyAttributes(one)
  if (!attributes.isDictionary()) return
  const texts: string[] = []
  attributes.forEach((value, key) => {
    if (value.isString()) texts.push(String(key))
  })
  for (const key of texts) attributes.delete(key)
  // Properties with names and values of any type.
  if (attributes.get('O').asName() === 'UserProperties') attributes.delete('P')
}
