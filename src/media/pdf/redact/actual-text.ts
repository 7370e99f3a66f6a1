import type { PDFDocument } from '../../../engines/mupdf.ts'
import { bytesOfString } from '../page/content.ts'
import { rewriteStream, shownBytes } from './streams.ts'
import { holdsTerm, type Terms } from './terms.ts'

/** Replacement text in content: `/Span <</ActualText (…)>> BDC` (ISO 32000-1, 14.9.4), also /Alt and /E. */
export const MEANING =
  /\/(?:ActualText|Alt|E)\s*(\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>)/g

/**
 * Removes replacement texts that contain a term from the content of pages and form XObjects; the glyphs inside them are
 * searched separately.
 */
export function cleanActualTexts(pdf: PDFDocument, terms: Terms): void {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (!object.isStream() || object.get('Subtype').asName() === 'Image') continue
    const kind = object.get('Type').asName()
    if (kind !== '' && kind !== 'XObject' && kind !== 'Pattern') continue
    const content = shownBytes(object).toString('latin1')
    if (!content.includes('BDC')) continue
    const cleaned = content.replace(MEANING, (whole, text: string) =>
      holdsTerm(terms, decoded(text)) ? `${whole.slice(0, -text.length)}()` : whole,
    )
    if (cleaned === content) continue
    rewriteStream(object, Buffer.from(cleaned, 'latin1'))
  }
}

/** The text of a string as written in content. */
function decoded(written: string): string {
  const bytes = bytesOfString(written)
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3)
  return bytes.toString('latin1')
}
