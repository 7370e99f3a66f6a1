import type { PDFDocument } from '../../../engines/mupdf.ts'

/** A property of the PDF/A identification schema (ISO 19005-1, 6.7.11), as an attribute or an element. */
const property = (xmp: string, name: string): string | undefined =>
  new RegExp(`pdfaid:${name}\\s*(?:=\\s*['"]|>)\\s*(\\w{1,2})`).exec(xmp)?.[1]

/**
 * The conformance level that the document declares in its XMP, such as `PDF/A-2b`; undefined if it declares none. The
 * declaration is not validated.
 */
export function declaredArchival(pdf: PDFDocument): string | undefined {
  const metadata = pdf.getTrailer().get('Root', 'Metadata')
  if (!metadata.isStream()) return undefined
  const buffer = metadata.readStream()
  const xmp = buffer.asString()
  buffer.destroy()
  const part = property(xmp, 'part')
  return part === undefined ? undefined : `PDF/A-${part}${property(xmp, 'conformance')?.toLowerCase() ?? ''}`
}
