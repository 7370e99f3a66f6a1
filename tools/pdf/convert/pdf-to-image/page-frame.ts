import { openRawPixels } from '../../../../src/engines/sharp.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { pageSize, renderPage } from '../../../../src/media/pdf/page/render.ts'

export interface PageLook {
  dpi: number
  colorMode: 'color' | 'grayscale' | 'bw'
}

/** Greys from this value on are white in black-and-white images (catalogue). */
const THRESHOLD = 128

/** A rendered page as an image frame. */
export async function pageFrame(document: PdfHandle, page: number, { dpi, colorMode }: PageLook): Promise<ImageFrame> {
  const { width, height, data } = await renderPage(document, page, { dpi })
  const frame = await ImageFrame.fromRaster({ width, height, channels: 3, depth: 8, data }, `page ${page}`)
  if (colorMode === 'color') return frame
  return frame.apply(
    (image) => (colorMode === 'bw' ? image.threshold(THRESHOLD) : image.greyscale()).toColourspace('b-w'),
    {
      space: 'grey',
    },
  )
}

/** Largest width of a preview, px (catalogue). */
export const PREVIEW_WIDTH = 300
/** Lowest resolution that previews are rendered at, and their JPEG quality (catalogue). */
const PREVIEW = { dpi: 72, quality: 60 }
const POINTS_PER_INCH = 72
/** A tiny page is not magnified further. */
const MAX_PREVIEW_DPI = 300

export interface Thumbnail {
  page: number
  dataUrl: string
  width: number
  height: number
}

/** A preview image of a page. @param widest its largest width, px */
export async function thumbnail(document: PdfHandle, page: number, widest: number): Promise<Thumbnail> {
  // A large page at 72 dpi has pixels enough; a wide preview of a small one is rendered at its size.
  const wanted = (widest / pageSize(document, page).width) * POINTS_PER_INCH
  const dpi = widest > PREVIEW_WIDTH ? Math.min(Math.max(PREVIEW.dpi, wanted), MAX_PREVIEW_DPI) : PREVIEW.dpi
  const { width, height, data } = await renderPage(document, page, { dpi })
  const image = await openRawPixels({
    width,
    height,
    channels: 3,
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  })
  const done = await image
    .resize({ width: widest, withoutEnlargement: true })
    .jpeg({ quality: PREVIEW.quality })
    .toBuffer({ resolveWithObject: true })
  return {
    page,
    dataUrl: `data:image/jpeg;base64,${done.data.toString('base64')}`,
    width: done.info.width,
    height: done.info.height,
  }
}
