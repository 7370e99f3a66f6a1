import type { RichText } from '../../../../src/engines/documents/rich-text.ts'
import { loadMupdf, type Mupdf, withMupdfErrors } from '../../../../src/engines/mupdf.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { flow, type Page } from './flow.ts'
import { type DrawnPage, type DrawnPicture, itemsOf } from './page-items.ts'
import { baseLook, layoutOf, textBox } from './page-layout.ts'
import { readPage } from './page-parts.ts'
import { drawPicture } from './pictures.ts'
import { withoutRunningLines } from './running-lines.ts'

export interface PdfText extends Omit<RichText, 'title'> {
  /** The title from the document's metadata. */
  title: string | undefined
  warnings: string[]
}

export interface ReadOptions {
  signal: AbortSignal
  onProgress(fraction: number): void
}

/** Converts the pages of a document to flowing text: paragraphs, headings, lists, tables and images. */
export async function readDocument(document: PdfHandle, { signal, onProgress }: ReadOptions): Promise<PdfText> {
  const mupdf = await loadMupdf()
  const { pdf, pageCount } = document
  const parts: DrawnPage[] = []
  for (let index = 0; index < pageCount; index++) {
    signal.throwIfAborted()
    parts.push(await drawnPage(mupdf, document, index))
    onProgress(((index + 1) / pageCount) * 0.5)
  }
  const base = baseLook(parts)
  const warnings: string[] = []
  const running = withoutRunningLines(parts)
  if (running > 0)
    warnings.push(`Headers, footers and page numbers of ${running} pages are omitted, as Word has its own`)
  const unreadable = parts.reduce((sum, part) => sum + part.unreadable, 0)
  if (unreadable > 0)
    warnings.push(
      `${unreadable === 1 ? 'A character is' : `${unreadable} characters are`} left out: the PDF does not say what ${unreadable === 1 ? 'it means' : 'they mean'}`,
    )
  const scans = parts.filter(({ lines, pictures }) => lines.length === 0 && pictures.length > 0).length
  if (scans > 0)
    warnings.push(
      `${scans === 1 ? 'A page has' : `${scans} pages have`} no text, only pictures, which stay pictures; mediaproc pdf ocr-pdf reads them`,
    )
  const page = layoutOf(parts)
  const pages: Page[] = []
  let hidden = 0
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    const { items, behind } = await itemsOf(mupdf, document, index, part)
    hidden += behind
    pages.push({ items, box: textBox(part, page), height: part.height })
    onProgress(0.5 + ((index + 1) / pageCount) * 0.4)
  }
  if (hidden > 0)
    warnings.push(
      `${hidden === 1 ? 'A picture' : `${hidden} pictures`} behind the text of a whole page ${hidden === 1 ? 'is' : 'are'} left out`,
    )
  return {
    title: pdf.getMetaData('info:Title')?.trim() || undefined,
    page,
    base,
    blocks: flow(pages, base, document),
    warnings,
  }
}

/** A page with its images rendered, so that it references no library objects. */
async function drawnPage(mupdf: Mupdf, { pdf }: PdfHandle, index: number): Promise<DrawnPage> {
  const part = withMupdfErrors('PROCESSING_FAILED', `The text of page ${index + 1} cannot be read`, () =>
    readPage(pdf, index),
  )
  try {
    const { pictures, close: _close, ...rest } = part
    const drawn: DrawnPicture[] = []
    for (const picture of pictures) {
      const { x0, y0, x1, y1, order } = picture
      // Anything smaller is a dot or a rule.
      if (x1 - x0 < 4 || y1 - y0 < 4) continue
      drawn.push({ x0, y0, x1, y1, order, picture: await drawPicture(mupdf, picture, part.origin) })
    }
    return { ...rest, pictures: drawn }
  } finally {
    part.close()
  }
}
