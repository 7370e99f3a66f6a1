import type { Mupdf, PDFPage, Quad } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import type { Area } from './page-text.ts'

/** Far beyond any page, so that text outside the page is found. In page units. */
export const FAR = 20_000

/** The error that prevents a document with remaining terms from being returned. */
export function leftOver(where: string): MediaprocError {
  return new MediaprocError('PROCESSING_FAILED', `A term is still in the document: ${where}`, {
    hint: 'Nothing was written. pdf-to-image and image-to-pdf make pages without any text.',
  })
}

/** Removes glyphs and pixels under the areas from a page, and covers them in black. */
export function removeAreas({ PDFPage: Page }: Mupdf, page: PDFPage, areas: readonly Area[]): void {
  markForRedaction(
    page,
    areas.map(({ quad }) => coreOf(quad)),
  )
  page.applyRedactions(false, Page.REDACT_IMAGE_NONE, Page.REDACT_LINE_ART_NONE, Page.REDACT_TEXT_REMOVE)
  markForRedaction(
    page,
    areas.map(({ quad }) => quad),
  )
  page.applyRedactions(true, Page.REDACT_IMAGE_PIXELS, Page.REDACT_LINE_ART_NONE, Page.REDACT_TEXT_NONE)
}

function markForRedaction(page: PDFPage, quads: readonly Quad[]): void {
  for (const quad of quads) page.createAnnotation('Redact').setQuadPoints([quad])
}

/**
 * The middle of an area. The library removes every glyph whose box intersects the area, and boxes of neighbouring lines
 * and letters overlap.
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
    const [from, to] = left === ul ? [ll, lr] : [ul, ur]
    return [x + (between(from, to, part) - x) * down, y + (between(from + 1, to + 1, part) - y) * down]
  }
  return [
    ...corner(ul, ur, 0.4, inset),
    ...corner(ul, ur, 0.4, 1 - inset),
    ...corner(ll, lr, 0.4, inset),
    ...corner(ll, lr, 0.4, 1 - inset),
  ]
}
