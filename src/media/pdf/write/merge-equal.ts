import { createHash } from 'node:crypto'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { eachContainer, entriesOf, itemsOf } from '../structure/trees.ts'
import { renumbered } from './object-text.ts'
import { printed, reachableObjects, withObject } from './reachable.ts'

/** Types of dictionaries that are values: two equal ones can be one (ISO 32000-1, 7.8.3, 8.4.5, 9.5). */
const VALUE_TYPES = new Set(['Font', 'FontDescriptor', 'Encoding', 'ExtGState', 'Pattern', 'XObject'])

/** Entries of a resource dictionary. */
const RESOURCES = new Set(['Font', 'XObject', 'ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'Properties', 'ProcSet'])

/** Colour spaces that are arrays. */
const COLOUR_SPACES = new Set(['CalGray', 'CalRGB', 'DeviceN', 'ICCBased', 'Indexed', 'Lab', 'Pattern', 'Separation'])

/** Maximum nesting of references: page, form, font, descendant font, descriptor, file; forms in forms add to it. */
const MAX_ROUNDS = 20

interface Entry {
  number: number
  text: string
  /** Checksum of a stream's data; '' for other objects. */
  data: string
}

/**
 * Makes equal streams, fonts and resources of the document one object each, and points all references to it. Objects
 * that refer to equal objects become equal themselves, so it repeats until nothing changes: fonts, then forms that use
 * them. MuPDF's own option compares no streams, and does not repeat.
 * @returns the number of merged objects
 */
export function mergeEqualObjects(pdf: PDFDocument): number {
  const twins = new Map<number, number>()
  const current = (number: number): number => {
    let own = number
    for (let twin = twins.get(own); twin !== undefined; twin = twins.get(own)) own = twin
    return own
  }
  let entries = valuesOf(pdf)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const first = new Map<string, number>()
    const kept: Entry[] = []
    for (const entry of entries) {
      const key = createHash('sha256').update(renumbered(entry.text, current)).update(entry.data).digest('base64')
      const twin = first.get(key)
      if (twin !== undefined) twins.set(entry.number, twin)
      else {
        first.set(key, entry.number)
        kept.push(entry)
      }
    }
    if (kept.length === entries.length) break
    entries = kept
  }
  if (twins.size > 0) redirect(pdf, current)
  return twins.size
}

/** The objects without an identity of their own. */
function valuesOf(pdf: PDFDocument): Entry[] {
  const entries: Entry[] = []
  for (const number of reachableObjects(pdf))
    withObject(pdf, number, (object) => {
      const isStream = object.isStream()
      if (!(isStream ? object.get('StructParent').isNull() && object.get('StructParents').isNull() : isValue(object)))
        return
      entries.push({ number, text: printed(pdf, object), data: isStream ? checksumOf(object) : '' })
    })
  return entries
}

function isValue(object: PDFObject): boolean {
  if (object.isArray()) {
    const [first, ...others] = itemsOf(object)
    if (first?.isName()) return COLOUR_SPACES.has(first.asName())
    return first?.isNumber() === true && others.every((item) => item.isNumber())
  }
  if (!object.isDictionary()) return false
  const type = object.get('Type')
  if (type.isName()) return VALUE_TYPES.has(type.asName())
  const keys = entriesOf(object).map(([key]) => key)
  return keys.length > 0 && keys.every((key) => RESOURCES.has(key))
}

function checksumOf(stream: PDFObject): string {
  const buffer = stream.readRawStream()
  const checksum = createHash('sha256').update(buffer.asUint8Array()).digest('base64')
  buffer.destroy()
  return checksum
}

function redirect(pdf: PDFDocument, current: (number: number) => number): void {
  const moved = (value: PDFObject): PDFObject | undefined => {
    if (!value.isIndirect()) return undefined
    const number = value.asIndirect()
    const own = current(number)
    return own === number ? undefined : pdf.newIndirect(own)
  }
  eachContainer(pdf, (container) => {
    if (container.isArray())
      for (const [index, item] of itemsOf(container).entries()) {
        const own = moved(item)
        if (own) container.put(index, own)
      }
    else
      for (const [key, value] of entriesOf(container)) {
        const own = moved(value)
        if (own) container.put(key, own)
      }
  })
}
