import { runGhostscript } from '../../../engines/ghostscript/ghostscript.ts'
import { loadMupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { someStreamHolds, someStringHolds } from './objects.ts'
import { textsOf } from './page-text.ts'
import { leftOver, showLayers, widenPages } from './redact.ts'
import { holdsTerm, type Terms } from './terms.ts'

/**
 * Searches a written document for the terms with everything that extracts text here: MuPDF in all its readings, Ghostscript,
 * and every string and text stream of the file.
 * @throws PROCESSING_FAILED when one is left
 */
export async function checkRedacted(
  bytes: Uint8Array,
  password: string,
  terms: Terms,
  signal: AbortSignal,
): Promise<void> {
  const mupdf = await loadMupdf()
  const plain = withMupdfErrors('PROCESSING_FAILED', 'The written PDF cannot be searched', () => {
    const pdf = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument
    try {
      if (pdf.needsPassword()) pdf.authenticatePassword(password)
      if (someStringHolds(pdf, terms)) throw leftOver('in a value beside the pages')
      if (someStreamHolds(pdf, terms)) throw leftOver('in metadata, a script or an attachment')
      showLayers(pdf)
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
