import { MediaprocError } from '../../../errors.ts'
import type { PdfHandle } from '../handle.ts'
import { assemblePages } from './assemble.ts'

/**
 * Merges all pages of all documents, in order, into a new document; the sources stay open. For what is copied, see
 * `assemblePages`: bookmarks, forms, links, tags, layers and attachments of every document; title and author of the
 * first; the result is not encrypted.
 * @param bookmarks a title for each document: a bookmark to its first page, with its own bookmarks below
 */
export function mergePdfs(documents: readonly PdfHandle[], bookmarks?: readonly string[]): Promise<PdfHandle> {
  if (documents.length === 0) throw new MediaprocError('TOO_FEW_FILES', 'There is no PDF to join')
  return assemblePages(
    documents.map((document, index) => {
      const bookmark = bookmarks?.[index]
      return { document, pages: allPages(document), ...(bookmark !== undefined && { bookmark }) }
    }),
  )
}

function allPages(document: PdfHandle): number[] {
  return Array.from({ length: document.pageCount }, (_, index) => index + 1)
}
