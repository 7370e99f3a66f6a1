import { loadMupdf, type PDFDocument, type PDFPage, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { separatePages } from '../page/page-tree.ts'
import { cleanActualTexts } from './actual-text.ts'
import { cleanAnnotations } from './annotations.ts'
import { cleanComments, cleanDrawings } from './drawings.ts'
import { cleanStreams, cleanStrings, type RemovedParts } from './objects.ts'
import { areasOf } from './page-text.ts'
import { FAR, leftOver, removeAreas } from './remove-areas.ts'
import type { Terms } from './terms.ts'

/** How often the pages are searched again: what lay under a term may be read as one once that is gone. */
const MAX_ROUNDS = 5

export interface Redaction extends RemovedParts {
  /** Areas on pages, each on one line. */
  areas: number
  annotations: number
  /** Strings beside the pages: bookmarks, values, names, actions. */
  strings: number
}

/**
 * Removes the terms from the document: glyphs (hidden ones, those behind pictures and on layers that are off, too) with the
 * pixels under them, which become black, also in tiling patterns and drawings; comments in content; annotations, values of fields, bookmarks, metadata, scripts and attachments that
 * hold them. Call `checkRedacted` on what is saved.
 */
export async function redactDocument(document: PdfHandle, terms: Terms): Promise<Redaction> {
  const mupdf = await loadMupdf()
  const { pdf } = document
  // Content is taken out on purpose.
  document.shown = undefined
  return withMupdfErrors('PROCESSING_FAILED', 'The terms could not be removed', () => {
    separatePages(pdf)
    showLayers(pdf)
    const restore = widenPages(pdf)
    let annotations = 0
    let areas = 0
    annotations += onPages(pdf, (pages) => pages.reduce((sum, page) => sum + cleanAnnotations(page, terms), 0))
    cleanActualTexts(pdf, terms)
    for (let round = 0; ; round++) {
      const found = onPages(pdf, (pages) => {
        const all = areasOf(pages, terms)
        for (const [index, page] of pages.entries()) {
          const own = all.filter((area) => area.page === index)
          if (own.length > 0) removeAreas(mupdf, page, own)
        }
        return all.length
      })
      if (found === 0) break
      if (round === MAX_ROUNDS) throw leftOver('it cannot be removed from a page')
      areas += found
    }
    areas += cleanDrawings(mupdf, pdf, terms)
    cleanComments(pdf, terms)
    restore()
    const strings = cleanStrings(pdf, terms)
    const parts = cleanStreams(pdf, terms)
    document.checkUnharmed()
    return { areas, annotations, strings, ...parts }
  })
}

/** Makes all pages so large that nothing lies beside them; gives back what undoes it. */
export function widenPages(pdf: PDFDocument): () => void {
  const changes = Array.from({ length: pdf.countPages() }, (_, index) => {
    const page = pdf.findPage(index)
    return ['MediaBox', 'CropBox'].map((key) => {
      const before = page.get(key)
      page.put(key, [-FAR, -FAR, FAR, FAR])
      return () => (before.isNull() ? page.delete(key) : page.put(key, before))
    })
  })
  return () => {
    for (const undo of changes.flat()) undo()
  }
}

/** Work on all pages at once, with what the library keeps of them freed. */
function onPages<Result>(pdf: PDFDocument, work: (pages: PDFPage[]) => Result): Result {
  const pages = Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index))
  try {
    return work(pages)
  } finally {
    for (const page of pages) page.destroy()
  }
}

/** What is on a layer that is off is in the file all the same. */
export function showLayers(pdf: PDFDocument): void {
  // Without the list of layers everything is shown; the reader's own view of the written file is not changed by it.
  for (let layer = 0; layer < pdf.countLayers(); layer++) pdf.setLayerVisible(layer, true)
}

/** Pages (from 1) that have pictures and no text: what is written in pictures cannot be searched. */
export function picturePages(document: PdfHandle): number {
  const { pdf } = document
  return onPages(
    pdf,
    (pages) =>
      pages.filter((page) => {
        const text = page.toStructuredText('')
        const hasText = text.asText().trim() !== ''
        text.destroy()
        const drawings = page.getObject().getInheritable('Resources')
        return !hasText && drawings.isDictionary() && drawings.get('XObject').isDictionary()
      }).length,
  )
}
