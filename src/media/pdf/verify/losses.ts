import type { PdfHandle } from '../handle.ts'
import { isSigned } from '../structure/signatures.ts'
import { hasStructure } from '../structure/structure.ts'
import { itemsOf } from '../structure/trees.ts'

/** Claims of a document that rewriting may invalidate. */
export interface PdfClaims {
  isSigned: boolean
  isArchival: boolean
  hasXfa: boolean
  isTagged: boolean
  isEncrypted: boolean
}

/** The namespace of the PDF/A identification schema (ISO 19005-1, 6.7.11). */
const PDFA_NAMESPACE = 'http://www.aiim.org/pdfa/ns/id/'

export function claimsOf(document: PdfHandle): PdfClaims {
  const root = document.pdf.getTrailer().get('Root')
  return {
    isSigned: isSigned(document),
    isArchival: isArchival(document),
    hasXfa: !root.get('AcroForm', 'XFA').isNull(),
    isTagged: hasStructure(document.pdf),
    isEncrypted: document.isEncrypted,
  }
}

/**
 * Claims of the sources that no longer hold for a document about to be saved, as sentences for users. All tools use
 * this function, so that none of them omits the warnings.
 */
export function lossesOf(before: readonly PdfClaims[], after: PdfHandle): string[] {
  const some = (claim: keyof PdfClaims) => before.some((claims) => claims[claim])
  const root = after.pdf.getTrailer().get('Root')
  const losses: string[] = []
  if (some('isSigned')) losses.push('The digital signature is no longer valid: the document was rewritten')
  if (some('isArchival'))
    losses.push(
      isArchival(after)
        ? 'The document says that it is PDF/A; whether it still is was not checked'
        : 'The result is no longer PDF/A',
    )
  if (some('hasXfa') && root.get('AcroForm', 'XFA').isNull())
    losses.push('The XFA form is left out; the fields of the plain form stay')
  if (some('isTagged') && !hasStructure(after.pdf)) losses.push('The tags for screen readers are lost')
  else if (some('isTagged') && !before.every(({ isTagged }) => isTagged))
    losses.push('Only a part of the result has tags for screen readers')
  const isProtected = after.target.encryption === undefined ? after.isEncrypted : true
  if (some('isEncrypted') && !isProtected) losses.push('The result is not encrypted, as a source was')
  return losses
}

/** Whether the document has form fields. */
export function hasForm({ pdf }: PdfHandle): boolean {
  const fields = pdf.getTrailer().get('Root', 'AcroForm', 'Fields')
  return fields.isArray() && fields.length > 0
}

/** Verifies that the written file has no fields, for tools that state that none are left. */
export function expectNoForm(document: PdfHandle): void {
  document.expect('no field of a form is left', (saved) => {
    if (itemsOf(saved.getTrailer().get('Root', 'AcroForm', 'Fields')).length > 0) return false
    const pages = Array.from({ length: saved.countPages() }, (_, page) => itemsOf(saved.findPage(page).get('Annots')))
    return pages.flat().every((annotation) => annotation.get('Subtype').asName() !== 'Widget')
  })
}

/** For tools that draw fields into the page and keep none. */
export const FORM_IS_FLAT = 'The fields of the form became part of the pages'

function isArchival({ pdf }: PdfHandle): boolean {
  const metadata = pdf.getTrailer().get('Root', 'Metadata')
  if (!metadata.isStream()) return false
  const buffer = metadata.readStream()
  const text = Buffer.from(buffer.asUint8Array()).toString('latin1')
  buffer.destroy()
  return text.includes(PDFA_NAMESPACE)
}
