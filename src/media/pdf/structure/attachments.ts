import { inflateSync } from 'node:zlib'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { zip } from '../../../lists.ts'
import { uniqueNames } from '../../unique-names.ts'
import { eachContainer, entriesOf, itemsOf, nameTreeEntries, writeNameTree } from './trees.ts'

/** Maximum number of attachments of a document that are read. */
const MAX_ATTACHMENTS = 10_000

/** A file in a document: of the whole document, or on a page, where a symbol opens it. */
export interface Attachment {
  /** As stated in the document: it may contain folders and any character. */
  name: string
  description: string | undefined
  mime: string | undefined
  /** From 1; undefined for one of the whole document. */
  page: number | undefined
  specification: PDFObject
  stream: PDFObject
}

const textOf = (object: PDFObject): string | undefined =>
  (object.isString() ? object.asString() : undefined) || undefined

/** Reads a file specification (ISO 32000-2, 7.11.3); undefined for one without an embedded file. */
function attachmentOf(specification: PDFObject, page?: number, key?: string): Attachment | undefined {
  if (!specification.isDictionary()) return undefined
  const files = specification.get('EF')
  if (!files.isDictionary()) return undefined
  const stream = ['UF', 'F', 'Unix', 'Mac', 'DOS'].map((one) => files.get(one)).find((one) => one.isStream())
  if (!stream) return undefined
  const name = textOf(specification.get('UF')) ?? textOf(specification.get('F')) ?? (key || 'attachment')
  const mime = stream.get('Subtype').isName() ? stream.get('Subtype').asName() : undefined
  return { name, description: textOf(specification.get('Desc')), mime, page, specification, stream }
}

/**
 * What makes two entries the same attachment: the object of the specification. Two files may share their bytes, so the
 * stream alone does not; specifications that are no objects of their own are compared by name and stream.
 */
const identityOf = ({ name, specification, stream }: Attachment): string =>
  specification.isIndirect() ? String(specification.asIndirect()) : contentIdentityOf({ name, stream })

const contentIdentityOf = ({ name, stream }: Pick<Attachment, 'name' | 'stream'>): string =>
  `${stream.asIndirect()} ${name}`

const listOf = (pdf: PDFDocument): Array<[key: string, specification: PDFObject]> =>
  nameTreeEntries(pdf.getTrailer().get('Root', 'Names', 'EmbeddedFiles'))

const isSymbol = (annotation: PDFObject): boolean =>
  annotation.isDictionary() && annotation.get('Subtype').asName() === 'FileAttachment'

/**
 * The attachments of a document: those of the whole document, in its list or associated with it, then those on pages or
 * associated with pages (ISO 32000-2, 14.13).
 * @throws LIMIT_EXCEEDED for more than 10,000
 */
export function readAttachments(pdf: PDFDocument, pageCount: number): Attachment[] {
  const found: Attachment[] = []
  const seen = new Set<string>()
  const add = (specification: PDFObject, page?: number, key?: string): void => {
    const one = attachmentOf(specification, page, key)
    // A file of the list may be shown on a page as well.
    if (!one || seen.has(identityOf(one))) return
    seen.add(identityOf(one)).add(contentIdentityOf(one))
    found.push(one)
    if (found.length > MAX_ATTACHMENTS)
      throw limitExceeded(`The document has more than ${MAX_ATTACHMENTS} attachments`, { hint: 'Split the document.' })
  }
  for (const [key, specification] of listOf(pdf)) add(specification, undefined, key)
  for (const specification of itemsOf(pdf.getTrailer().get('Root', 'AF'))) add(specification)
  for (let page = 1; page <= pageCount; page++) {
    const object = pdf.findPage(page - 1)
    for (const annotation of itemsOf(object.get('Annots'))) if (isSymbol(annotation)) add(annotation.get('FS'), page)
    for (const specification of itemsOf(object.get('AF'))) add(specification, page)
  }
  return found
}

/** Files deflated without predictors, as nearly all are. */
function isDeflated(stream: PDFObject): boolean {
  const filter = stream.get('Filter')
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

/**
 * Attaches files to the document; those of the whole document with the same names are replaced.
 * @returns the replaced ones
 */
export function addAttachments(pdf: PDFDocument, pageCount: number, files: readonly NewAttachment[]): Attachment[] {
  const names = new Set(files.map(({ name }) => name))
  const replaced = readAttachments(pdf, pageCount).filter(({ name, page }) => page === undefined && names.has(name))
  if (replaced.length > 0) removeAttachments(pdf, pageCount, replaced)
  const root = pdf.getTrailer().get('Root')
  const associated = pdf.newArray()
  for (const one of itemsOf(root.get('AF'))) associated.push(one)
  const added = files.map(({ name, mime, bytes, description, modified, relationship }): [string, PDFObject] => {
    const date = modified ?? new Date(0)
    const specification = pdf.addEmbeddedFile(name, mime, bytes, date, date, true)
    const parameters = specification.get('EF', 'F', 'Params')
    if (parameters.isDictionary()) {
      parameters.delete('CreationDate')
      if (!modified) parameters.delete('ModDate')
    }
    specification.put('AFRelationship', pdf.newName(relationship))
    if (description) specification.put('Desc', pdf.newString(description))
    // Readers of PDF/A-3 and of electronic invoices look here.
    associated.push(specification)
    return [name, specification]
  })
  writeList(pdf, [...listOf(pdf), ...added])
  root.put('AF', associated)
  return replaced
}

/** Writes the list of the whole document, each file with a key of its own; an empty list is removed. */
function writeList(pdf: PDFDocument, list: ReadonlyArray<[key: string, specification: PDFObject]>): void {
  const root = pdf.getTrailer().get('Root')
  const names = pdf.newDictionary()
  for (const [key, value] of entriesOf(root.get('Names'))) if (key !== 'EmbeddedFiles') names.put(key, value)
  const keys = uniqueNames(
    list.map(([name]) => name),
    { repeat: (name, number) => `${name} (${number})`, first: 2, caseSensitive: true },
  )
  const keyed = new Map(zip(keys, list).map(([key, [, specification]]) => [key, specification]))
  if (keyed.size > 0) names.put('EmbeddedFiles', writeNameTree(pdf, keyed))
  root.put('Names', names)
}

/** Removes attachments from all lists, with the symbols on pages. */
export function removeAttachments(pdf: PDFDocument, pageCount: number, doomed: readonly Attachment[]): void {
  const identities = new Set(doomed.flatMap((one) => [identityOf(one), contentIdentityOf(one)]))
  const isDoomed = (specification: PDFObject, key?: string): boolean => {
    const one = attachmentOf(specification, undefined, key)
    return one !== undefined && identities.has(identityOf(one))
  }
  const without = (list: PDFObject, isRemoved: (item: PDFObject) => boolean): PDFObject => {
    const kept = pdf.newArray()
    for (const item of itemsOf(list)) if (!isRemoved(item)) kept.push(item)
    return kept
  }
  writeList(
    pdf,
    listOf(pdf).filter(([key, specification]) => !isDoomed(specification, key)),
  )
  for (let page = 0; page < pageCount; page++) {
    const object = pdf.findPage(page)
    const isRemoved = (annotation: PDFObject) => isSymbol(annotation) && isDoomed(annotation.get('FS'))
    if (itemsOf(object.get('Annots')).some(isRemoved)) object.put('Annots', without(object.get('Annots'), isRemoved))
  }
  // Files may also be associated with drawings, annotations and tags.
  eachContainer(pdf, (owner) => {
    const list = owner.isDictionary() ? itemsOf(owner.get('AF')) : []
    if (list.some((one) => isDoomed(one))) owner.put('AF', without(owner.get('AF'), isDoomed))
  })
  // Tags and actions may refer to the specification.
  for (const { specification } of doomed) specification.delete('EF')
}
