import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { sharpColour } from '../../_shared/colour/colours.ts'
import { findHeads, keepingHeads } from '../../_shared/faces/keep.ts'
import type { Box } from './layout.ts'

export interface CellOptions {
  panX?: number
  panY?: number
  zoom?: number
  objectFit?: 'cover' | 'contain'
  /** Corner radius, px. */
  radius: number
  background: ReturnType<typeof sharpColour>
}

/** The start of the visible part: `start`, shifted by `pan` percent of half the overflow, inside the image. */
function origin(overflow: number, pan: number, start: number): number {
  return Math.round(Math.max(0, Math.min(overflow, start - (pan / 100) * (overflow / 2))))
}

/**
 * One image cropped or fitted to its cell, as PNG with round corners. A crop keeps the middle, moved so that no head is
 * cut; panX and panY move it from there.
 */
export async function drawCell(
  picture: ImageFrame,
  box: Box,
  options: CellOptions,
  context: StepContext,
): Promise<Buffer> {
  const { panX = 0, panY = 0, zoom = 1, objectFit = 'cover', radius, background } = options
  const choose = objectFit === 'cover' ? Math.max : Math.min
  const scale = choose(box.width / picture.width, box.height / picture.height) * zoom
  // Rounding must not leave a covered cell one pixel short.
  const least = objectFit === 'cover' ? { width: box.width, height: box.height } : { width: 1, height: 1 }
  const size = {
    width: Math.max(least.width, Math.round(picture.width * scale)),
    height: Math.max(least.height, Math.round(picture.height * scale)),
  }
  const scaled = await (await picture.toSrgb()).apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const shown = { width: Math.min(size.width, box.width), height: Math.min(size.height, box.height) }
  const middle = { left: (size.width - shown.width) / 2, top: (size.height - shown.height) / 2, ...shown }
  const isCut = shown.width < size.width || shown.height < size.height
  const window = isCut ? keepingHeads(middle, await findHeads(scaled, context), size) : middle
  const left = origin(size.width - shown.width, panX, window.left)
  const top = origin(size.height - shown.height, panY, window.top)
  const cut = await scaled.apply((image) => image.extract({ left, top, ...shown }), { size: shown })
  const filled = await cut.apply(
    (image) => image.resize({ width: box.width, height: box.height, fit: 'contain', background }),
    { size: { width: box.width, height: box.height } },
  )
  const image = (await filled.pipeline()).toColourspace('srgb').ensureAlpha()
  if (radius <= 0) return image.png({ compressionLevel: 0 }).toBuffer()
  const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${box.height}"><rect width="100%" height="100%" rx="${radius}" ry="${radius}"/></svg>`
  return image
    .composite([{ input: Buffer.from(mask), blend: 'dest-in' }])
    .png({ compressionLevel: 0 })
    .toBuffer()
}
