import { inflateSync } from 'node:zlib'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { entriesOf, itemsOf, readNameTree, writeNameTree } from './trees.ts'

/** Maximum number of attachments of a document that are read. */
const MAX_ATTACHMENTS = 10_000

/** A file in a document: of the whole document, or on a page, where a symbol opens it. */
export interface Attachment {
  /** As stated in the document: it may contain folders and any character. */
  name: string
  description: string | undefined
  mime: string | undefined
  /** Its key in the list of the document; undefined for one on a page. */
  key: string | undefined
  /** From 1; undefined for one of the whole document. */
  page: number | undefined
  specification: PDFObject
  stream: PDFObject
}

const textOf = (object: PDFObject): string | undefined =>
  (object.isString() ? object.asString() : undefined) || undefined

/** Reads a file specification (ISO 32000-2, 7.11.3); undefined for one without an embedded file. */
function attachmentOf(specification: PDFObject, place: Pick<Attachment, 'key' | 'page'>): Attachment | undefined {
  if (!specification.isDictionary()) return undefined
  const files = specification.get('EF')
  const stream = ['UF', 'F', 'Unix', 'Mac', 'DOS'].map((key) => files.get(key)).find((one) => one.isStream())
  if (!stream) return undefined
  const name = textOf(specification.get('UF')) ?? textOf(specification.get('F')) ?? place.key ?? 'attachment'
  const mime = stream.get('Subtype').isName() ? stream.get('Subtype').asName() : undefined
  return { name, description: textOf(specification.get('Desc')), mime, ...place, specification, stream }
}

const listOf = (pdf: PDFDocument): Map<string, PDFObject> =>
  readNameTree(pdf.getTrailer().get('Root', 'Names', 'EmbeddedFiles'))

/**
 * The attachments of a document, those of the whole document first, then those on pages.
 * @throws LIMIT_EXCEEDED for more than 10,000
 */
export function readAttachments(pdf: PDFDocument, pageCount: number): Attachment[] {
  const found: Attachment[] = []
  const seen = new Set<number>()
  const add = (specification: PDFObject, place: Pick<Attachment, 'key' | 'page'>): void => {
    const one = attachmentOf(specification, place)
    if (!one) return
    const id = one.stream.asIndirect()
    // A file of the list may be shown on a page as well.
    if (seen.has(id)) return
    seen.add(id)
    found.push(one)
    if (found.length > MAX_ATTACHMENTS)
      throw limitExceeded(`The document has more than ${MAX_ATTACHMENTS} attachments`, { hint: 'Split the document.' })
  }
  for (const [key, specification] of listOf(pdf)) add(specification, { key, page: undefined })
  for (let page = 1; page <= pageCount; page++)
    for (const annotation of itemsOf(pdf.findPage(page - 1).get('Annots')))
      if (annotation.get('Subtype').asName() === 'FileAttachment') add(annotation.get('FS'), { key: undefined, page })
  return found
}

/** Files deflated without predictors, as nearly all are. */
function isDeflated(stream: PDFObject): boolean {
  const [filter] = [stream.get('Filter')]
  const only = filter.isArray() && filter.length === 1 ? filter.get(0) : filter
  return only.isName() && only.asName() === 'FlateDecode' && stream.get('DecodeParms').isNull()
}

/**
 * The content of an attachment.
 * @param most bytes: a small document may contain a file of many gigabytes
 * @throws LIMIT_EXCEEDED
 */
export function contentOf({ name, stream }: Attachment, most: number): Uint8Array {
  const tooLarge = (): MediaprocError =>
    limitExceeded(`The attachment ${name} is larger than ${Math.floor(most / 1024 / 1024)} MiB`, {
      hint: { shell: 'Raise MAX_UNPACKED_FILE_MB or MAX_UNPACKED_SIZE_MB.' },
    })
  const buffer = isDeflated(stream) ? stream.readRawStream() : stream.readStream()
  const bytes = Buffer.from(buffer.asUint8Array())
  buffer.destroy()
  if (!isDeflated(stream)) {
    if (bytes.length > most) throw tooLarge()
    return bytes
  }
  try {
    return inflateSync(bytes, { maxOutputLength: Math.min(most, 2 ** 32 - 1), finishFlush: 2 })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new MediaprocError('INVALID_FILE', `The attachment ${name} is damaged`, { cause: error })
  }
}

/** A file to be attached. */
export interface NewAttachment {
  name: string
  mime: string
  bytes: Uint8Array
  description: string | undefined
  /** When the file was last changed, if that is known. */
  modified: Date | undefined
  /** What the file is to the document (ISO 32000-2, 7.11.3, AFRelationship). */
  relationship: string
}

/** Attaches files to the document; one of the same name is replaced. Returns the names of the replaced ones. */
export function addAttachments(pdf: PDFDocument, files: readonly NewAttachment[]): string[] {
  const list = listOf(pdf)
  const keysOf = new Map<string, string[]>()
  for (const [key, specification] of list) {
    const name = attachmentOf(specification, { key, page: undefined })?.name ?? key
    keysOf.set(name, [...(keysOf.get(name) ?? []), key])
  }
  const replaced: string[] = []
  const root = pdf.getTrailer().get('Root')
  const added: PDFObject[] = []
  for (const { name, mime, bytes, description, modified, relationship } of files) {
    const keys = keysOf.get(name) ?? []
    for (const key of keys) list.delete(key)
    if (keys.length > 0) replaced.push(name)
    const date = modified ?? new Date(0)
    const specification = pdf.addEmbeddedFile(name, mime, bytes, date, date, true)
    const parameters = specification.get('EF', 'F', 'Params')
    if (parameters.isDictionary()) {
      parameters.delete('CreationDate')
      if (!modified) parameters.delete('ModDate')
    }
    specification.put('AFRelationship', pdf.newName(relationship))
    if (description) specification.put('Desc', pdf.newString(description))
    list.set(name, specification)
    added.push(specification)
  }
  writeList(pdf, list)
  // Readers of PDF/A-3 and of electronic invoices look here.
  const listed = idsOf(list.values())
  const kept = itemsOf(root.get('AF')).filter((one) => listed.has(idOf(one)))
  const known = idsOf(kept)
  const all = pdf.newArray()
  for (const one of [...kept, ...added.filter((file) => !known.has(idOf(file)))]) all.push(one)
  root.put('AF', all)
  return replaced
}

/** The number of an object; 0, which no object has, for a direct one. */
const idOf = (object: PDFObject): number => (object.isIndirect() ? object.asIndirect() : 0)

const idsOf = (objects: Iterable<PDFObject>): Set<number> => {
  const ids = new Set([...objects].map(idOf))
  ids.delete(0)
  return ids
}

/** Writes the list of the whole document; an empty one is removed. */
function writeList(pdf: PDFDocument, list: Map<string, PDFObject>): void {
  const root = pdf.getTrailer().get('Root')
  const names = pdf.newDictionary()
  for (const [key, value] of entriesOf(root.get('Names'))) if (key !== 'EmbeddedFiles') names.put(key, value)
  if (list.size > 0) names.put('EmbeddedFiles', writeNameTree(pdf, list))
  root.put('Names', names)
}

/** Removes attachments, with the symbols of those on pages. */
export function removeAttachments(pdf: PDFDocument, doomed: readonly Attachment[]): void {
  const root = pdf.getTrailer().get('Root')
  const keys = new Set(doomed.map(({ key }) => key))
  const streams = idsOf(doomed.map(({ stream }) => stream))
  const isDoomed = (specification: PDFObject): boolean =>
    entriesOf(specification.get('EF')).some(([, stream]) => streams.has(idOf(stream)))
  const left = [...listOf(pdf)].filter(([key, specification]) => !keys.has(key) && !isDoomed(specification))
  writeList(pdf, new Map(left))
  for (const page of new Set(doomed.flatMap(({ page: number }) => number ?? []))) {
    const object = pdf.findPage(page - 1)
    const kept = pdf.newArray()
    for (const annotation of itemsOf(object.get('Annots')))
      if (annotation.get('Subtype').asName() !== 'FileAttachment' || !isDoomed(annotation.get('FS')))
        kept.push(annotation)
    object.put('Annots', kept)
  }
  const associated = itemsOf(root.get('AF'))
  if (associated.length === 0) return
  const rest = pdf.newArray()
  for (const one of associated) if (!isDoomed(one)) rest.push(one)
  root.put('AF', rest)
}
