import { withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'

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

/** The text layer of the document, page texts joined by one newline, the values of fields behind their page; '' for a scan. */
export function extractText(document: PdfHandle): string {
  return extractPageTexts(document)
    .flatMap((text, index) => [text, ...fieldValues(document, index)])
    .join('\n')
    .trimEnd()
}

/** What stands in the fields of a page (from 0), which is no part of its content; passwords are not shown, so not read. */
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

/** Whether a page shows a picture, within a drawing or by itself. */
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
