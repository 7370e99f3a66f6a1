import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'

/** Nodes and entries that are read of one tree; a real document has far fewer, a hostile one may be endless. */
const MAX_ENTRIES = 1_000_000

/**
 * The leaves of a name or number tree (ISO 32000-1, 7.9.6 and 7.9.7) in file order, as pairs of key and value; loops in
 * the tree are passed over.
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

/** A name tree as a map; of two equal names the first counts. */
export function readNameTree(root: PDFObject): Map<string, PDFObject> {
  const names = new Map<string, PDFObject>()
  for (const [key, value] of readTree(root, 'Names')) {
    const name = key.asString()
    if (!names.has(name)) names.set(name, value)
  }
  return names
}

/** A number tree as a map; of two equal numbers the first counts. */
export function readNumberTree(root: PDFObject): Map<number, PDFObject> {
  const numbers = new Map<number, PDFObject>()
  for (const [key, value] of readTree(root, 'Nums')) {
    const number = key.asNumber()
    if (!numbers.has(number)) numbers.set(number, value)
  }
  return numbers
}

/** A name tree of one leaf, its names in the order that the format asks for (by bytes). */
export function writeNameTree(pdf: PDFDocument, entries: Map<string, PDFObject>): PDFObject {
  const keys = [...entries.keys()].map((name) => ({ name, key: pdf.newString(name) }))
  const sortable = keys.map((entry) => ({ ...entry, bytes: Buffer.from(entry.key.asByteString()) }))
  sortable.sort((one, other) => Buffer.compare(one.bytes, other.bytes))
  const leaves = pdf.newArray()
  for (const { name, key } of sortable) {
    leaves.push(key)
    leaves.push(entries.get(name)!)
  }
  const tree = pdf.newDictionary()
  tree.put('Names', leaves)
  return pdf.addObject(tree)
}

/** A number tree of one leaf. */
export function writeNumberTree(pdf: PDFDocument, entries: Map<number, PDFObject>): PDFObject {
  const leaves = pdf.newArray()
  for (const key of [...entries.keys()].sort((one, other) => one - other)) {
    leaves.push(pdf.newInteger(key))
    leaves.push(entries.get(key)!)
  }
  const tree = pdf.newDictionary()
  tree.put('Nums', leaves)
  return pdf.addObject(tree)
}

/** The items of an array object, or none when it is something else. */
export function itemsOf(object: PDFObject): PDFObject[] {
  return object.isArray() ? Array.from({ length: object.length }, (_, index) => object.get(index)) : []
}

/** The entries of a dictionary object, or none when it is something else. */
export function entriesOf(object: PDFObject): Array<[key: string, value: PDFObject]> {
  const entries: Array<[string, PDFObject]> = []
  if (object.isDictionary()) object.forEach((value, key) => void entries.push([String(key), value]))
  return entries
}

/** The value at a path of names such as `/XObject/Page2`, or undefined when a part of it is missing. */
export function valueAt(dictionary: PDFObject, path: string): PDFObject | undefined {
  let value = dictionary
  for (const name of path.split('/').slice(1)) {
    if (!value.isDictionary()) return undefined
    value = value.get(name)
  }
  return value.isNull() ? undefined : value
}

/** How deep direct objects nest at most. */
const MAX_DEPTH = 100

/**
 * Calls back for every array and dictionary of the document, of each object the inner ones first: what is found may be taken out of
 * the one that is given.
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
 * The value for a second place in the same document: direct arrays and dictionaries are copied, references stay. MuPDF
 * renumbers references on saving once for each place that it finds them in, so a direct object in two places ends with
 * references to other objects.
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
