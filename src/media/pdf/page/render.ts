import { loadMupdf, withMupdfErrors } from '../../../engines/mupdf.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import type { PdfHandle } from '../handle.ts'

export interface RenderOptions {
  /** Pixels per inch; pages are measured in points, 72 per inch. */
  dpi: number
  /** Maximum size of the image, in pixels (default 100 million). */
  maxPixels?: number
}

/** An RGB image, 8 bit, rows top-down without padding. */
export interface RenderedPage {
  width: number
  height: number
  channels: 3
  data: Uint8Array
}

/** Default of `maxPixels` (spec/catalogue: pdf-to-image). */
export const MAX_PAGE_PIXELS = 100e6

const POINTS_PER_INCH = 72

/** Displayed width and height of a page (from 1), in points: its crop box, rotated by /Rotate. */
export function pageSize(document: PdfHandle, pageNumber: number): { width: number; height: number } {
  return withMupdfErrors('PROCESSING_FAILED', `Page ${pageNumber} cannot be read`, () => {
    const page = document.pdf.loadPage(pageNumber - 1)
    const [left, top, right, bottom] = page.getBounds()
    page.destroy()
    return { width: right - left, height: bottom - top }
  })
}

/**
 * Renders a page (from 1) on white, including annotations and form fields. An image above `maxPixels` throws
 * LIMIT_EXCEEDED before anything is allocated.
 */
export async function renderPage(
  document: PdfHandle,
  pageNumber: number,
  { dpi, maxPixels = MAX_PAGE_PIXELS }: RenderOptions,
): Promise<RenderedPage> {
  const { ColorSpace, Matrix } = await loadMupdf()
  const scale = dpi / POINTS_PER_INCH
  const size = pageSize(document, pageNumber)
  const width = Math.ceil(size.width * scale)
  const height = Math.ceil(size.height * scale)
  if (width * height > maxPixels) {
    const megapixels = (pixels: number) => Number((pixels / 1e6).toFixed(1))
    throw limitExceeded(
      `Page ${pageNumber} at ${dpi} dpi is ${width} x ${height} pixels (${megapixels(width * height)} megapixels), the limit is ${megapixels(maxPixels)} megapixels`,
      { hint: 'Ask for a lower dpi.' },
    )
  }
  return withMupdfErrors('PROCESSING_FAILED', `Page ${pageNumber} cannot be drawn`, () => {
    const page = document.pdf.loadPage(pageNumber - 1)
    const pixmap = page.toPixmap(Matrix.scale(scale, scale), ColorSpace.DeviceRGB, false, true)
    try {
      const rendered = { width: pixmap.getWidth(), height: pixmap.getHeight(), channels: 3 as const }
      return {
        ...rendered,
        data: withoutPadding(pixmap.getPixels(), rendered.width * 3, pixmap.getStride(), rendered.height),
      }
    } finally {
      pixmap.destroy()
      page.destroy()
    }
  })
}

/** Copies the pixels (their memory may move) with rows of `rowLength` bytes. */
function withoutPadding(pixels: Uint8ClampedArray, rowLength: number, stride: number, rows: number): Uint8Array {
  const data = new Uint8Array(rowLength * rows)
  if (stride === rowLength) data.set(pixels.subarray(0, data.length))
  else
    for (let row = 0; row < rows; row++)
      data.set(pixels.subarray(row * stride, row * stride + rowLength), row * rowLength)
  return data
}
