import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { required } from '../../../lists.ts'

/**
 * Maximum number of nodes and entries read from one tree; a real document has far fewer, a malicious one may be
 * endless.
 */
const MAX_ENTRIES = 1_000_000

/**
 * The leaves of a name or number tree (ISO 32000-1, 7.9.6 and 7.9.7) in file order, as key/value pairs; loops in the
 * tree are skipped.
 */
function readTree(root: PDFObject, leafKey: 'Names' | 'Nums'): Array<[key: PDFObject, value: PDFObject]> {
  const entries: Array<[PDFObject, PDFObject]> = []
  const seen = new Set<number>()
  const waiting = [root]
  while (waiting.length > 0 && entries.length < MAX_ENTRIES) {
    const node = waiting.pop()!
    if (!node.isDictionary()) continue
    if (node.isIndirect()) {
      if (seen.has(node.asIndirect())) continue
      seen.add(node.asIndirect())
    }
    const leaves = node.get(leafKey)
    for (let index = 0; leaves.isArray() && index + 1 < leaves.length; index += 2) {
      entries.push([leaves.get(index), leaves.get(index + 1)])
    }
    const kids = node.get('Kids')
    for (let index = kids.isArray() ? kids.length - 1 : -1; index >= 0; index--) waiting.push(kids.get(index))
  }
  return entries
}

/** The entries of a name tree in file order; names may be equal. */
export function nameTreeEntries(root: PDFObject): Array<[name: string, value: PDFObject]> {
  return readTree(root, 'Names').map(([key, value]) => [key.asString(), value])
}

/** A name tree as a map; the first of two equal names is used. */
export function readNameTree(root: PDFObject): Map<string, PDFObject> {
  const names = new Map<string, PDFObject>()
  for (const [name, value] of nameTreeEntries(root)) if (!names.has(name)) names.set(name, value)
  return names
}

/** A name tree with a single leaf, without some of the entries of another one. */
export function filterNameTree(pdf: PDFDocument, root: PDFObject, isKept: (name: PDFObject) => boolean): PDFObject {
  const leaves = pdf.newArray()
  for (const [key, value] of readTree(root, 'Names'))
    if (isKept(key)) {
      leaves.push(key)
      leaves.push(value)
    }
  const tree = pdf.newDictionary()
  tree.put('Names', leaves)
  return tree
}

/** A number tree as a map; the first of two equal numbers is used. */
export function readNumberTree(root: PDFObject): Map<number, PDFObject> {
  const numbers = new Map<number, PDFObject>()
  for (const [key, value] of readTree(root, 'Nums')) {
    const number = key.asNumber()
    if (!numbers.has(number)) numbers.set(number, value)
  }
  return numbers
}

/** A name tree with a single leaf, its names in the order required by the format (by bytes). */
export function writeNameTree(pdf: PDFDocument, entries: Map<string, PDFObject>): PDFObject {
  const keys = [...entries.keys()].map((name) => ({ name, key: pdf.newString(name) }))
  const sortable = keys.map((entry) => ({ ...entry, bytes: Buffer.from(entry.key.asByteString()) }))
  sortable.sort((one, other) => Buffer.compare(one.bytes, other.bytes))
  const leaves = pdf.newArray()
  for (const { name, key } of sortable) {
    leaves.push(key)
    leaves.push(required(entries, name))
  }
  const tree = pdf.newDictionary()
  tree.put('Names', leaves)
  return pdf.addObject(tree)
}

/** A number tree with a single leaf. */
export function writeNumberTree(pdf: PDFDocument, entries: Map<number, PDFObject>): PDFObject {
  const leaves = pdf.newArray()
  for (const key of [...entries.keys()].sort((one, other) => one - other)) {
    leaves.push(pdf.newInteger(key))
    leaves.push(required(entries, key))
  }
  const tree = pdf.newDictionary()
  tree.put('Nums', leaves)
  return pdf.addObject(tree)
}

/** The items of an array object; empty for other objects. */
export function itemsOf(object: PDFObject): PDFObject[] {
  return object.isArray() ? Array.from({ length: object.length }, (_, index) => object.get(index)) : []
}

/** The entries of a dictionary object; empty for other objects. */
export function entriesOf(object: PDFObject): Array<[key: string, value: PDFObject]> {
  const entries: Array<[string, PDFObject]> = []
  if (object.isDictionary()) object.forEach((value, key) => void entries.push([String(key), value]))
  return entries
}

/** The value at a path of names such as `/XObject/Page2`, or undefined if part of the path is missing. */
export function valueAt(dictionary: PDFObject, path: string): PDFObject | undefined {
  let value = dictionary
  for (const name of path.split('/').slice(1)) {
    if (!value.isDictionary()) return undefined
    value = value.get(name)
  }
  return value.isNull() ? undefined : value
}

/** Maximum nesting depth of direct objects. */
const MAX_DEPTH = 100

/**
 * Invokes the callback for every array and dictionary of the document, innermost first within each object, so that the
 * callback may remove nested values.
 */
export function eachContainer(pdf: PDFDocument, found: (container: PDFObject) => void): void {
  const visit = (object: PDFObject, depth: number): void => {
    if (depth > MAX_DEPTH || !(object.isArray() || object.isDictionary())) return
    const values = object.isArray() ? itemsOf(object) : entriesOf(object).map(([, value]) => value)
    for (const value of values) if (!value.isIndirect()) visit(value, depth + 1)
    found(object)
  }
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) visit(pdf.newIndirect(number), 0)
}

/**
 * The value for use in a second location of the same document: direct arrays and dictionaries are copied, references
 * are kept. When saving, MuPDF renumbers references once for each location where it finds them, so a direct object in
 * two locations would end up with references to other objects.
 */
export function copyOfDirect(pdf: PDFDocument, value: PDFObject, depth = 0): PDFObject {
  if (value.isIndirect() || depth > MAX_DEPTH) return value
  if (value.isArray()) {
    const copy = pdf.newArray()
    for (const item of itemsOf(value)) copy.push(copyOfDirect(pdf, item, depth + 1))
    return copy
  }
  if (!value.isDictionary()) return value
  const copy = pdf.newDictionary()
  for (const [key, item] of entriesOf(value)) copy.put(key, copyOfDirect(pdf, item, depth + 1))
  return copy
}
