import type { Picture } from '../../../../src/engines/documents/rich-text.ts'
import { type Mupdf, withMupdfErrors } from '../../../../src/engines/mupdf.ts'
import { openSharp } from '../../../../src/engines/sharp.ts'
import type { Box } from './lines.ts'
import type { PagePicture } from './page-parts.ts'

/** A higher resolution is not visible on paper; pixels per inch. */
const FINEST = 250
/** Photos above this size are kept as JPEG; bytes. */
const LARGE = 200_000

/** CSS pixels per point. */
const PIXELS = 96 / 72

type Draw = (device: InstanceType<Mupdf['DrawDevice']>) => void

/** A part of a page as PNG, at a resolution in pixels per point. */
function drawn(mupdf: Mupdf, { x0, y0, x1, y1 }: Box, scale: number, draw: Draw): Uint8Array {
  const width = Math.max(1, Math.round((x1 - x0) * scale))
  const height = Math.max(1, Math.round((y1 - y0) * scale))
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, width, height], true)
  pixmap.clear()
  const device = new mupdf.DrawDevice([scale, 0, 0, scale, -x0 * scale, -y0 * scale], pixmap)
  try {
    draw(device)
    device.close()
    return Uint8Array.from(pixmap.asPNG())
  } finally {
    device.destroy()
    pixmap.destroy()
  }
}

/** An image as displayed: rotated, mirrored and masked. `origin` is the position of the page's corner. */
export async function drawPicture(
  mupdf: Mupdf,
  picture: PagePicture,
  origin: { x: number; y: number },
): Promise<Picture> {
  const { x0, y0, x1, y1, transform, image } = picture
  const native = Math.max(
    image.getWidth() / Math.hypot(transform[0], transform[1]),
    image.getHeight() / Math.hypot(transform[2], transform[3]),
  )
  const scale = Math.min(Math.max(native, 0.5), FINEST / 72)
  const box = { x0: x0 + origin.x, y0: y0 + origin.y, x1: x1 + origin.x, y1: y1 + origin.y }
  const png = withMupdfErrors('PROCESSING_FAILED', 'An image cannot be rendered', () =>
    drawn(mupdf, box, scale, (device) => {
      const mask = image.getMask()
      if (mask) device.clipImageMask(mask, transform)
      device.fillImage(image, transform, 1)
      if (mask) device.popClip()
    }),
  )
  return packed(png, { width: (x1 - x0) * PIXELS, height: (y1 - y0) * PIXELS })
}

/** A drawing of the page with the words in it. */
export async function drawRegion(
  mupdf: Mupdf,
  page: { run(device: never, matrix: never): void },
  region: Box,
  origin: { x: number; y: number },
): Promise<Picture> {
  const box = { x0: region.x0 + origin.x, y0: region.y0 + origin.y, x1: region.x1 + origin.x, y1: region.y1 + origin.y }
  const png = withMupdfErrors('PROCESSING_FAILED', 'A drawing cannot be rendered', () =>
    drawn(mupdf, box, FINEST / 72, (device) => page.run(device as never, mupdf.Matrix.identity as never)),
  )
  return packed(png, { width: (region.x1 - region.x0) * PIXELS, height: (region.y1 - region.y0) * PIXELS })
}

async function packed(png: Uint8Array, size: { width: number; height: number }): Promise<Picture> {
  const picture = await openSharp(Buffer.from(png))
  const { isOpaque } = await picture.stats()
  const isPhoto = isOpaque && png.length > LARGE
  const bytes = isPhoto
    ? await picture.flatten().jpeg({ quality: 88 }).toBuffer()
    : isOpaque
      ? await picture.removeAlpha().png().toBuffer()
      : png
  return { kind: 'picture', bytes, type: isPhoto ? 'jpg' : 'png', ...size, alt: '' }
}
