import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { entriesOf } from '../structure/trees.ts'
import { eachReference } from './object-text.ts'

/** Trailer entries that are kept; the others describe the old file. */
const TRAILER_KEYS = ['Root', 'Info', 'ID']

/** The trailer entries as text. */
export function trailerEntries(pdf: PDFDocument): string {
  const trailer = pdf.getTrailer()
  return TRAILER_KEYS.flatMap((key) => {
    const value = trailer.get(key)
    return value.isNull() ? [] : [`/${key} ${value.toString(true, true)}`]
  }).join(' ')
}

/** Numbers of the objects reachable from the trailer, in ascending order. */
export function reachableObjects(pdf: PDFDocument): number[] {
  const count = pdf.countObjects()
  const seen = new Uint8Array(count)
  const queue: number[] = []
  const visit = (number: number): void => {
    if (number <= 0 || number >= count || seen[number]) return
    seen[number] = 1
    queue.push(number)
  }
  eachReference(trailerEntries(pdf), visit)
  const found: number[] = []
  for (let number = queue.pop(); number !== undefined; number = queue.pop())
    withObject(pdf, number, (object) => {
      if (object.isNull()) return
      found.push(number)
      eachReference(printed(pdf, object), visit)
    })
  return found.sort((one, other) => one - other)
}

/**
 * The content of an indirect object in MuPDF's text form; for a stream, its dictionary. A stream is never resolved for
 * this, because the library would then lose its data when saving the document (1.28.1).
 */
export function printed(pdf: PDFDocument, object: PDFObject): string {
  if (!object.isStream()) return object.resolve().toString(true, true)
  const entries = entriesOf(object).map(([key, value]) => `${pdf.newName(key)} ${value.toString(true, true)}`)
  return `<<${entries.join(' ')}>>`
}

/** Accesses an indirect object by number, and releases it. */
export function withObject(pdf: PDFDocument, number: number, use: (object: PDFObject) => void): void {
  const object = pdf.newIndirect(number)
  use(object)
  object.destroy()
}
