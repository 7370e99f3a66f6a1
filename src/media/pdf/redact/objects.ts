import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { eachContainer, entriesOf, itemsOf, readNameTree } from '../structure/trees.ts'
import { bytesHoldTerm, hasTerms, holdsTerm, type Terms, withoutTerms } from './terms.ts'

/** Maximum nesting depth of direct objects. */
const MAX_DEPTH = 100

/** Entries whose strings are not text: bytes, encoding names, drawing operators. Changing them would break the file. */
const NO_TEXT = new Set(['Encrypt', 'Registry', 'Ordering', 'CharSet', 'CheckSum', 'DA', 'ByteRange', 'Panose'])

/** Subtypes of embedded font programs (ISO 32000-1, 9.9). */
const FONT_PROGRAMS = new Set(['Type1C', 'CIDFontType0C', 'OpenType'])

/** A date, which readers parse (ISO 32000-1, 7.9.4). */
const DATE = /^D:\d{4}/

/** Replaces a string at its location. */
type Replace = (text: string) => void

/**
 * Invokes the callback for every string of the document outside page content: fields, bookmarks, comments, names,
 * actions.
 */
function eachString(pdf: PDFDocument, found: (text: string, replace: Replace) => void): void {
  const visit = (object: PDFObject, depth: number): void => {
    if (depth > MAX_DEPTH || !(object.isArray() || object.isDictionary())) return
    const entries: Array<[string | number, PDFObject]> = object.isArray()
      ? itemsOf(object).map((item, index) => [index, item])
      : entriesOf(object)
    // Palette colours are bytes.
    if (object.isArray() && object.length > 0 && ['Indexed', 'I'].includes(object.get(0).asName())) return
    for (const [key, value] of entries) {
      if (value.isIndirect() || NO_TEXT.has(String(key))) continue
      // Two byte strings identify the file; the IDs of structure elements are text.
      if (key === 'ID' && value.isArray()) continue
      if (value.isString() && DATE.test(value.asString())) continue
      if (value.isString()) found(value.asString(), (text) => void object.put(key as string, pdf.newString(text)))
      else visit(value, depth + 1)
    }
  }
  visit(pdf.getTrailer(), 0)
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (object.isString()) found(object.asString(), (text) => object.writeObject(pdf.newString(text)))
    else visit(object, 0)
  }
}

/** Removes the terms from every string; returns how many contained one. */
export function cleanStrings(pdf: PDFDocument, terms: Terms): number {
  let cleaned = 0
  eachString(pdf, (text, replace) => {
    if (!holdsTerm(terms, text)) return
    replace(withoutTerms(terms, text))
    cleaned++
  })
  return cleaned
}

/** Whether any string still contains a term. */
export function someStringHolds(pdf: PDFDocument, terms: Terms): boolean {
  let holds = false
  eachString(pdf, (text) => {
    holds ||= holdsTerm(terms, text)
  })
  return holds
}

/** Streams outside the pages that may contain text: removed if they contain a term. */
export interface RemovedParts {
  metadata: number
  scripts: number
  attachments: string[]
  /** Attachments that cannot be searched, such as images and archives. */
  unreadable: string[]
}

/**
 * Removes metadata, scripts and attachments that contain a term, attachments that cannot be searched, and XFA forms.
 */
export function cleanStreams(pdf: PDFDocument, terms: Terms): RemovedParts {
  const removed: RemovedParts = { metadata: 0, scripts: 0, attachments: [], unreadable: [] }
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (!object.isDictionary()) continue
    if (object.get('Metadata').isStream() && streamHolds(object.get('Metadata'), terms)) {
      object.delete('Metadata')
      removed.metadata++
    }
    if (object.get('JS').isStream() && streamHolds(object.get('JS'), terms)) {
      object.delete('JS')
      removed.scripts++
    }
    // Private data of editors, and thumbnails of the original pages.
    for (const key of ['PieceInfo', 'Thumb']) if (!object.get(key).isNull()) object.delete(key)
  }
  for (const { specification, fault } of badAttachments(pdf, terms)) {
    const name = specification.get('UF').asString() || specification.get('F').asString() || 'attachment'
    ;(fault === 'holds' ? removed.attachments : removed.unreadable).push(name)
    specification.delete('EF')
  }
  const root = pdf.getTrailer().get('Root')
  // XFA is one document split into streams, and a term may span two of them.
  if (root.get('AcroForm').isDictionary()) root.get('AcroForm').delete('XFA')
  return removed
}

interface BadAttachment {
  specification: PDFObject
  /** It contains a term, or it cannot be searched. */
  fault: 'holds' | 'unreadable'
}

/**
 * Attached files that must be removed, of the document and of annotations, by their file specification dictionaries
 * (ISO 32000-1, 7.11.3).
 */
export function badAttachments(pdf: PDFDocument, terms: Terms): BadAttachment[] {
  const bad: BadAttachment[] = []
  if (!hasTerms(terms)) return bad
  eachContainer(pdf, (specification) => {
    if (!specification.isDictionary()) return
    const streams = entriesOf(specification.get('EF')).flatMap(([, value]) => (value.isStream() ? [value] : []))
    const contents = streams.map(bytesOf)
    // Text has no zero bytes, except UTF-16, which starts with a byte order mark.
    const isReadable = contents.every((bytes) => !bytes.includes(0) || bytes[0]! >= 0xfe)
    if (contents.some((bytes) => bytesHoldTerm(terms, bytes, 'text'))) bad.push({ specification, fault: 'holds' })
    else if (!isReadable) bad.push({ specification, fault: 'unreadable' })
  })
  return bad
}

/**
 * Whether any stream of the document, decoded, or the name of an attachment still contains a term: also patterns,
 * unused drawings, comments in content, and streams of unknown type. Image samples and font programs are skipped,
 * because they are binary and contain short terms by chance.
 */
export function someStreamHolds(pdf: PDFDocument, terms: Terms): boolean {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (object.isStream() && !isBinary(object) && streamHolds(object, terms, kindOf(object))) return true
    if (object.isDictionary() && object.get('JS').isStream() && streamHolds(object.get('JS'), terms)) return true
  }
  const files = readNameTree(pdf.getTrailer().get('Root', 'Names', 'EmbeddedFiles'))
  return [...files.keys()].some((name) => holdsTerm(terms, name))
}

/** Images, font programs, colour profiles and the file's own tables. */
function isBinary(stream: PDFObject): boolean {
  const isTable = ['XRef', 'ObjStm'].includes(stream.get('Type').asName())
  const isFont = stream.get('Length1').isNumber() || FONT_PROGRAMS.has(stream.get('Subtype').asName())
  const isProfile = stream.get('N').isNumber()
  const isSampled = stream.get('FunctionType').isNumber() || stream.get('ShadingType').isNumber()
  return isTable || isFont || isProfile || isSampled || stream.get('Subtype').asName() === 'Image'
}

/** Streams of text for people; attached files are checked with their names. */
const kindOf = (stream: PDFObject): 'text' | 'code' => (stream.get('Type').asName() === 'Metadata' ? 'text' : 'code')

function streamHolds(stream: PDFObject, terms: Terms, kind: 'text' | 'code' = 'text'): boolean {
  return bytesHoldTerm(terms, bytesOf(stream), kind)
}

function bytesOf(stream: PDFObject): Uint8Array {
  let buffer: ReturnType<PDFObject['readStream']>
  try {
    buffer = stream.readStream()
  } catch {
    // Data that cannot be decoded is searched as stored.
    buffer = stream.readRawStream()
  }
  const bytes = buffer.asUint8Array().slice()
  buffer.destroy()
  return bytes
}
