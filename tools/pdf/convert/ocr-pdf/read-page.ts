import { MediaprocError } from '../../../../src/errors.ts'
import { rasterToPng } from '../../../../src/media/image/decode/carrier.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { pageSize, renderPage } from '../../../../src/media/pdf/page/render.ts'
import type { PageWords, PlacedWord } from '../../../../src/media/pdf/stamp/text-layer.ts'
import { type ReadContext, type Reading, type ReadOptions, readText } from '../../../../src/models/ocr/read.ts'

/** Pages are rendered at this resolution, or at a lower one if they would exceed this size (catalogue). */
const DPI = 300
const LEAST_DPI = 72
const MOST_SIDE = 6000
const MOST_PIXELS = 25e6
const POINTS_PER_INCH = 72

/** The text recognised on a page; positions are px of its image. */
export interface PageReading extends Reading {
  page: number
  width: number
  height: number
  dpi: number
}

/**
 * The resolution for a page size in points.
 * @throws MediaprocError LIMIT_EXCEEDED for a page that is too large
 */
export function readingDpi(page: number, { width, height }: { width: number; height: number }): number {
  // Sides are rounded up to whole pixels.
  const bySide = ((MOST_SIDE - 1) * POINTS_PER_INCH) / Math.max(width, height)
  const byArea = Math.sqrt((MOST_PIXELS - 2 * MOST_SIDE) / (width * height)) * POINTS_PER_INCH
  const dpi = Math.min(DPI, Math.floor(bySide), Math.floor(byArea))
  if (dpi >= LEAST_DPI) return dpi
  throw new MediaprocError('LIMIT_EXCEEDED', `Page ${page} is too large for OCR: the limit is 83 inches per side`, {
    hint: 'Crop it or scale it down first.',
  })
}

/** Renders a page and recognises its text. */
export async function readPage(
  document: PdfHandle,
  page: number,
  options: ReadOptions,
  context: ReadContext,
): Promise<PageReading> {
  const dpi = readingDpi(page, pageSize(document, page))
  const { width, height, data } = await renderPage(document, page, { dpi, maxPixels: MOST_PIXELS })
  const png = await rasterToPng({ width, height, channels: 3, depth: 8, data })
  const reading = await readText(await ImageFrame.fromPng(png, `page ${page}`), options, context)
  return { ...reading, page, width, height, dpi }
}

/** The words of a page, with positions in points. */
export function wordsOn({ page, dpi, lines }: PageReading): PageWords {
  const scale = POINTS_PER_INCH / dpi
  const placed = lines.map((runs) =>
    runs.flatMap(({ words }) =>
      words.map(({ text, box: { centre, width, height, angle } }): PlacedWord => {
        const there = { x: centre.x * scale, y: centre.y * scale }
        return { text, centre: there, width: width * scale, height: height * scale, angle }
      }),
    ),
  )
  return { page, lines: placed }
}
