import { LIBRARY_MEMORY, type PDFDocument, type PDFGraftMap, type PDFObject } from '../../../engines/mupdf.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { entriesOf, itemsOf, readNameTree } from '../structure/trees.ts'

/**
 * Matches the text of an object that must be inspected: references, named destinations, keys into the structure tree.
 */
const NOT_PLAIN = /\d R\b|\/(?:GoTo|Dest|StructParents?)\b/

/** Memory of the machine that must stay free while copying, in bytes. */
const RESERVE = 256 * 1024 * 1024

/** Copied bytes between two memory checks. */
const LOOK_BYTES = 16 * 1024 * 1024

interface SharedObjects {
  graftMap: PDFGraftMap
  /** Object number in the source → its replacement in the target. */
  objects: Map<number, PDFObject>
  queue: Array<[source: PDFObject, target: PDFObject]>
  named: Map<string, PDFObject> | undefined
  /** Bytes of streams copied since the last memory check. */
  copiedBytes: number
}

/**
 * Copies objects from one document to another, each once, without a limit on the depth of references (the library's own
 * graft silently drops objects more than 128 references away). Pages, annotations, form fields and structure elements
 * are not followed: they are replaced by their registered counterparts, or by nothing. So no page that was left out is
 * copied.
 */
export class ObjectImporter {
  readonly source: PDFDocument
  readonly target: PDFDocument
  /** Offset added to keys into the structure tree's parent tree; undefined removes the keys. */
  readonly structureOffset: number | undefined
  readonly #shared: SharedObjects
  readonly #own = new Map<number, PDFObject>()

  /** With `sibling`, copied objects are shared, but not registered ones: for a second copy of the same pages. */
  constructor(source: PDFDocument, target: PDFDocument, structureOffset?: number, sibling?: ObjectImporter) {
    this.source = source
    this.target = target
    this.structureOffset = structureOffset
    this.#shared = sibling
      ? sibling.#shared
      : { graftMap: target.newGraftMap(), objects: new Map(), queue: [], named: undefined, copiedBytes: 0 }
  }

  /** Registers the target object for an indirect object of the source. */
  register(source: PDFObject, target: PDFObject): void {
    this.#own.set(source.asIndirect(), target)
  }

  registered(source: PDFObject): PDFObject | undefined {
    return source.isIndirect() ? this.#own.get(source.asIndirect()) : undefined
  }

  /** The counterpart of an indirect object, if it was copied or registered. */
  copied(source: PDFObject): PDFObject | undefined {
    return this.registered(source) ?? this.#shared.objects.get(source.asIndirect())
  }

  /** The value for the target; `finish` copies the indirect objects it refers to. */
  copy(value: PDFObject): PDFObject {
    if (value.isIndirect()) return this.#reference(value)
    if (!value.isArray() && !value.isDictionary()) return value
    if (!NOT_PLAIN.test(value.toString(true, true))) return this.#shared.graftMap.graftObject(value)
    if (value.isDictionary()) return this.copyDictionary(value)
    const copy = this.target.newArray()
    for (const item of itemsOf(value)) copy.push(this.copy(item))
    return copy
  }

  /** A dictionary for the target without the `skipped` keys; named destinations become explicit page destinations. */
  copyDictionary(dictionary: PDFObject, skipped: readonly string[] = []): PDFObject {
    const copy = this.target.newDictionary()
    const isGoTo = dictionary.get('S').asName() === 'GoTo'
    for (const [key, value] of entriesOf(dictionary)) {
      if (skipped.includes(key)) continue
      if (key === 'StructParent' || key === 'StructParents') {
        if (this.structureOffset !== undefined) copy.put(key, value.asNumber() + this.structureOffset)
      } else if (key === 'Dest' || (key === 'D' && isGoTo)) {
        const destination = this.destination(value)
        if (destination) copy.put(key, destination)
      } else {
        const put = this.copy(value)
        if (!put.isNull()) copy.put(key, put)
      }
    }
    return copy
  }

  /** Converts any destination to an explicit one in the target; undefined if its page was not copied. */
  destination(value: PDFObject): PDFObject | undefined {
    const explicit = this.#explicitDestination(value)
    if (!explicit) return undefined
    const page = this.#destinationPage(explicit)
    if (!page) return undefined
    const copy = this.target.newArray()
    copy.push(page)
    for (const item of itemsOf(explicit).slice(1)) copy.push(this.copy(item))
    return copy
  }

  /** The named destinations of the source (both types). */
  namedDestinations(): Map<string, PDFObject> {
    if (this.#shared.named) return this.#shared.named
    const root = this.source.getTrailer().get('Root')
    const named = readNameTree(root.get('Names', 'Dests'))
    for (const [name, value] of entriesOf(root.get('Dests'))) if (!named.has(name)) named.set(name, value)
    this.#shared.named = named
    return named
  }

  /** Copies everything referenced so far. */
  finish(): void {
    const { queue } = this.#shared
    for (let next = queue.pop(); next; next = queue.pop()) {
      const [source, target] = next
      const resolved = source.resolve()
      target.writeObject(
        resolved.isDictionary()
          ? this.copyDictionary(resolved)
          : resolved.isArray()
            ? this.#copyArray(resolved)
            : resolved,
      )
      if (source.isStream()) {
        const bytes = source.readRawStream()
        target.writeRawStream(bytes)
        bytes.destroy()
      }
    }
  }

  #copyArray(array: PDFObject): PDFObject {
    const copy = this.target.newArray()
    for (const item of itemsOf(array)) copy.push(this.copy(item))
    return copy
  }

  #reference(reference: PDFObject): PDFObject {
    const number = reference.asIndirect()
    const known = this.#own.get(number) ?? this.#shared.objects.get(number)
    if (known) return known
    const resolved = reference.resolve()
    const copy = this.#startCopy(reference, resolved)
    this.#shared.objects.set(number, copy)
    return copy
  }

  #startCopy(reference: PDFObject, resolved: PDFObject): PDFObject {
    if (resolved.isNull() || isPartOfTree(reference, resolved)) return this.target.newNull()
    if (reference.isStream()) this.#checkMemory(resolved.get('Length').asNumber())
    if (!NOT_PLAIN.test(resolved.toString(true, true))) return this.#shared.graftMap.graftObject(reference)
    const copy = this.target.createObject()
    this.#shared.queue.push([reference, copy])
    return copy
  }

  /** Copied streams are held in memory until the document is saved: throws before the system kills the process. */
  #checkMemory(bytes: number): void {
    this.#shared.copiedBytes += bytes
    if (this.#shared.copiedBytes < LOOK_BYTES) return
    // A damaged file may declare any length; the library cannot hold more anyway.
    const needed = Math.min(this.#shared.copiedBytes, LIBRARY_MEMORY) + RESERVE
    this.#shared.copiedBytes = 0
    if (process.availableMemory() > needed) return
    throw limitExceeded('The pages do not fit in the memory that is free', {
      hint: 'Take fewer pages or files at once, or split the largest file first.',
    })
  }

  #explicitDestination(value: PDFObject): PDFObject | undefined {
    let found: PDFObject | undefined = value
    if (value.isName()) found = this.namedDestinations().get(value.asName())
    else if (value.isString()) found = this.namedDestinations().get(value.asString())
    if (found?.isDictionary()) found = found.get('D')
    return found?.isArray() ? found : undefined
  }

  #destinationPage(explicit: PDFObject): PDFObject | undefined {
    const page = explicit.get(0)
    if (page.isIndirect()) return this.registered(page)
    // A page index (from 0) is meant for destinations in other files, but some writers use it here.
    if (!page.isInteger() || page.asNumber() < 0 || page.asNumber() >= this.source.countPages()) return undefined
    return this.registered(this.source.findPage(page.asNumber()))
  }
}

/** Whether an object belongs to a tree that is rebuilt; following it would copy the whole document. */
function isPartOfTree(reference: PDFObject, object: PDFObject): boolean {
  if (!object.isDictionary() || reference.isStream()) return false
  const type = object.get('Type').asName()
  if (['Page', 'Pages', 'Catalog', 'Outlines', 'StructTreeRoot', 'StructElem', 'Annot'].includes(type)) return true
  const isAnnotation = object.get('Subtype').isName() && object.get('Rect').isArray()
  const isField = object.get('FT').isName() || (object.get('T').isString() && object.get('Kids').isArray())
  const isStructureElement = object.get('S').isName() && object.get('P').isIndirect() && object.get('P', 'S').isName()
  return isAnnotation || isField || isStructureElement
}
