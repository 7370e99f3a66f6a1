import { loadMupdf, type PDFDocument, type PDFPage, type Quad, withMupdfErrors } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import type { PdfHandle } from '../handle.ts'
import { separatePages } from '../page-tree.ts'
import { cleanActualTexts } from './actual-text.ts'
import { cleanAnnotations } from './annotations.ts'
import { cleanStreams, cleanStrings, type RemovedParts } from './objects.ts'
import { areasOf } from './page-text.ts'
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
 * pixels under them, which become black; annotations, values of fields, bookmarks, metadata, scripts and attachments that
 * hold them. Call `checkRedacted` on what is saved.
 */
export async function redactDocument(document: PdfHandle, terms: Terms): Promise<Redaction> {
  const mupdf = await loadMupdf()
  const { pdf } = document
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
          if (own.length === 0) continue
          const { PDFPage: Page } = mupdf
          markForRedaction(
            page,
            own.map(({ quad }) => coreOf(quad)),
          )
          page.applyRedactions(false, Page.REDACT_IMAGE_NONE, Page.REDACT_LINE_ART_NONE, Page.REDACT_TEXT_REMOVE)
          markForRedaction(
            page,
            own.map(({ quad }) => quad),
          )
          page.applyRedactions(true, Page.REDACT_IMAGE_PIXELS, Page.REDACT_LINE_ART_NONE, Page.REDACT_TEXT_NONE)
        }
        return all.length
      })
      if (found === 0) break
      if (round === MAX_ROUNDS) throw leftOver('it cannot be removed from a page')
      areas += found
    }
    restore()
    const strings = cleanStrings(pdf, terms)
    const parts = cleanStreams(pdf, terms)
    document.checkUnharmed()
    return { areas, annotations, strings, ...parts }
  })
}

/** The error that keeps a document with something left in it from being given out. */
export function leftOver(where: string): MediaprocError {
  return new MediaprocError('PROCESSING_FAILED', `A term is still in the document: ${where}`, {
    hint: 'Nothing was written. pdf-to-image and image-to-pdf make pages without any text.',
  })
}

function markForRedaction(page: PDFPage, quads: readonly Quad[]): void {
  for (const quad of quads) page.createAnnotation('Redact').setQuadPoints([quad])
}

/**
 * The middle of an area. The library takes out every glyph whose box meets the area, and boxes of neighbouring lines and
 * letters overlap.
 */
function coreOf(quad: Quad): Quad {
  const between = (from: number, to: number, part: number) => quad[from]! + (quad[to]! - quad[from]!) * part
  const [ul, ur, ll, lr] = [0, 2, 4, 6] as const
  const along = Math.hypot(quad[ur] - quad[ul], quad[ur + 1]! - quad[ul + 1]!)
  const height = Math.hypot(quad[ll] - quad[ul], quad[ll + 1]! - quad[ul + 1]!)
  const inset = along > 0 ? Math.min(0.3, (height * 0.05) / along) : 0
  const corner = (left: number, right: number, down: number, part: number): [number, number] => {
    const x = between(left, right, part)
    const y = between(left + 1, right + 1, part)
    const opposite =
      left === ul
        ? [between(ll, lr, part), between(ll + 1, lr + 1, part)]
        : [between(ul, ur, part), between(ul + 1, ur + 1, part)]
    return [x + (opposite[0]! - x) * down, y + (opposite[1]! - y) * down]
  }
  return [
    ...corner(ul, ur, 0.4, inset),
    ...corner(ul, ur, 0.4, 1 - inset),
    ...corner(ll, lr, 0.4, inset),
    ...corner(ll, lr, 0.4, 1 - inset),
  ]
}

/** Far beyond any page: text is found that stands beside it. In units of the page. */
const FAR = 20_000

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
