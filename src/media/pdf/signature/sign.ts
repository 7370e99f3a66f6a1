import { createHash } from 'node:crypto'
import { loadMupdf, type Mupdf, type PDFDocument, type PDFObject, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { SigningIdentity } from '../../../engines/pkcs12.ts'
import { MediaprocError } from '../../../errors.ts'
import { listed } from '../../../wording.ts'
import { readFields } from '../form/fields.ts'
import { type PageArea, rectanglesOf } from '../redact/areas.ts'
import { signCms } from './cms.ts'
import { drawSeal } from './seal.ts'

/** Space for the signature, in bytes, besides the certificates. */
const ROOM = 4096

/** Placeholders of the same width as the largest offsets. */
const UNKNOWN = 1_999_999_999

export interface SignOptions {
  /** The name of a field for the signature: an existing empty one, or a new one. */
  field?: string | undefined
  reason?: string | undefined
  location?: string | undefined
  /** Where the signature is shown; absent: nowhere. */
  place?: PageArea | undefined
  /** Lines of the visible signature. */
  lines: readonly string[]
  time: Date
}

/**
 * Adds a signature as an incremental update: the bytes of the document stay as they are, so that earlier signatures stay
 * valid.
 * @throws MediaprocError TARGET_UNREACHABLE for an encrypted document, one that allows no changes, or a signed field
 */
export async function signPdf(bytes: Uint8Array, identity: SigningIdentity, options: SignOptions): Promise<Uint8Array> {
  const mupdf = await loadMupdf()
  const size = ROOM + [identity.certificate, ...identity.others].reduce((sum, { raw }) => sum + raw.length, 0)
  const written = withMupdfErrors('PROCESSING_FAILED', 'The document could not be signed', () => {
    const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument
    try {
      checkSignable(pdf)
      const signature = pdf.addObject({ Type: 'Sig', Filter: 'Adobe.PPKLite', SubFilter: 'ETSI.CAdES.detached' })
      signature.put('ByteRange', [0, UNKNOWN, UNKNOWN, UNKNOWN])
      signature.put('Contents', pdf.newByteString(new Uint8Array(size)))
      signature.put('M', pdf.newString(pdfDate(options.time)))
      if (options.reason) signature.put('Reason', pdf.newString(options.reason))
      if (options.location) signature.put('Location', pdf.newString(options.location))
      addField(mupdf, pdf, signature, options)
      const buffer = pdf.saveToBuffer('incremental')
      const copy = Buffer.from(buffer.asUint8Array())
      buffer.destroy()
      return copy
    } finally {
      pdf.destroy()
    }
  })
  // A document that the library repairs is rewritten, and has no valid offsets.
  if (!written.subarray(0, bytes.length).equals(bytes))
    throw new MediaprocError('PROCESSING_FAILED', 'The document is damaged, and cannot be signed as it is', {
      hint: 'Try the tool repair-pdf first.',
    })
  return seal(written, bytes.length, size, identity)
}

function checkSignable(pdf: PDFDocument): void {
  if (pdf.getTrailer().get('Encrypt').isDictionary())
    throw new MediaprocError('TARGET_UNREACHABLE', 'An encrypted document cannot be signed', {
      hint: 'Remove its password first, with the tool unlock-pdf.',
    })
  const parameters = pdf.getTrailer().get('Root', 'Perms', 'DocMDP', 'Reference', 0, 'TransformParams')
  if (parameters.isDictionary() && parameters.get('P').asNumber() === 1)
    throw new MediaprocError('TARGET_UNREACHABLE', 'The document is certified and allows no changes', {
      hint: 'Another signature would make the certification invalid.',
    })
}

function addField(mupdf: Mupdf, pdf: PDFDocument, signature: PDFObject, options: SignOptions): void {
  const fields = readFields(pdf)
  const names = new Set(fields.map(({ name }) => name))
  const given = options.field
  const known = fields.find(({ name }) => name === given)
  if (known && (known.type !== 'signature' || known.object.getInheritable('V').isDictionary()))
    throw new MediaprocError(
      'TARGET_UNREACHABLE',
      `The field ${listed([known.name])} is not an empty signature field`,
      {
        hint: 'Choose another name for field, or none.',
      },
    )
  const root = pdf.getTrailer().get('Root')
  if (!root.get('AcroForm').isDictionary()) root.put('AcroForm', pdf.addObject({}))
  const form = root.get('AcroForm')
  form.put('SigFlags', 3)
  if (known) {
    known.object.put('V', signature)
    const [widget] = known.widgets
    if (widget && widget.page > 0) drawSeal(mupdf, pdf, widget.object, pdf.findPage(widget.page - 1), options.lines)
    return
  }
  let name = given ?? 'Signature1'
  for (let number = 2; names.has(name); number++) name = `Signature${number}`
  const [index = 0, rectangles] = (options.place && [...rectanglesOf(pdf, [options.place])][0]) ?? []
  const page = pdf.findPage(index)
  const widget = pdf.addObject({ Type: 'Annot', Subtype: 'Widget', FT: 'Sig', F: 132 })
  widget.put('T', pdf.newString(name))
  widget.put('V', signature)
  widget.put('P', page)
  widget.put('Rect', [0, 0, 0, 0])
  const [rectangle] = rectangles ?? []
  if (rectangle) {
    const loaded = pdf.loadPage(index)
    const [x1, y1, x2, y2] = mupdf.Rect.transform(rectangle, mupdf.Matrix.invert(loaded.getTransform()))
    loaded.destroy()
    widget.put('Rect', [x1, y1, x2, y2])
    drawSeal(mupdf, pdf, widget, page, options.lines)
  }
  append(pdf, page, 'Annots', widget)
  append(pdf, form, 'Fields', widget)
}

/** Appends to a list of a dictionary, which may be missing. */
function append(pdf: PDFDocument, owner: PDFObject, key: string, item: PDFObject): void {
  if (!owner.get(key).isArray()) owner.put(key, pdf.newArray())
  owner.get(key).push(item)
}

/** Fills in the signed ranges and the signature. */
function seal(file: Buffer, from: number, size: number, identity: SigningIdentity): Buffer {
  const start = file.indexOf(`/Contents<${'0'.repeat(size * 2)}>`, from)
  const written = `[0 ${UNKNOWN} ${UNKNOWN} ${UNKNOWN}]`
  const range = file.indexOf(written, from)
  if (start < 0 || range < 0) throw new MediaprocError('PROCESSING_FAILED', 'The signature could not be placed')
  const gap = start + '/Contents'.length
  const end = gap + size * 2 + 2
  file.write(`[0 ${gap} ${end} ${file.length - end}]`.padEnd(written.length), range, 'latin1')
  const digest = createHash('sha256').update(file.subarray(0, gap)).update(file.subarray(end)).digest()
  const signature = signCms(digest, identity)
  if (signature.length > size) throw new MediaprocError('PROCESSING_FAILED', 'The signature is larger than its place')
  file.write(signature.toString('hex'), gap + 1, 'latin1')
  return file
}

/** A date of PDF in UTC (ISO 32000-1, 7.9.4). */
const pdfDate = (time: Date): string => `D:${time.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
