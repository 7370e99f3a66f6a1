import { runGhostscript } from '../../../engines/ghostscript/ghostscript.ts'
import { loadMupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { hasTextIn, type PageArea } from './areas.ts'
import { badAttachments, someStreamHolds, someStringHolds } from './objects.ts'
import { textsOf } from './page-text.ts'
import { showLayers, widenPages } from './redact.ts'
import { leftOver } from './remove-areas.ts'
import { holdsTerm, settled, type Terms } from './terms.ts'

/**
 * Searches a written document for the terms with every available text extraction: MuPDF in all reading modes,
 * Ghostscript, and every string and stream of the file, except image and font data.
 * @throws PROCESSING_FAILED when a term is left
 */
export async function checkRedacted(
  bytes: Uint8Array,
  password: string,
  removed: { terms: Terms; places?: readonly PageArea[] },
  signal: AbortSignal,
): Promise<void> {
  const mupdf = await loadMupdf()
  const terms = settled(removed.terms)
  const plain = withMupdfErrors('PROCESSING_FAILED', 'The written PDF cannot be searched', () => {
    const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument
    try {
      if (pdf.needsPassword()) pdf.authenticatePassword(password)
      if (someStringHolds(pdf, terms)) throw leftOver('in a value outside the pages')
      if (someStreamHolds(pdf, terms)) throw leftOver('in a pattern, a drawing, metadata or another stream')
      if (badAttachments(pdf, terms).length > 0) throw leftOver('in an attached file, or it cannot be searched')
      showLayers(pdf)
      if (hasTextIn(pdf, removed.places ?? [])) throw leftOver('in an area')
      widenPages(pdf)
      const pages = Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index))
      if (textsOf(pages).some((text) => holdsTerm(terms, text))) throw leftOver('in the text of a page')
      for (const page of pages) page.destroy()
      const buffer = pdf.saveToBuffer('encrypt=none')
      const copy = buffer.asUint8Array().slice()
      buffer.destroy()
      return copy
    } finally {
      pdf.destroy()
    }
  })
  const args = ['-sDEVICE=txtwrite', '-dTextFormat=3', '-sOutputFile=out.txt', 'in.pdf']
  const files = await runGhostscript(args, { 'in.pdf': plain }, { signal })
  const text = new TextDecoder().decode(files.get('out.txt') ?? new Uint8Array())
  if (holdsTerm(terms, text)) throw leftOver('another reader finds it on a page')
}
