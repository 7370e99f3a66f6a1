import { withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'

/** The text layer of every page, in reading order as far as the library detects it, without trailing blank lines. */
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

/**
 * The text layer of the document, page texts joined by one newline, with field values after their page; '' for a scan.
 */
export function extractText(document: PdfHandle): string {
  return extractPageTexts(document)
    .flatMap((text, index) => [text, ...fieldValues(document, index)])
    .join('\n')
    .trimEnd()
}

/**
 * The field values on a page (from 0), which are not part of its content; passwords are not displayed and therefore not
 * read.
 */
function fieldValues({ pdf }: PdfHandle, index: number): string[] {
  return withMupdfErrors('PROCESSING_FAILED', `The fields of page ${index + 1} cannot be read`, () => {
    const page = pdf.loadPage(index)
    const values = page
      .getWidgets()
      .filter((widget) => (widget.isText() && !widget.isPassword()) || widget.isChoice())
      .map((widget) => widget.getValue().trimEnd())
    page.destroy()
    return values.filter((value) => value !== '')
  })
}

/** Whether a page shows an image, directly or inside a form XObject. */
export function hasPictures(document: PdfHandle): boolean {
  return withMupdfErrors('PROCESSING_FAILED', 'The pages cannot be read', () => {
    for (let index = 0; index < document.pageCount; index++) {
      let found = false
      const page = document.pdf.loadPage(index)
      const text = page.toStructuredText('preserve-images')
      text.walk({
        onImageBlock: () => {
          found = true
        },
      })
      text.destroy()
      page.destroy()
      if (found) return true
    }
    return false
  })
}
