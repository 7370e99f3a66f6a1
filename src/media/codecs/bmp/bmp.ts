import { dropAlpha, expandGrey, hasUniformAlpha, toEightBit } from '../convert.ts'
import { beyondFormat, damaged, requireBytes, viewOf } from '../failures.ts'
import type { Raster } from '../raster.ts'
import { readBitmapHeader } from './bmp-header.ts'
import { readBitmapPixels } from './bmp-pixels.ts'

const FILE_HEADER = 14
const INFO_HEADER = 40
const V5_HEADER = 124

/**
 * Decodes a BMP file, also without its file header (DIB, as in the clipboard of Windows): 1 to 32 bits per pixel, RLE4, RLE8, bit masks, top-down, OS/2 headers. Returns 8-bit RGB, or RGBA
 * if the file declares an alpha mask, or if it declares no masks and the fourth byte of 32-bit pixels is not 0 or 255
 * throughout.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE (embedded JPEG, PNG, fax
 * compression)
 */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, 18, 'BMP')
  const isDib = viewOf(bytes).getUint32(0, true) === INFO_HEADER
  if (!isDib && (bytes[0] !== 0x42 || bytes[1] !== 0x4d))
    throw damaged('The file is not a BMP picture: it does not begin with BM')
  const header = readBitmapHeader(bytes, isDib ? 0 : FILE_HEADER, 'BMP')
  const declared = isDib ? 0 : viewOf(bytes).getUint32(10, true)
  // Some writers give the offset of the palette.
  const isUsable = declared >= FILE_HEADER + 12 && (declared > header.paletteAt || header.end === header.paletteAt)
  const start = isUsable ? declared : header.end
  const raster = readBitmapPixels(bytes, header, start, maxPixels, 'BMP')
  const isVoid = header.mayHaveAlpha && (hasUniformAlpha(raster, 0) || hasUniformAlpha(raster, 255))
  return isVoid ? dropAlpha(raster) : raster
}

/**
 * Encodes a BMP file: 24 bits per pixel, or 32 with a V5 header if the raster has alpha. Higher bit depths are reduced
 * to 8 bits.
 * @param density dots per inch in the header, 72 when absent
 * @throws TARGET_UNREACHABLE when the file would exceed the 4 GiB limit of the format
 */
export function encodeBmp(source: Raster, density = 72): Uint8Array {
  const raster = expandGrey(toEightBit(source))
  const { width, height, data } = raster
  const hasAlpha = raster.channels === 4
  const step = hasAlpha ? 4 : 3
  const rowBytes = Math.ceil((width * step) / 4) * 4
  const headers = FILE_HEADER + (hasAlpha ? V5_HEADER : INFO_HEADER)
  const size = headers + rowBytes * height
  if (size >= 2 ** 32) throw beyondFormat(`A BMP file of ${width} × ${height} pixels would pass 4 GiB`, 'Use PNG.')
  const file = new Uint8Array(size)
  const view = viewOf(file)
  file.set([0x42, 0x4d])
  view.setUint32(2, size, true)
  view.setUint32(10, headers, true)
  view.setUint32(14, headers - FILE_HEADER, true)
  view.setInt32(18, width, true)
  view.setInt32(22, height, true)
  view.setUint16(26, 1, true)
  view.setUint16(28, step * 8, true)
  view.setUint32(30, hasAlpha ? 3 : 0, true)
  view.setUint32(34, rowBytes * height, true)
  const dotsPerMetre = Math.round(density / 0.0254)
  view.setInt32(38, dotsPerMetre, true)
  view.setInt32(42, dotsPerMetre, true)
  if (hasAlpha) {
    const masks = [0x00ff0000, 0x0000ff00, 0x000000ff, 0xff000000]
    masks.forEach((mask, index) => {
      view.setUint32(FILE_HEADER + 40 + index * 4, mask, true)
    })
    // Colour space 'sRGB' (stored backwards) and rendering intent 4, LCS_GM_IMAGES: perceptual.
    file.set(Buffer.from('BGRs', 'latin1'), FILE_HEADER + 56)
    view.setUint32(FILE_HEADER + 108, 4, true)
  }
  for (let y = 0, index = 0; y < height; y++) {
    let target = headers + (height - 1 - y) * rowBytes
    for (let x = 0; x < width; x++, index += step, target += step) {
      file[target] = data[index + 2]!
      file[target + 1] = data[index + 1]!
      file[target + 2] = data[index]!
      if (hasAlpha) file[target + 3] = data[index + 3]!
    }
  }
  return file
}
