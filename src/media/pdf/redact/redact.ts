import { loadMupdf, type PDFDocument, type PDFPage, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { separatePages } from '../page/page-tree.ts'
import { cleanActualTexts } from './actual-text.ts'
import { cleanAnnotations } from './annotations.ts'
import { type PageArea, redactAreas } from './areas.ts'
import { cleanComments, cleanDrawings } from './drawings.ts'
import { showLayers } from './layers.ts'
import { cleanStreams, cleanStrings, type RemovedParts } from './objects.ts'
import { areasOf } from './page-text.ts'
import { FAR, leftOver, removeAreas } from './remove-areas.ts'
import { settled, type Terms } from './terms.ts'

/** Maximum number of search rounds: removing a term can expose another one below it. */
const MAX_ROUNDS = 5

export interface Redaction extends RemovedParts {
  /** Areas on pages, each on one line. */
  areas: number
  annotations: number
  /** Pages (from 1) with a drawing that an area covers in part: it is hidden, and still in the file. */
  covered: readonly number[]
  /** Strings outside the pages: bookmarks, values, names, actions. */
  strings: number
}

/**
 * Removes the terms from the document: glyphs (including hidden ones, those behind images and on hidden layers) with
 * the pixels under them, which become black, also in tiling patterns and form XObjects; comments in content;
 * annotations, field values, bookmarks, metadata, scripts and attachments that contain them. Call `checkRedacted` on
 * the saved file.
 * @param places areas of pages that are removed whatever they contain
 */
export async function redactDocument(
  document: PdfHandle,
  terms: Terms,
  places: readonly PageArea[] = [],
): Promise<Redaction> {
  const mupdf = await loadMupdf()
  const { pdf } = document
  // Content is removed on purpose.
  document.shown = undefined
  return withMupdfErrors('PROCESSING_FAILED', 'The terms could not be removed', () => {
    separatePages(pdf)
    const hideLayers = showLayers(pdf)
    // Areas are positions on the displayed page.
    let { areas, annotations, covered } = redactAreas(mupdf, pdf, places)
    const restore = widenPages(pdf)
    annotations += onPages(pdf, (pages) => pages.reduce((sum, page) => sum + cleanAnnotations(pdf, page, terms), 0))
    cleanActualTexts(pdf, terms)
    for (let round = 0; ; round++) {
      const found = onPages(pdf, (pages) => {
        const all = areasOf(pages, round === 0 ? terms : settled(terms))
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
    hideLayers()
    const strings = cleanStrings(pdf, terms)
    const parts = cleanStreams(pdf, terms)
    document.checkUnharmed()
    return { areas, annotations, covered, strings, ...parts }
  })
}

/** Enlarges all pages so that nothing is outside them; returns a function that undoes it. */
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

/** Runs work on all pages at once, and frees the library's page objects afterwards. */
function onPages<Result>(pdf: PDFDocument, work: (pages: PDFPage[]) => Result): Result {
  const pages = Array.from({ length: pdf.countPages() }, (_, index) => pdf.loadPage(index))
  try {
    return work(pages)
  } finally {
    for (const page of pages) page.destroy()
  }
}

/** The number of pages with images and no text: text in images cannot be searched. */
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
