import { damaged, requireBytes, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** The three header lines of a portable float map: type, size, and a scale whose sign gives the byte order. */
export const PFM_HEADER = /^P([Ff])\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s+(\d{1,9})\s+([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s/

/**
 * Decodes a portable float map: linear light, grey or RGB.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED
 */
export function decodePfm(bytes: Uint8Array, maxPixels: number): Raster {
  const found = PFM_HEADER.exec(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'))
  if (!found) throw damaged('The file is not a portable float map')
  const [header, kind, across, down, scale] = found
  const [width, height, stored] = [Number(across), Number(down), kind === 'F' ? 3 : 1]
  checkRasterSize(width, height, 3, 32, maxPixels)
  requireBytes(bytes, header.length + width * height * stored * 4, 'PFM')
  const view = viewOf(bytes)
  const isLittle = Number(scale) < 0
  const raster = createRaster(width, height, 3, 32, maxPixels)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      for (let channel = 0; channel < 3; channel += 1) {
        // Rows are stored bottom-up.
        const from = ((height - 1 - y) * width + x) * stored + (stored === 3 ? channel : 0)
        const value = view.getFloat32(header.length + from * 4, isLittle)
        raster.data[(y * width + x) * 3 + channel] = Number.isFinite(value) ? Math.max(0, value) : 0
      }
  return raster
}
