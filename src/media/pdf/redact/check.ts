import { runGhostscript } from '../../../engines/ghostscript/ghostscript.ts'
import { loadMupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { hasTextIn, type PageArea } from './areas.ts'
import { showLayers } from './layers.ts'
import { badAttachments, someStreamHolds, someStringHolds } from './objects.ts'
import { textsOf } from './page-text.ts'
import { widenPages } from './redact.ts'
import { leftOver } from './remove-areas.ts'
import { holdsTerm, settled, type Terms } from './terms.ts'

/**
 * Adds the values that Ghostscript finds in the source to those of the expressions, so that `checkRedacted` searches
 * for them as well.
 */
export async function findWithGhostscript(pdf: PDFDocument, { expressions }: Terms, signal: AbortSignal) {
  if (!expressions) return
  const mupdf = await loadMupdf()
  const plain = withMupdfErrors('PROCESSING_FAILED', 'The PDF cannot be searched', () => {
    const copy = mupdf.PDFDocument.openDocument(plainBytes(pdf), 'application/pdf') as PDFDocument
    try {
      showHidden(copy)
      widenPages(copy)
      return plainBytes(copy)
    } finally {
      copy.destroy()
    }
  })
  expressions.isIn(await readWithGhostscript(plain, signal))
}

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
      showHidden(pdf)
      if (hasTextIn(pdf, removed.places ?? [])) throw leftOver('in an area')
      widenPages(pdf)
      const pages = Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index))
      if (textsOf(pages).some((text) => holdsTerm(terms, text))) throw leftOver('in the text of a page')
      for (const page of pages) page.destroy()
      return plainBytes(pdf)
    } finally {
      pdf.destroy()
    }
  })
  const text = await readWithGhostscript(plain, signal)
  if (holdsTerm(terms, text)) throw leftOver('another reader finds it on a page')
}

function showHidden(pdf: PDFDocument): void {
  showLayers(pdf)
  // Layers that content defines itself are visible as well.
  pdf.getTrailer().get('Root').delete('OCProperties')
}

function plainBytes(pdf: PDFDocument): Uint8Array {
  const buffer = pdf.saveToBuffer('encrypt=none')
  const bytes = buffer.asUint8Array().slice()
  buffer.destroy()
  return bytes
}

async function readWithGhostscript(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const args = ['-sDEVICE=txtwrite', '-dTextFormat=3', '-sOutputFile=out.txt', 'in.pdf']
  const files = await runGhostscript(args, { 'in.pdf': bytes }, { signal })
  return new TextDecoder().decode(files.get('out.txt') ?? new Uint8Array())
}
