import type { RichText, Section } from '../../../../src/engines/documents/rich-text.ts'
import { loadMupdf, type Mupdf, withMupdfErrors } from '../../../../src/engines/mupdf.ts'
import { firstOf, required } from '../../../../src/lists.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { columnsOf } from './columns.ts'
import { flow } from './flow.ts'
import { attachNotes } from './footnotes.ts'
import { firstNumber, runningText } from './headers.ts'
import type { Line, PageText } from './lines.ts'
import { type DrawnPage, type DrawnPicture, itemsOf, type Page, type PageLook } from './page-items.ts'
import { baseLook, layoutOf, textBox } from './page-layout.ts'
import { readPage } from './page-parts.ts'
import { drawPicture } from './pictures.ts'
import { withoutRunningLines } from './running-lines.ts'
import type { BaseLook } from './text-blocks.ts'

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
  const removed = withoutRunningLines(parts)
  for (const part of parts) attachNotes(part)
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
  const { looks, omitted } = pageLooks(parts, removed, base)
  if (omitted > 0)
    warnings.push(
      `Headers and footers of ${omitted} pages are omitted, because they differ from those of the other pages`,
    )
  const pages: Page[] = []
  let hidden = 0
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    const columns = columnsOf(part)
    const look = required(looks, index)
    const box = textBox(part, look.page)
    const { items, behind } = await itemsOf(mupdf, document, index, part)
    hidden += behind
    pages.push({ items, box, part, columns, look })
    onProgress(0.5 + ((index + 1) / pageCount) * 0.4)
  }
  if (hidden > 0)
    warnings.push(
      `${hidden === 1 ? 'A picture' : `${hidden} pictures`} behind the text of a whole page ${hidden === 1 ? 'is' : 'are'} left out`,
    )
  return {
    title: pdf.getMetaData('info:Title')?.trim() || undefined,
    page: firstOf(pages).look.page,
    base,
    ...numbered(flow(pages, base, document), firstNumber(removed)),
    warnings,
  }
}

/** Numbers the pages from the number of the first one. */
const numbered = <Text extends { sections: Section[] }>(text: Text, first = 1): Text => ({
  ...text,
  sections: text.sections.map((section, index) =>
    index === 0 && first > 1 ? { ...section, firstNumber: first } : section,
  ),
})

/** The layout, header and footer of each page, shared by pages of one size, and the number of pages that lose lines. */
function pageLooks(
  parts: readonly PageText[],
  removed: readonly (readonly Line[])[],
  base: BaseLook,
): { looks: Map<number, PageLook>; omitted: number } {
  const looks = new Map<number, PageLook>()
  const kept = new Set<Line>()
  const first = firstNumber(removed)
  const sizes = new Map<string, number[]>()
  for (const [index, { width, height }] of parts.entries()) {
    const size = `${Math.round(width)} ${Math.round(height)}`
    sizes.set(size, [...(sizes.get(size) ?? []), index])
  }
  for (const members of sizes.values()) {
    const layout = layoutOf(members.map((index) => parts[index]!))
    const { headerDistance, footerDistance, ...texts } = runningText(parts, removed, members, {
      base,
      layout,
      first,
      kept,
    })
    const distances = { ...(headerDistance && { headerDistance }), ...(footerDistance && { footerDistance }) }
    const look = { page: { ...layout, ...distances }, ...texts }
    for (const index of members) looks.set(index, look)
  }
  return { looks, omitted: removed.filter((lines) => lines.some((line) => !kept.has(line))).length }
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
