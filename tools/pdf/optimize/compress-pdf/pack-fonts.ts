import { takeMupdfMessages } from '../../../../src/engines/mupdf.ts'
import { openPdf } from '../../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { rewrittenPages } from './rewrite.ts'
import { hasSamePages } from './same-pages.ts'

/** Longer documents are not rewritten: comparing every page takes about 15 ms per page. */
const MAX_PAGES = 500

/** If fonts are a smaller share of the document than this, packing them tighter is not worth the time. */
const MIN_FONT_SHARE = 0.02

/**
 * The document with fonts that take less space, or undefined: packed by Ghostscript or, where that is impossible,
 * reduced by MuPDF to the characters that the pages use. A result counts only if it is smaller and every page has the
 * same text and appearance.
 */
export async function withPackedFonts(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const before = await openPdf(source, { maxPages: 0 })
  try {
    if (before.isEncrypted || before.pageCount > MAX_PAGES) return undefined
    if (fontBytes(before) < source.length * MIN_FONT_SHARE) return undefined
    for (const pack of [rewrittenPages, withSubsets]) {
      const result = await pack(source, signal)
      if (result && result.length < source.length && (await hasSamePages(before, result, signal))) return result
    }
    return undefined
  } finally {
    before.close()
  }
}

/** Fonts of form fields stay whole, because other text can be filled in. */
async function withSubsets(source: Uint8Array): Promise<Uint8Array | undefined> {
  const result = await openPdf(source, { maxPages: 0 })
  try {
    if (!result.pdf.getTrailer().get('Root', 'AcroForm').isNull()) return undefined
    result.pdf.subsetFonts()
    result.target.compress = true
    return await result.save()
  } catch {
    // Best effort: without it the document is slightly larger.
    takeMupdfMessages()
    return undefined
  } finally {
    result.close()
  }
}

/** Size of the embedded fonts as stored, bytes. */
function fontBytes({ pdf }: PdfHandle): number {
  let bytes = 0
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    for (const key of ['FontFile', 'FontFile2', 'FontFile3']) {
      const font = object.isDictionary() ? object.get(key) : undefined
      if (font?.isStream()) bytes += font.get('Length').asNumber()
    }
    object.destroy()
  }
  return bytes
}
