import { withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { generateAppearances } from '../structure/appearances.ts'
import { itemsOf } from '../structure/trees.ts'
import { separatePages } from './page-tree.ts'

/**
 * Merges form fields and annotations into the page content as displayed; links are kept because they are not visible.
 * No form remains. Returns how many files and sounds attached to annotations were removed.
 */
export function flattenDocument(document: PdfHandle): number {
  const { pdf } = document
  generateAppearances(document)
  return withMupdfErrors(
    'PROCESSING_FAILED',
    'The form and the annotations could not be made part of the pages',
    () => {
      separatePages(pdf)
      const lost = annotations(document).filter((kind) => kind === 'FileAttachment' || kind === 'Sound').length
      pdf.bake(true, true)
      pdf.getTrailer().get('Root').delete('AcroForm')
      document.expect('no form is left', (saved) => saved.getTrailer().get('Root', 'AcroForm').isNull())
      document.expect('no annotation is left', (saved) => {
        for (let page = 0; page < saved.countPages(); page++)
          if (itemsOf(saved.findPage(page).get('Annots')).some((one) => one.get('Subtype').asName() !== 'Link'))
            return false
        return true
      })
      return lost
    },
  )
}

function annotations({ pdf, pageCount }: PdfHandle): string[] {
  return Array.from({ length: pageCount }, (_, page) =>
    itemsOf(pdf.findPage(page).get('Annots'))
      .filter((one) => one.isDictionary())
      .map((one) => one.get('Subtype').asName()),
  ).flat()
}
