import { type PDFDocument, type PDFObject, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { entriesOf, itemsOf } from './trees.ts'

/** Annotations without their own appearance: links are not drawn, popups are windows of the reader. */
const NOT_DRAWN = new Set(['Link', 'Popup'])

/** Fields whose appearance shows a value: text and choice. Buttons have an appearance for each state. */
const SHOWS_VALUE = new Set(['Tx', 'Ch'])

/** `NeedAppearances`: readers draw the form values themselves, because the appearances in the file may be outdated. */
export function needsAppearances(pdf: PDFDocument): boolean {
  return pdf.getTrailer().get('Root', 'AcroForm', 'NeedAppearances').asBoolean()
}

/**
 * Writes the appearances that readers would generate on opening: of annotations without one, and of the values of a
 * form with `NeedAppearances`, which is then removed. Call it before anything that draws, flattens or joins a document.
 */
export function generateAppearances({ pdf }: PdfHandle): void {
  withMupdfErrors('PROCESSING_FAILED', 'The annotations and fields could not be drawn', () => {
    const isOutdated = needsAppearances(pdf)
    const count = pdf.countPages()
    for (let index = 0; index < count; index++) generateOnPage(pdf, index, isOutdated)
    if (isOutdated) pdf.getTrailer().get('Root', 'AcroForm').delete('NeedAppearances')
  })
}

function generateOnPage(pdf: PDFDocument, index: number, isOutdated: boolean): void {
  const list = pdf.findPage(index).get('Annots')
  // Read before the page is loaded: the library then generates appearances for its own rendering, which it does not
  // save.
  const needed = new Map<number, { hasFlags: boolean }>()
  for (const [position, annotation] of itemsOf(list).entries()) {
    if (!needsAppearance(annotation, isOutdated)) continue
    const own = annotation.isIndirect() ? annotation : pdf.addObject(annotation)
    if (own !== annotation) list.put(position, own)
    needed.set(own.asIndirect(), { hasFlags: !annotation.get('F').isNull() })
  }
  if (needed.size === 0) return
  const page = pdf.loadPage(index)
  try {
    for (const annotation of [...page.getAnnotations(), ...page.getWidgets()]) {
      const object = annotation.getObject()
      const need = needed.get(object.asIndirect())
      if (!need) continue
      // Only a changed annotation gets an appearance that is saved.
      annotation.setFlags(annotation.getFlags())
      annotation.update()
      if (!need.hasFlags) object.delete('F')
    }
  } finally {
    page.destroy()
  }
}

function needsAppearance(annotation: PDFObject, isOutdated: boolean): boolean {
  if (!annotation.isDictionary() || NOT_DRAWN.has(annotation.get('Subtype').asName())) return false
  const type = annotation.get('Subtype').asName() === 'Widget' ? annotation.getInheritable('FT').asName() : ''
  // No reader draws an unsigned field, and the appearance of a signature is part of the signed data.
  if (type === 'Sig') return false
  return !hasAppearance(annotation) || (isOutdated && SHOWS_VALUE.has(type))
}

function hasAppearance(annotation: PDFObject): boolean {
  const normal = annotation.get('AP', 'N')
  return normal.isStream() || entriesOf(normal).some(([, state]) => state.isStream())
}
