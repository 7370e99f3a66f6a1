import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import type { ObjectImporter } from '../page/importer.ts'
import { entriesOf, itemsOf, readNumberTree, writeNumberTree } from './trees.ts'

/** Maximum depth of structure elements; documents made from HTML reach about a hundred. */
const MAX_DEPTH = 500

/** The tags (structure tree, ISO 32000-1, 14.7) merged from several documents. */
export interface StructureParts {
  elements: PDFObject[]
  parentTree: Map<number, PDFObject>
  /** The first free key of the parent tree. */
  nextKey: number
  roles: Map<string, PDFObject>
  classes: Map<string, PDFObject>
  namespaces: PDFObject[]
}

export function emptyStructure(): StructureParts {
  return { elements: [], parentTree: new Map(), nextKey: 0, roles: new Map(), classes: new Map(), namespaces: [] }
}

export function hasStructure(pdf: PDFDocument): boolean {
  return pdf.getTrailer().get('Root', 'StructTreeRoot').isDictionary()
}

/**
 * Imports the tags of the copied pages; elements of other pages are dropped, with any text in them. The importer's
 * `structureOffset` must be the value of `structure.nextKey` before the call.
 */
export function importStructure(importer: ObjectImporter, structure: StructureParts): void {
  const root = importer.source.getTrailer().get('Root', 'StructTreeRoot')
  const builder = new ElementBuilder(importer)
  for (const kid of kidsOf(root)) {
    const element = builder.build(kid, undefined, undefined, 0)
    if (element) structure.elements.push(element)
  }
  builder.fill()
  const offset = structure.nextKey
  for (const [key, value] of readNumberTree(root.get('ParentTree'))) {
    structure.nextKey = Math.max(structure.nextKey, offset + key + 1)
    const copy = importer.copy(value.isArray() ? value.resolve() : value)
    const isEmpty = copy.isNull() || (copy.isArray() && itemsOf(copy).every((item) => item.isNull()))
    if (!isEmpty) structure.parentTree.set(offset + key, copy)
  }
  for (const [role, standard] of entriesOf(root.get('RoleMap'))) {
    if (!structure.roles.has(role)) structure.roles.set(role, importer.copy(standard))
  }
  for (const [name, attributes] of entriesOf(root.get('ClassMap'))) {
    if (!structure.classes.has(name)) structure.classes.set(name, importer.copy(attributes))
  }
  structure.namespaces.push(...itemsOf(root.get('Namespaces')).map((namespace) => importer.copy(namespace)))
}

function kidsOf(element: PDFObject): PDFObject[] {
  const kids = element.get('K')
  return kids.isArray() ? itemsOf(kids) : kids.isNull() ? [] : [kids]
}

/**
 * Builds the kept elements in two passes: first the elements and their positions, then their contents, which refer to
 * each other.
 */
class ElementBuilder {
  readonly #importer: ObjectImporter
  readonly #seen = new Set<number>()
  readonly #kept: Array<{ source: PDFObject; target: PDFObject; parent: PDFObject | undefined; kids: PDFObject[] }> = []

  constructor(importer: ObjectImporter) {
    this.#importer = importer
  }

  /** The element for the target, or undefined if none of it is on a copied page. */
  build(
    source: PDFObject,
    parent: PDFObject | undefined,
    pageAbove: PDFObject | undefined,
    depth: number,
  ): PDFObject | undefined {
    if (!source.isIndirect() || !source.isDictionary() || depth > MAX_DEPTH) return undefined
    if (this.#seen.has(source.asIndirect())) return undefined
    this.#seen.add(source.asIndirect())
    const target = this.#importer.target.createObject()
    const page = source.get('Pg').isIndirect() ? source.get('Pg') : pageAbove
    const kids: PDFObject[] = []
    for (const kid of kidsOf(source)) {
      const copy = this.#kid(kid, target, page, depth)
      if (copy) kids.push(copy)
    }
    if (kids.length === 0) {
      this.#importer.target.deleteObject(target)
      return undefined
    }
    this.#importer.register(source, target)
    this.#kept.push({ source, target, parent, kids })
    return target
  }

  #kid(kid: PDFObject, target: PDFObject, page: PDFObject | undefined, depth: number): PDFObject | undefined {
    const isCopied = (of: PDFObject | undefined) => of !== undefined && this.#importer.registered(of) !== undefined
    if (kid.isNumber()) return isCopied(page) ? kid : undefined
    if (!kid.isDictionary()) return undefined
    const type = kid.get('Type').asName()
    if (type !== 'MCR' && type !== 'OBJR') return this.build(kid, target, page, depth + 1)
    if (!isCopied(kid.get('Pg').isIndirect() ? kid.get('Pg') : page)) return undefined
    if (type === 'OBJR' && this.#importer.copy(kid.get('Obj')).isNull()) return undefined
    return this.#importer.copyDictionary(kid)
  }

  fill(): void {
    for (const { source, target, parent, kids } of this.#kept) {
      const element = this.#importer.copyDictionary(source, ['K', 'P'])
      const array = this.#importer.target.newArray()
      for (const kid of kids) array.push(kid)
      element.put('K', array)
      if (parent) element.put('P', parent)
      target.writeObject(element)
    }
  }
}

/** Writes the tags into the document, if any. `complete`: all its pages are tagged. */
export function writeStructure(pdf: PDFDocument, structure: StructureParts, complete: boolean): void {
  if (structure.elements.length === 0) return
  const root = pdf.createObject()
  const dictionary = pdf.newDictionary()
  dictionary.put('Type', pdf.newName('StructTreeRoot'))
  const kids = pdf.newArray()
  for (const element of structure.elements) {
    kids.push(element)
    element.put('P', root)
  }
  dictionary.put('K', kids)
  dictionary.put('ParentTree', writeNumberTree(pdf, structure.parentTree))
  dictionary.put('ParentTreeNextKey', structure.nextKey)
  for (const [key, entries] of [
    ['RoleMap', structure.roles],
    ['ClassMap', structure.classes],
  ] as const) {
    const map = pdf.newDictionary()
    for (const [name, value] of entries) map.put(name, value)
    if (entries.size > 0) dictionary.put(key, map)
  }
  if (structure.namespaces.length > 0) {
    const namespaces = pdf.newArray()
    for (const namespace of structure.namespaces) namespaces.push(namespace)
    dictionary.put('Namespaces', namespaces)
  }
  root.writeObject(dictionary)
  const catalog = pdf.getTrailer().get('Root')
  catalog.put('StructTreeRoot', root)
  if (!complete) return
  const mark = pdf.newDictionary()
  mark.put('Marked', true)
  catalog.put('MarkInfo', mark)
}
