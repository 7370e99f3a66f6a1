import { openPdf } from '../../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { renderPage } from '../../../../src/media/pdf/page/render.ts'
import { extractPageTexts } from '../../../../src/media/pdf/structure/text.ts'

/** Two renderings of a page count as equal from this peak signal-to-noise ratio on, in decibels, at this resolution. */
const SAME_DECIBELS = 35
const SAME_DPI = 36

/** Whether a saved document has the same text and appearance on every page. */
export async function hasSamePages(before: PdfHandle, result: Uint8Array, signal: AbortSignal): Promise<boolean> {
  let after: PdfHandle | undefined
  try {
    after = await openPdf(result, { maxPages: 0 })
    if (after.pageCount !== before.pageCount || plainText(after) !== plainText(before)) return false
    for (let page = 1; page <= before.pageCount; page++) {
      signal.throwIfAborted()
      if (!(await isSamePage(before, after, page))) return false
    }
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  } finally {
    after?.close()
  }
}

/** Text of all pages, separated by form feeds, with white space collapsed. */
function plainText(document: PdfHandle): string {
  return extractPageTexts(document)
    .map((text) => text.replace(/\s+/g, ' '))
    .join('\f')
}

async function isSamePage(before: PdfHandle, after: PdfHandle, page: number): Promise<boolean> {
  const one = await renderPage(before, page, { dpi: SAME_DPI })
  const other = await renderPage(after, page, { dpi: SAME_DPI })
  if (one.width !== other.width || one.height !== other.height) return false
  let squares = 0
  for (let index = 0; index < one.data.length; index++) squares += (one.data[index]! - other.data[index]!) ** 2
  return squares / one.data.length <= 255 ** 2 / 10 ** (SAME_DECIBELS / 10)
}
