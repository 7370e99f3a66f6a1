import { withMupdfErrors } from '../../engines/mupdf.ts'
import type { PdfHandle } from './handle.ts'

/** The text layer of every page, in reading order as far as the library can tell, without blank lines at the end. */
export function extractPageTexts(document: PdfHandle): string[] {
  return Array.from({ length: document.pageCount }, (_, index) =>
    withMupdfErrors('PROCESSING_FAILED', `The text of page ${index + 1} cannot be read`, () => {
      const page = document.pdf.loadPage(index)
      const text = page.toStructuredText('')
      try {
        return text.asText().trimEnd()
      } finally {
        text.destroy()
        page.destroy()
      }
    }),
  )
}

/** The text layer of the document, page texts joined by one newline; '' for a scan. */
export function extractText(document: PdfHandle): string {
  return extractPageTexts(document).join('\n').trimEnd()
}
