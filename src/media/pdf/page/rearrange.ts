import { MediaprocError } from '../../../errors.ts'
import type { PdfHandle } from '../handle.ts'
import { assemblePages } from './assemble.ts'

/**
 * Creates a document from these pages (from 1, in this order, repetitions allowed); the source stays open and
 * unchanged. Bookmarks, links, form fields, tags, layers and labels are copied if they belong to these pages, and the
 * file contains nothing of the other pages (see `assemblePages`). Title, metadata, attachments, encryption and the
 * source's save options are kept.
 */
export async function selectPages(document: PdfHandle, pages: number[]): Promise<PdfHandle> {
  if (pages.length === 0) {
    throw new MediaprocError('TARGET_UNREACHABLE', 'No page would be left', { hint: 'At least one page must stay.' })
  }
  const outside = pages.find((page) => !Number.isInteger(page) || page < 1 || page > document.pageCount)
  if (outside !== undefined) {
    const sentence = `Page ${outside} was requested, but the document has ${document.pageCount} pages`
    throw new MediaprocError('TARGET_UNREACHABLE', sentence)
  }
  const selected = await assemblePages([{ document, pages }])
  Object.assign(selected.target, document.target)
  return selected
}
