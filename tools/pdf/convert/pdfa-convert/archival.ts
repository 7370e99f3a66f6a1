import { MediaprocError } from '../../../../src/errors.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { fontsNotEmbedded } from '../../../../src/media/pdf/structure/fonts.ts'

/** Removes the time of the conversion from the metadata, so that the same input gives the same bytes. */
export function stableMetadata({ pdf }: PdfHandle): void {
  // The dictionary must match the metadata (ISO 19005-2, 6.6.3); without it nothing can differ.
  pdf.getTrailer().delete('Info')
  const metadata = pdf.getTrailer().get('Root', 'Metadata')
  const buffer = metadata.readStream()
  const text = buffer
    .asString()
    .replace(/<xmp:(ModifyDate|CreateDate|MetadataDate)>[^<]*<\/xmp:\1>/g, '')
    .replace(/\s(xapMM|xmpMM):DocumentID=(?:'[^']*'|"[^"]*")/g, '')
  buffer.destroy()
  for (const key of ['Filter', 'DecodeParms']) metadata.delete(key)
  metadata.writeStream(Buffer.from(text))
}

/** Checks the entries that readers and validators check first. @throws PROCESSING_FAILED if one is missing */
export function checkArchival(document: PdfHandle): void {
  const { pdf } = document
  const root = pdf.getTrailer().get('Root')
  const buffer = root.get('Metadata').readStream()
  const says = /pdfaid:part(?:=['"]|>)2/.test(buffer.asString())
  buffer.destroy()
  const intent = root.get('OutputIntents')
  const hasIntent = intent.isArray() && intent.get(0).get('DestOutputProfile').isStream()
  const hasFonts = fontsNotEmbedded(pdf).length === 0
  if (says && hasIntent && hasFonts) return
  const lacks = !says ? 'its PDF/A identification' : !hasIntent ? 'a description of its colours' : 'one of its fonts'
  throw new MediaprocError('PROCESSING_FAILED', `The document cannot be made PDF/A: the result lacks ${lacks}`)
}
