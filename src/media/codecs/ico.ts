import { type BitmapHeader, readBitmapHeader } from './bmp/bmp-header.ts'
import { readBitmapPixels } from './bmp/bmp-pixels.ts'
import { dropAlpha, hasUniformAlpha } from './convert.ts'
import { beyondFormat, damaged, requireBytes, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** The image chosen from an icon: pixels, or an embedded PNG file. */
export type IconPicture = Raster | { png: Uint8Array }

interface Entry {
  width: number
  height: number
  bits: number
  bytes: Uint8Array
  isPng: boolean
}

const PNG_MARK = Buffer.from('89504e470d0a1a0a', 'hex')
/** Bits per pixel by the colour type of a PNG header, for one-bit samples. */
const PNG_SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function readEntry(bytes: Uint8Array, at: number): Entry {
  const view = viewOf(bytes)
  const size = view.getUint32(at + 8, true)
  const start = view.getUint32(at + 12, true)
  requireBytes(bytes, start + size, 'icon')
  const body = bytes.subarray(start, start + size)
  if (body.length >= 26 && PNG_MARK.every((byte, index) => body[index] === byte)) {
    const png = viewOf(body)
    const bits = body[24]! * (PNG_SAMPLES[body[25]!] ?? 1)
    return { width: png.getUint32(16), height: png.getUint32(20), bits, bytes: body, isPng: true }
  }
  const header = readBitmapHeader(body, 0, 'icon')
  return { width: header.width, height: header.height / 2, bits: header.bitsPerPixel, bytes: body, isPng: false }
}

/** The one-bit mask after the colours: 1 is transparent. Some 32-bit icons omit it. */
function applyMask(raster: Raster & { data: Uint8Array }, bytes: Uint8Array, start: number): Raster {
  const { width, height, channels, data } = raster
  const rowBytes = Math.ceil(width / 32) * 4
  if (channels === 4 && bytes.length < start + rowBytes * height) return dropAlpha(raster)
  requireBytes(bytes, start + rowBytes * (height - 1) + Math.ceil(width / 8), 'icon')
  const result = createRaster(width, height, 4, 8, 0)
  for (let y = 0; y < height; y++) {
    const maskRow = start + (height - 1 - y) * rowBytes
    for (let x = 0; x < width; x++) {
      const pixel = y * width + x
      result.data.set(data.subarray(pixel * channels, pixel * channels + 3), pixel * 4)
      result.data[pixel * 4 + 3] = (bytes[maskRow + (x >> 3)]! >> (7 - (x & 7))) & 1 ? 0 : 255
    }
  }
  return hasUniformAlpha(result, 255) ? dropAlpha(result) : result
}

function decodeBitmap(bytes: Uint8Array, maxPixels: number): Raster {
  const stored = readBitmapHeader(bytes, 0, 'icon')
  // The stored height includes both colours and mask.
  const header: BitmapHeader = { ...stored, height: Math.floor(stored.height / 2) }
  if (header.coding !== 'plain') throw damaged('The icon holds a run-length coded bitmap, which icons cannot have')
  const raster = readBitmapPixels(bytes, header, header.end, maxPixels, 'icon')
  const hasAlpha = raster.channels === 4 && !hasUniformAlpha(raster, 0)
  if (hasAlpha) return raster
  const colourBytes = Math.ceil((header.width * header.bitsPerPixel) / 32) * 4 * header.height
  return applyMask(raster, bytes, header.end + colourBytes)
}

/**
 * Returns the largest image of an icon (ICO) or cursor (CUR); for equal sizes, the one with most bits per pixel. Stored
 * alpha is used if present; otherwise the mask becomes alpha.
 * @throws INVALID_FILE when damaged or when any of the images is truncated, LIMIT_EXCEEDED
 */
export function decodeIco(bytes: Uint8Array, maxPixels: number): IconPicture {
  requireBytes(bytes, 6, 'icon')
  const view = viewOf(bytes)
  const kind = view.getUint16(2, true)
  const count = view.getUint16(4, true)
  if (view.getUint16(0, true) !== 0 || (kind !== 1 && kind !== 2)) throw damaged('The file is not an icon or a cursor')
  if (count === 0) throw damaged('The icon holds no picture')
  requireBytes(bytes, 6 + count * 16, 'icon')
  const entries = Array.from({ length: count }, (_, index) => readEntry(bytes, 6 + index * 16))
  const best = entries.reduce((chosen, entry) => {
    const difference = entry.width * entry.height - chosen.width * chosen.height
    return difference > 0 || (difference === 0 && entry.bits > chosen.bits) ? entry : chosen
  })
  if (!best.isPng) return decodeBitmap(best.bytes, maxPixels)
  checkRasterSize(best.width, best.height, 4, 8, maxPixels)
  return { png: best.bytes }
}

/** One image of an icon: a complete PNG file and its size, at most 256 × 256. */
export interface IconSource {
  png: Uint8Array
  width: number
  height: number
}

/**
 * Encodes an icon file that contains the PNG files unchanged, in the given order.
 * @throws TARGET_UNREACHABLE without images, or for an image larger than 256 × 256
 */
export function encodeIco(pictures: IconSource[]): Uint8Array {
  if (pictures.length === 0) throw beyondFormat('An icon needs at least one picture', 'Name at least one size.')
  const headers = 6 + pictures.length * 16
  const file = new Uint8Array(pictures.reduce((size, { png }) => size + png.length, headers))
  const view = viewOf(file)
  view.setUint16(2, 1, true)
  view.setUint16(4, pictures.length, true)
  let start = headers
  pictures.forEach(({ png, width, height }, index) => {
    if (width > 256 || height > 256) {
      const sentence = `A picture of an icon has at most 256 × 256 pixels, this one has ${width} × ${height}`
      throw beyondFormat(sentence, 'Resize it to 256 × 256 or smaller first.')
    }
    const at = 6 + index * 16
    // A stored 0 means 256.
    file[at] = width & 255
    file[at + 1] = height & 255
    view.setUint16(at + 4, 1, true)
    view.setUint16(at + 6, 32, true)
    view.setUint32(at + 8, png.length, true)
    view.setUint32(at + 12, start, true)
    file.set(png, start)
    start += png.length
  })
  return file
}
