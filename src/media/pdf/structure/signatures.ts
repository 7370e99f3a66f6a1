import type { PdfHandle } from '../handle.ts'

/**
 * Whether the document has a digital signature: a dictionary with the signed ranges of the file and the signature
 * itself (ISO 32000-1, 12.8.1). Rewriting the document invalidates it.
 */
export function isSigned({ pdf }: PdfHandle): boolean {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    const signed = object.isDictionary() && object.get('ByteRange').isArray() && object.get('Contents').isString()
    object.destroy()
    if (signed) return true
  }
  return false
}
