import type { Mupdf, PDFDocument } from '../../engines/mupdf.ts'
import { takeMupdfMessages, withMupdfErrors } from '../../engines/mupdf.ts'
import { MediaprocError } from '../../errors.ts'

/** What an edit did, looked up in the file that was written; throws or is false where it is not there. */
export type Expectation = (saved: PDFDocument) => boolean

export interface WrittenPdf {
  bytes: Uint8Array
  /** '' for none. */
  password: string
  pageCount: number
  isEncrypted: boolean
  /** By what they say, such as `page 3 is turned`. */
  expectations: ReadonlyMap<string, Expectation>
}

/**
 * Opens what was written and looks for what was done to it: the library drops edits without a word where it meets damage
 * late, and a result that lacks them must never be delivered.
 */
export function readBack(mupdf: Mupdf, { bytes, password, pageCount, isEncrypted, expectations }: WrittenPdf): void {
  withMupdfErrors('PROCESSING_FAILED', 'The written PDF cannot be read again', () => {
    const saved = mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument
    try {
      if (saved.needsPassword() && saved.authenticatePassword(password) === 0)
        throw missing('its password does not open it')
      if (saved.getTrailer().get('Encrypt').isDictionary() !== isEncrypted)
        throw missing(isEncrypted ? 'it is not encrypted' : 'it is still encrypted')
      if (saved.countPages() !== pageCount) throw missing(`it has ${saved.countPages()} pages instead of ${pageCount}`)
      for (let page = 0; page < pageCount; page++) saved.findPage(page)
      for (const [what, holds] of expectations) if (!holds(saved)) throw missing(`not so: ${what}`)
      if (saved.wasRepaired()) throw missing('its structure is damaged')
    } finally {
      saved.destroy()
    }
  })
}

function missing(what: string): MediaprocError {
  return new MediaprocError('PROCESSING_FAILED', `The written PDF is not what was asked for: ${what}`, {
    hint: 'Try mediaproc pdf repair-pdf FILE first.',
    detail: takeMupdfMessages(),
  })
}
