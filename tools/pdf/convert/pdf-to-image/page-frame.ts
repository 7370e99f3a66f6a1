import { openRawPixels } from '../../../../src/engines/sharp.ts'
import { rasterToPng } from '../../../../src/media/image/decode/carrier.ts'
import { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { renderPage } from '../../../../src/media/pdf/page/render.ts'

export interface PageLook {
  dpi: number
  colorMode: 'color' | 'grayscale' | 'bw'
}

/** Greys from this value on are white in black-and-white images (catalogue). */
const THRESHOLD = 128

/** A rendered page as an image frame. */
export async function pageFrame(document: PdfHandle, page: number, { dpi, colorMode }: PageLook): Promise<ImageFrame> {
  const { width, height, data } = await renderPage(document, page, { dpi })
  const frame = await ImageFrame.fromPng(
    await rasterToPng({ width, height, channels: 3, depth: 8, data }),
    `page ${page}`,
  )
  if (colorMode === 'color') return frame
  return frame.apply(
    (image) => (colorMode === 'bw' ? image.threshold(THRESHOLD) : image.greyscale()).toColourspace('b-w'),
    {
      space: 'grey',
    },
  )
}

/** Previews: resolution, maximum width and JPEG quality (catalogue). */
const PREVIEW = { dpi: 72, width: 300, quality: 60 }

export interface Thumbnail {
  page: number
  dataUrl: string
  width: number
  height: number
}

/** A preview image of a page. */
export async function thumbnail(document: PdfHandle, page: number): Promise<Thumbnail> {
  const { width, height, data } = await renderPage(document, page, { dpi: PREVIEW.dpi })
  const image = await openRawPixels({
    width,
    height,
    channels: 3,
    data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  })
  const done = await image
    .resize({ width: PREVIEW.width, withoutEnlargement: true })
    .jpeg({ quality: PREVIEW.quality })
    .toBuffer({ resolveWithObject: true })
  return {
    page,
    dataUrl: `data:image/jpeg;base64,${done.data.toString('base64')}`,
    width: done.info.width,
    height: done.info.height,
  }
}
