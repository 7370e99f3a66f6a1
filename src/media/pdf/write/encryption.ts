import { loadMupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { EVERYTHING } from '../structure/permissions.ts'
import type { EncryptionOptions } from './save-options.ts'

/** The source of the encryption for a reassembled document. */
export interface EncryptionSource {
  /** Any document with this encryption. */
  bytes: Uint8Array
  password: string
}

/** A document with one blank page and the encryption that `pdf` had when it was opened; the same password opens it. */
export function encryptedLike(pdf: PDFDocument): Uint8Array {
  const encryption = pdf.getTrailer().get('Encrypt').resolve().toString(true, true)
  const id = pdf.getTrailer().get('ID')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Resources<<>>>>',
    encryption,
  ]
  let file = '%PDF-1.7\n'
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const [index, object] of objects.entries()) {
    table += `${String(file.length).padStart(10, '0')} 00000 n \n`
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const identifier = id.isArray() ? `/ID ${id.toString(true, true)}` : ''
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R/Encrypt 4 0 R ${identifier}>>\n`
  return Buffer.from(`${file}${table}${trailer}startxref\n${file.length}\n%%EOF\n`, 'latin1')
}

/** A document encrypted with these options; undefined for 'none'. */
export async function encryptionOf(options: EncryptionOptions | 'none'): Promise<EncryptionSource | undefined> {
  if (options === 'none') return undefined
  const mupdf = await loadMupdf()
  const { userPassword, ownerPassword, permissions = EVERYTHING } = options
  const bytes = withMupdfErrors('PROCESSING_FAILED', 'The PDF could not be encrypted', () => {
    const pdf = new mupdf.PDFDocument()
    try {
      pdf.insertPage(-1, pdf.addPage([0, 0, 72, 72], 0, pdf.newDictionary(), ''))
      const buffer = pdf.saveToBuffer({
        encrypt: 'aes-256',
        'user-password': userPassword,
        'owner-password': ownerPassword,
        permissions: String(permissions),
      })
      const copy = buffer.asUint8Array().slice()
      buffer.destroy()
      return copy
    } finally {
      pdf.destroy()
    }
  })
  return { bytes, password: userPassword }
}
