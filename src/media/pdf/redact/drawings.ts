import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { withoutComments } from '../page/content.ts'
import { contentStreams } from '../page/page-content.ts'
import { entriesOf } from '../structure/trees.ts'
import { reachableObjects } from '../write/reachable.ts'
import { areasOf } from './page-text.ts'
import { FAR, removeAreas } from './remove-areas.ts'
import { rewriteStream, shownBytes } from './streams.ts'
import { bytesHoldTerm, settled, type Terms } from './terms.ts'

/** Maximum number of times that a drawing is searched again, see `redactDocument`. */
const MAX_ROUNDS = 5

/**
 * Removes the terms from tiling patterns, which the library does not follow from a page, and from drawings that no page
 * uses.
 * @returns the number of removed areas
 */
export function cleanDrawings(mupdf: Mupdf, pdf: PDFDocument, terms: Terms): number {
  let areas = 0
  // Unreferenced objects are not written.
  for (const number of reachableObjects(pdf)) {
    const object = pdf.newIndirect(number)
    if (isDrawing(object)) areas += cleanDrawing(mupdf, pdf, object, terms)
  }
  return areas
}

/** A drawing is redacted as the only content of a temporary page. */
function cleanDrawing(mupdf: Mupdf, pdf: PDFDocument, drawing: PDFObject, terms: Terms): number {
  const own = drawing.get('Resources')
  const content = shownBytes(drawing)
  const object = pdf.addPage([-FAR, -FAR, FAR, FAR], 0, own.isDictionary() ? own : pdf.newDictionary(), content)
  pdf.insertPage(-1, object)
  const last = pdf.countPages() - 1
  const page = pdf.loadPage(last)
  let areas = 0
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = areasOf([page], round === 0 ? terms : settled(terms))
      if (found.length === 0) break
      removeAreas(mupdf, page, found)
      areas += found.length
    }
    if (areas > 0) {
      rewriteStream(
        drawing,
        Buffer.concat(contentStreams(object).flatMap((stream) => [shownBytes(stream), Buffer.from('\n')])),
      )
      drawing.put('Resources', object.get('Resources'))
    }
  } finally {
    page.destroy()
    pdf.deletePage(last)
  }
  return areas
}

/** Removes comments from content that contains a term in any form. */
export function cleanComments(pdf: PDFDocument, terms: Terms): void {
  for (const stream of allContent(pdf)) {
    const bytes = shownBytes(stream)
    // Comments may contain matches of any expression.
    if (bytes.includes('%') && (terms.expressions || bytesHoldTerm(terms, bytes, 'code')))
      rewriteStream(stream, Buffer.from(withoutComments(bytes)))
  }
}

/** Content of pages, tiling patterns, form XObjects and glyphs. */
function* allContent(pdf: PDFDocument): Generator<PDFObject> {
  for (let index = 0; index < pdf.countPages(); index++) yield* contentStreams(pdf.findPage(index))
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (isDrawing(object)) yield object
    else if (object.isDictionary() && object.get('Subtype').asName() === 'Type3')
      for (const [, glyph] of entriesOf(object.get('CharProcs'))) if (glyph.isStream()) yield glyph
  }
}

function isDrawing(object: PDFObject): boolean {
  if (!object.isStream()) return false
  return object.get('Subtype').asName() === 'Form' || object.get('PatternType').asNumber() === 1
}
