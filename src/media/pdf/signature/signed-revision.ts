import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { type FormField, readFields } from '../form/fields.ts'
import type { PdfHandle } from '../handle.ts'
import { itemsOf } from '../structure/trees.ts'

/** The signed bytes and the signature between them. */
export interface Ranges {
  signed: Buffer[]
  signature: Buffer
  /** The end of what is signed, in bytes. */
  end: number
}

/** Facts of a signature dictionary (ISO 32000-1, table 252). */
export interface SignatureFacts {
  subFilter: string
  name: string
  time: Date | undefined
  reason: string | undefined
  location: string | undefined
}

/** The signature fields that have a signature. */
export const signedFields = (pdf: PDFDocument): FormField[] =>
  readFields(pdf).filter(({ type, object }) => type === 'signature' && object.getInheritable('V').isDictionary())

/**
 * The ranges of a signature; undefined unless they are the whole beginning of the file, except one hexadecimal string:
 * anything else could be changed without effect on the signature.
 */
export function rangesOf(signature: PDFObject, bytes: Buffer): Ranges | undefined {
  const [start = -1, length = -1, second = -1, rest = -1, ...more] = rangeNumbers(signature)
  if (more.length > 0 || start !== 0 || length < 1 || second <= length || rest < 0) return undefined
  if (second + rest > bytes.length) return undefined
  const gap = bytes.toString('latin1', length, second)
  if (!/^<(?:[0-9A-Fa-f]{2})+>$/.test(gap)) return undefined
  return {
    signed: [bytes.subarray(0, length), bytes.subarray(second, second + rest)],
    signature: Buffer.from(gap.slice(1, -1), 'hex'),
    end: second + rest,
  }
}

const rangeNumbers = (signature: PDFObject): number[] =>
  itemsOf(signature.get('ByteRange')).map((one) => (one.isInteger() ? one.asNumber() : -1))

/** Whether the dictionary has this signature, and not another one than its ranges leave out. */
const holds = (dictionary: PDFObject, { signature }: Ranges): boolean =>
  dictionary.get('Contents').isString() && signature.equals(dictionary.get('Contents').asByteString())

/**
 * The facts of a signature as they were signed: a later revision of the file can replace the dictionary, or give its
 * ranges to another field.
 * @param password opens an encrypted document
 * @returns undefined if what is signed has no such signature in a field of this name
 */
export function signedFacts(
  mupdf: Mupdf,
  document: Pick<PdfHandle, 'pdf' | 'password'>,
  bytes: Buffer,
  { name, object }: FormField,
  ranges: Ranges,
): SignatureFacts | undefined {
  if (!holds(object.getInheritable('V'), ranges)) return undefined
  const isWhole = ranges.end === bytes.length
  const pdf = isWhole ? document.pdf : openRevision(mupdf, bytes.subarray(0, ranges.end), document.password)
  if (!pdf) return undefined
  try {
    const wanted = rangeNumbers(object.getInheritable('V')).join()
    const same = signedFields(pdf).filter((field) => rangeNumbers(field.object.getInheritable('V')).join() === wanted)
    const [field] = same
    if (!field || same.length > 1 || field.name !== name) return undefined
    const signature = field.object.getInheritable('V')
    return holds(signature, ranges) ? factsOf(signature) : undefined
  } finally {
    if (!isWhole) pdf.destroy()
  }
}

function openRevision(mupdf: Mupdf, bytes: Buffer, password: string): PDFDocument | undefined {
  try {
    const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument
    if (pdf.needsPassword()) pdf.authenticatePassword(password)
    return pdf
  } catch {
    return undefined
  }
}

export function factsOf(signature: PDFObject): SignatureFacts {
  return {
    subFilter: signature.get('SubFilter').asName(),
    name: signature.get('Name').asString(),
    time: dateOf(signature.get('M').asString()),
    reason: signature.get('Reason').asString() || undefined,
    location: signature.get('Location').asString() || undefined,
  }
}

/** A date of PDF (ISO 32000-1, 7.9.4). */
function dateOf(text: string): Date | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    offset = '00',
    more = '00',
  ] = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([-+Z])(?:(\d\d)'?(\d\d)?)?)?/.exec(text) ?? []
  if (year === undefined) return undefined
  const zone = sign === '+' || sign === '-' ? `${sign}${offset}:${more}` : 'Z'
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
