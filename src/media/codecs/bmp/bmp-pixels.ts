import { damaged, pixelsMissing, requireBytes, viewOf } from '../failures.ts'
import { checkRasterSize, createRaster, type Raster } from '../raster.ts'
import type { BitmapHeader } from './bmp-header.ts'

/**
 * Returns the pixels of a bitmap from `start` on. RGB for palettes and for direct colour without alpha; RGBA if the
 * file declares an alpha mask, and for 32 bits without masks, where the fourth byte is often meaningless and the caller
 * decides. Bits not covered by any mask of a masked file are unused.
 */
export function readBitmapPixels(
  bytes: Uint8Array,
  header: BitmapHeader,
  start: number,
  maxPixels: number,
  format: string,
): Raster & { data: Uint8Array } {
  if (header.coding !== 'plain') return readRunLengths(bytes, header, start, maxPixels, format)
  const { width, height, bitsPerPixel } = header
  checkRasterSize(width, height, 4, 8, maxPixels)
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4
  // Some writers omit the padding of the last row.
  requireBytes(bytes, start + rowBytes * (height - 1) + Math.ceil((width * bitsPerPixel) / 8), format)
  const channels = header.mayHaveAlpha || header.hasAlphaMask ? 4 : 3
  const raster = createRaster(width, height, channels, 8, maxPixels)
  const readRow = bitsPerPixel <= 8 ? indexedRow(bytes, header) : directRow(bytes, header, channels)
  for (let row = 0; row < height; row++) {
    const y = header.topDown ? row : height - 1 - row
    readRow(start + row * rowBytes, raster.data.subarray(y * width * channels, (y + 1) * width * channels))
  }
  return raster
}

type ReadRow = (source: number, target: Uint8Array) => void

function indexedRow(bytes: Uint8Array, { bitsPerPixel, palette, width }: BitmapHeader): ReadRow {
  const mask = (1 << bitsPerPixel) - 1
  return (source, target) => {
    for (let x = 0; x < width; x++) {
      const bit = x * bitsPerPixel
      const colour = ((bytes[source + (bit >> 3)]! >> (8 - bitsPerPixel - (bit & 7))) & mask) * 3
      target[x * 3] = palette[colour]!
      target[x * 3 + 1] = palette[colour + 1]!
      target[x * 3 + 2] = palette[colour + 2]!
    }
  }
}

/** Shift of a mask and a table that maps its values to 0-255. Of more than 8 bits, the top 8 are used. */
function compileMask(mask: number): { shift: number; limit: number; values: Uint8Array } {
  if (mask === 0) return { shift: 0, limit: 0, values: Uint8Array.of(0) }
  const highest = 31 - Math.clz32(mask)
  const lowest = 31 - Math.clz32(mask & -mask)
  const bits = Math.min(8, highest - lowest + 1)
  const limit = (1 << bits) - 1
  const values = Uint8Array.from({ length: limit + 1 }, (_, value) => Math.round((value * 255) / limit))
  return { shift: highest - bits + 1, limit, values }
}

function directRow(bytes: Uint8Array, header: BitmapHeader, channels: 3 | 4): ReadRow {
  const { bitsPerPixel, width } = header
  const view = viewOf(bytes)
  if (bitsPerPixel === 24) {
    return (source, target) => {
      for (let index = 0; index < width * 3; index += 3) {
        target[index] = bytes[source + index + 2]!
        target[index + 1] = bytes[source + index + 1]!
        target[index + 2] = bytes[source + index]!
      }
    }
  }
  const [red, green, blue, alpha] = header.masks
  const alphaMask = header.mayHaveAlpha ? ~(red | green | blue) >>> 0 : alpha
  const masks = [red, green, blue, alphaMask].slice(0, channels).map(compileMask)
  return (source, target) => {
    let index = 0
    for (let x = 0; x < width; x++) {
      const pixel = bitsPerPixel === 16 ? view.getUint16(source + x * 2, true) : view.getUint32(source + x * 4, true)
      for (const { shift, limit, values } of masks) target[index++] = values[(pixel >>> shift) & limit]!
    }
  }
}

/** RLE4 and RLE8 ([MS-WMF] 3.1.6.4). Skipped pixels keep palette colour 0. */
function readRunLengths(
  bytes: Uint8Array,
  header: BitmapHeader,
  start: number,
  maxPixels: number,
  format: string,
): Raster & { data: Uint8Array } {
  const { width, height, palette } = header
  const raster = createRaster(width, height, 3, 8, maxPixels)
  const nibbles = header.coding === 'rle4'
  const indices = new Uint8Array(width * height)
  let [x, row, at] = [0, 0, start]
  const put = (index: number): void => {
    if (x >= width || row >= height) throw damaged(`The ${format} file has coded pixels outside of the picture`)
    indices[(header.topDown ? row : height - 1 - row) * width + x++] = index
  }
  const half = (byte: number, position: number): number => (!nibbles ? byte : position % 2 ? byte & 15 : byte >> 4)
  for (;;) {
    if (at + 2 > bytes.length) {
      // The end marker may be missing if all rows are present.
      if (row >= height || (row === height - 1 && x >= width)) break
      throw pixelsMissing(format, row * width + x, width * height)
    }
    const count = bytes[at++]!
    const value = bytes[at++]!
    if (count > 0) for (let index = 0; index < count && x < width; index++) put(half(value, index))
    else if (value === 0) [x, row] = [0, row + 1]
    else if (value === 1) break
    else if (value === 2) {
      if (at + 2 > bytes.length) throw pixelsMissing(format, row * width + x, width * height)
      x += bytes[at++]!
      row += bytes[at++]!
      if (x > width || row > height) throw damaged(`The ${format} file skips to a place outside of the picture`)
    } else {
      const length = nibbles ? Math.ceil(value / 2) : value
      if (at + length > bytes.length) throw pixelsMissing(format, row * width + x, width * height)
      for (let index = 0; index < value && x < width; index++) {
        put(half(bytes[at + (nibbles ? index >> 1 : index)]!, index))
      }
      at += length + (length % 2)
    }
  }
  for (let pixel = 0; pixel < indices.length; pixel++) {
    const colour = indices[pixel]! * 3
    for (let channel = 0; channel < 3; channel++) raster.data[pixel * 3 + channel] = palette[colour + channel]!
  }
  return raster
}
