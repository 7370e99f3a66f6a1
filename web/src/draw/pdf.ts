/** The pages of a PDF: their sizes, and pictures that the server draws. */
import { askOnce } from '../run/ephemeral.ts'
import type { Size } from './rectangle.ts'

export interface PdfFile {
  /** Sizes of the displayed pages, in points. */
  pages: readonly Size[]
}

/** What the tools that read PDFs answer: sizes in points, pictures as data URLs. */
interface Answer {
  pages: (Size & { page: number })[]
  thumbnails: { page: number; dataUrl: string }[]
}

/** A document is asked for many times: one from this size on is uploaded only once. Bytes. */
const ONCE_FROM = 100_000

const ask = (file: File, action: string, settings: Record<string, unknown>, stop: AbortSignal): Promise<Answer> =>
  askOnce(
    { path: `api/v1/tools/pdf/pdf-to-image/${action}`, file, settings, onceFrom: ONCE_FROM },
    stop,
    (answer) => answer as unknown as Answer,
  )

/** Never: the sizes of a document are kept for all that show it. */
const NEVER = new AbortController().signal

const known = new WeakMap<File, Promise<PdfFile>>()

/** Number and sizes of the pages. @throws ApiError for a damaged or encrypted document */
export function openPdf(file: File): Promise<PdfFile> {
  const opened = known.get(file)
  if (opened) return opened
  const opening = ask(file, 'info', {}, NEVER).then(({ pages }) => ({ pages }))
  known.set(file, opening)
  opening.catch(() => known.delete(file))
  return opening
}

/** Pictures of pages by their number. @param pages such as `1-24` @param width px */
export async function drawPages(
  file: File,
  pages: string,
  width: number,
  stop: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const { thumbnails } = await ask(file, 'preview', { pages, width }, stop)
  return new Map(thumbnails.map(({ page, dataUrl }) => [page, dataUrl]))
}
