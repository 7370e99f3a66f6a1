import { statSync } from 'node:fs'
import type { Mupdf, PDFDocument } from '../../../engines/mupdf.ts'
import { takeMupdfMessages, withMupdfErrors } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { sourceFromBytes, sourceFromDisk } from '../open/source.ts'
import { missingResources, pagesWithoutText, type ShownPages, shortenedPages } from './compare-pages.ts'
import { factsOfPages } from './page-facts.ts'
import { readWithQpdf, SECOND_READER_BYTES, SECOND_READER_OBJECTS } from './second-reader.ts'

/** Verifies the result of an edit in the written file; throws or returns false if it is missing. */
export type Expectation = (saved: PDFDocument) => boolean

export interface WrittenPdf {
  /** Its bytes, or its path. */
  file: Uint8Array | string
  /** '' for none. */
  password: string
  pageCount: number
  /** Number of objects in the open document: the file has no more, apart from those added when writing. */
  objectCount: number
  isEncrypted: boolean
  /** `P` of the encryption dictionary; undefined if it is taken from the source. */
  permissions: number | undefined
  /** By description, such as `page 3 is turned`. */
  expectations: ReadonlyMap<string, Expectation>
  /** The source content that its pages must show completely. */
  shown: ShownPages | undefined
  /** A source is damaged: readers may interpret it differently, which is only a warning. */
  isDamaged: boolean
}

/** Maximum number of locations listed in a message. */
const MAX_NAMED = 5

/**
 * Opens the written file and verifies the edits: the library silently drops edits if it detects damage late, and a
 * result without them must never be delivered.
 */
export function readBack(mupdf: Mupdf, written: WrittenPdf): void {
  const { file, password, pageCount, isEncrypted, permissions, expectations, shown, isDamaged } = written
  withMupdfErrors('PROCESSING_FAILED', 'The written PDF cannot be read again', () => {
    const source = typeof file === 'string' ? sourceFromDisk(file, statSync(file).size) : sourceFromBytes(file)
    let saved: PDFDocument | undefined
    try {
      saved = source.open(mupdf)
      if (saved.needsPassword() && saved.authenticatePassword(password) === 0)
        throw missing('its password does not open it')
      if (saved.getTrailer().get('Encrypt').isDictionary() !== isEncrypted)
        throw missing(isEncrypted ? 'it is not encrypted' : 'it is still encrypted')
      if (permissions !== undefined && saved.getTrailer().get('Encrypt', 'P').asNumber() !== permissions)
        throw missing('its permissions differ')
      if (saved.countPages() !== pageCount) throw missing(`it has ${saved.countPages()} pages instead of ${pageCount}`)
      for (let page = 0; page < pageCount; page++) saved.findPage(page)
      for (const [what, holds] of expectations) if (!holds(saved)) throw missing(`not so: ${what}`)
      if (saved.wasRepaired()) throw missing('its structure is damaged')
      if (shown) {
        const shortened = shortenedPages(shown, saved)
        if (shortened.length > 0) throw missing(`content is missing on page ${named(shortened)}`)
        const unread = pagesWithoutText(shown, saved)
        if (unread.length > 0 && !isDamaged) throw missing(`text is missing on page ${named(unread)}`)
        // A large file is not passed to the second reader, but its resources are still checked.
        if (!isForSecondReader(written))
          refuse(
            missingResources(
              shown,
              factsOfPages(saved).map(({ resources }) => resources),
            ),
          )
      }
    } finally {
      saved?.destroy()
      source.release()
    }
  })
}

/**
 * Reads the file written by MuPDF with qpdf and compares it with the request: pages, encryption, and every font, image
 * and other resource of the source pages. Larger files (`SECOND_READER_BYTES` in memory, `SECOND_READER_OBJECTS` on
 * disk) are only checked by `readBack`.
 * @returns warnings: differences that only exist because a source is damaged
 * @throws PROCESSING_FAILED when something is missing
 */
export async function readBackWithQpdf(written: WrittenPdf): Promise<string[]> {
  const { file, password, pageCount, isEncrypted, shown, isDamaged } = written
  if (!isForSecondReader(written)) return []
  let reading: Awaited<ReturnType<typeof readWithQpdf>>
  try {
    reading = await readWithQpdf(file, password)
  } catch (error) {
    if (!(error instanceof MediaprocError)) throw error
    // Objects that no page needs may be damaged, too; MuPDF has read every page.
    return ['A second reader (qpdf) cannot read the result, so it was not compared with its source']
  }
  if (reading.isEncrypted !== isEncrypted) throw missing(isEncrypted ? 'it is not encrypted' : 'it is still encrypted')
  const lost = shown ? missingResources(shown, reading.pages) : []
  if (!isDamaged) {
    if (reading.pages.length !== pageCount)
      throw missing(`a second reader finds ${reading.pages.length} pages instead of ${pageCount}`)
    refuse(lost)
  }
  if (reading.pages.length !== pageCount)
    return [`Other readers may show ${reading.pages.length} instead of ${pageCount} pages: the source is damaged`]
  return lost.length > 0 ? [`Other readers may not show all of the damaged source; missing on ${named(lost)}`] : []
}

function isForSecondReader({ file, objectCount }: WrittenPdf): boolean {
  return typeof file === 'string' ? objectCount <= SECOND_READER_OBJECTS : file.length <= SECOND_READER_BYTES
}

function refuse(lost: readonly string[]): void {
  if (lost.length > 0) throw missing(`fonts or pictures are missing on ${named(lost)}`)
}

const named = (places: readonly (string | number)[]): string =>
  places.slice(0, MAX_NAMED).join(', ') + (places.length > MAX_NAMED ? ` and ${places.length - MAX_NAMED} more` : '')

function missing(what: string): MediaprocError {
  return new MediaprocError('PROCESSING_FAILED', `The written PDF does not match the request: ${what}`, {
    hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
    detail: takeMupdfMessages(),
  })
}
