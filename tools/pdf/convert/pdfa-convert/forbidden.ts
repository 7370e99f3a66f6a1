import type { PDFDocument, PDFObject } from '../../../../src/engines/mupdf.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { forbiddenActions, ON_EVENT, removeForbiddenActions } from '../../../../src/media/pdf/structure/actions.ts'
import { annotationsOf } from '../../../../src/media/pdf/structure/annotation-list.ts'
import { eachContainer, itemsOf } from '../../../../src/media/pdf/structure/trees.ts'
import { expectNoForm, FORM_IS_FLAT, hasForm } from '../../../../src/media/pdf/verify/losses.ts'

/** Annotation types that PDF/A forbids (ISO 19005-2, 6.3.1). */
const FORBIDDEN_ANNOTATIONS = new Set(['3D', 'Sound', 'Screen', 'Movie'])

/** Annotation flags (ISO 32000-1, table 165). */
const PRINT = 4
const UNSEEN = 1 | 2 | 32 | 256

/** Content that the format forbids, as sentences; `removeForbidden` removes it from the converted document. */
export function whatChanges(document: PdfHandle): string[] {
  const { pdf } = document
  const changes: string[] = []
  if (document.isEncrypted) changes.push('The encryption was removed: PDF/A forbids it')
  if (hasForm(document)) changes.push(FORM_IS_FLAT)
  const actions = forbiddenActions(pdf)
  if (actions.includes('JavaScript')) changes.push('JavaScript was removed: PDF/A forbids it')
  const others = actions.filter((type) => type !== 'JavaScript' && type !== ON_EVENT)
  if (others.length > 0) changes.push(`Actions were removed, as PDF/A forbids them: ${others.join(', ')}`)
  else if (actions.includes(ON_EVENT) && !actions.includes('JavaScript'))
    changes.push('Actions on events were removed: PDF/A forbids them')
  const attachments = attachmentsOf(pdf).length
  if (attachments > 0) changes.push(`${attachments} attached ${attachments === 1 ? 'file was' : 'files were'} removed`)
  return changes
}

/** Sets the flag that PDF/A requires on links; without it they are lost in the conversion. */
export function keepLinks({ pdf, pageCount }: PdfHandle): void {
  for (const annotation of annotationsOf(pdf, pageCount)) {
    if (annotation.get('Subtype').asName() !== 'Link') continue
    annotation.put('F', pdf.newInteger((annotation.get('F').asNumber() | PRINT) & ~UNSEEN))
  }
}

/** Removes content that PDF/A forbids from the converted document, and checks the written file for it. */
export function removeForbidden(document: PdfHandle): void {
  const { pdf, pageCount } = document
  removeForbiddenActions(pdf)
  for (const specification of attachmentsOf(pdf)) specification.delete('EF')
  const names = pdf.getTrailer().get('Root', 'Names')
  if (names.isDictionary()) names.delete('EmbeddedFiles')
  for (let page = 0; page < pageCount; page++) {
    const list = pdf.findPage(page).get('Annots')
    for (const [index, annotation] of [...itemsOf(list).entries()].reverse())
      if (FORBIDDEN_ANNOTATIONS.has(annotation.get('Subtype').asName())) list.delete(index)
  }
  document.expect('no forbidden action is left', (saved) => forbiddenActions(saved).length === 0)
  document.expect('no attached file is left', (saved) => attachmentsOf(saved).length === 0)
  expectNoForm(document)
}

/** File specifications with embedded files: of the document and of annotations. */
function attachmentsOf(pdf: PDFDocument): PDFObject[] {
  const found: PDFObject[] = []
  eachContainer(pdf, (container) => {
    if (container.isDictionary() && container.get('EF').isDictionary()) found.push(container)
  })
  return found
}
