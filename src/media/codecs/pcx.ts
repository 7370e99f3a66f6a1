import { damaged, requireBytes, unsupportedVariant, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

const HEADER = 128
const PALETTE_MARK = 0x0c
const PALETTE_BYTES = 768

/** Unpacks the rows of all planes: two high bits mark a count of 1 to 63. */
function unpackRows(bytes: Uint8Array, length: number, isPacked: boolean): Uint8Array {
  if (!isPacked) {
    requireBytes(bytes, HEADER + length, 'PCX')
    return bytes.subarray(HEADER, HEADER + length)
  }
  // Two bytes encode at most a run of 63: a size that the file cannot hold is rejected before memory is allocated.
  requireBytes(bytes, HEADER + Math.ceil(length / 63), 'PCX')
  const rows = new Uint8Array(length)
  let at = HEADER
  for (let to = 0; to < length; ) {
    if (at >= bytes.length) throw damaged(`The PCX file is cut off: it has ${to} of ${length} bytes of pixels`)
    const first = bytes[at++]!
    const isRun = first >= 0xc0
    const count = isRun ? first & 0x3f : 1
    const value = isRun ? (bytes[at++] ?? 0) : first
    rows.fill(value, to, Math.min(length, to + count))
    to += count
  }
  return rows
}

/** Red, green and blue for every index; without a palette in the file, shades of grey. */
function paletteOf(bytes: Uint8Array, bits: number): Uint8Array {
  const at = bytes.length - PALETTE_BYTES
  if (bits === 8 && at > HEADER && bytes[at - 1] === PALETTE_MARK) return bytes.subarray(at)
  if (bits === 8) return Uint8Array.from({ length: PALETTE_BYTES }, (_, index) => Math.floor(index / 3))
  const colours = bytes.subarray(16, 64)
  // One bit is black and white whatever the palette says, because most writers leave it empty.
  return bits === 1 ? Uint8Array.from([0, 0, 0, 255, 255, 255]) : colours
}

/**
 * Decodes a PCX image (ZSoft, versions 0 to 5): 1, 2, 4 and 8 bits in one plane, 1 bit in up to four, 8 bits in three
 * or four.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE
 */
export function decodePcx(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'PCX')
  const view = viewOf(bytes)
  const [bits, planes, stride] = [bytes[3]!, bytes[65]!, view.getUint16(66, true)]
  const width = view.getUint16(8, true) - view.getUint16(4, true) + 1
  const height = view.getUint16(10, true) - view.getUint16(6, true) + 1
  const isDirect = bits === 8 && planes > 1
  const depth = bits * planes
  const isKnown = isDirect ? planes === 3 || planes === 4 : planes === 1 ? [1, 2, 4, 8].includes(bits) : bits === 1
  if (!isKnown || planes > 4 || planes < 1)
    throw unsupportedVariant(`The PCX file has ${planes} planes of ${bits} bits, which are not supported`)
  checkRasterSize(width, height, isDirect ? planes : 3, 8, maxPixels)
  if (stride * 8 < width * bits) throw damaged('The PCX file declares rows that are shorter than the picture')
  const rows = unpackRows(bytes, stride * planes * height, bytes[2] === 1)
  const raster = createRaster(width, height, isDirect && planes === 4 ? 4 : 3, 8, maxPixels)
  const palette = paletteOf(bytes, depth)
  const sample = (plane: number, x: number, y: number): number => {
    const bit = x * bits
    const byte = rows[(y * planes + plane) * stride + (bit >> 3)]!
    return (byte >> (8 - bits - (bit & 7))) & ((1 << bits) - 1)
  }
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (isDirect) for (let plane = 0; plane < planes; plane += 1) raster.data[to++] = sample(plane, x, y)
      else {
        let number = 0
        for (let plane = 0; plane < planes; plane += 1) number |= sample(plane, x, y) << (planes === 1 ? 0 : plane)
        for (let channel = 0; channel < 3; channel += 1) raster.data[to++] = palette[number * 3 + channel] ?? 0
      }
    }
  return raster
}
