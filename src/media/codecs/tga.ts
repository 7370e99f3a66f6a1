import { dropAlpha, expandGrey, hasUniformAlpha, reorder, toEightBit, unpremultiply } from './convert.ts'
import { beyondFormat, damaged, pixelsMissing, requireBytes, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

const HEADER = 18
/** Offset of the extension area (4 bytes), of the developer area (4), then the version 2 signature. */
const FOOTER = Buffer.from('\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0', 'latin1')
/** Offset of the field "attributes type" in the extension area; 4 means premultiplied alpha. */
const ATTRIBUTES_TYPE = 494

/** The pixels of the file in order, without run-length encoding. */
function expandPackets(bytes: Uint8Array, start: number, pixels: number, step: number): Uint8Array {
  const result = new Uint8Array(pixels * step)
  let [at, target] = [start, 0]
  while (target < result.length) {
    const packet = bytes[at++]
    const length = ((packet ?? 0) & 127) + 1
    const isRun = (packet ?? 0) > 127
    const stored = isRun ? step : length * step
    if (packet === undefined || at + stored > bytes.length) throw pixelsMissing('TGA', target / step, pixels)
    if (target + length * step > result.length) throw damaged('The TGA file has coded pixels beyond its last row')
    for (let index = 0; index < length * step; index++) {
      result[target++] = bytes[at + (isRun ? index % step : index)]!
    }
    at += stored
  }
  return result
}

/** Converts a colour of 15, 16, 24 or 32 bits (blue first) to red, green, blue and, with four channels, alpha. */
function putColour(
  source: Uint8Array,
  at: number,
  bits: number,
  target: Uint8Array,
  index: number,
  channels: number,
): void {
  if (bits > 16) {
    target[index] = source[at + 2]!
    target[index + 1] = source[at + 1]!
    target[index + 2] = source[at]!
    if (channels === 4) target[index + 3] = source[at + 3]!
    return
  }
  const value = source[at]! | (source[at + 1]! << 8)
  for (let channel = 0; channel < 3; channel++) {
    target[index + channel] = Math.round((((value >> (10 - channel * 5)) & 31) * 255) / 31)
  }
  if (channels === 4) target[index + 3] = value & 0x8000 ? 255 : 0
}

function hasPremultipliedAlpha(bytes: Uint8Array): boolean {
  const footer = bytes.length - FOOTER.length
  if (footer < HEADER || !FOOTER.subarray(8).every((byte, index) => bytes[footer + 8 + index] === byte)) return false
  const extension = viewOf(bytes).getUint32(footer, true)
  return extension > 0 && bytes[extension + ATTRIBUTES_TYPE] === 4
}

/** Rejects combinations that TGA 2.0 does not define. */
function checkKind(imageType: number, bits: number, mapType: number, mapBits: number): void {
  const kind = imageType & ~8
  if (![1, 2, 3].includes(kind) || imageType > 11) throw damaged(`The TGA file declares the image type ${imageType}`)
  const allowed = kind === 2 ? [15, 16, 24, 32] : [8, 16]
  if (!allowed.includes(bits)) throw damaged(`The TGA file declares ${bits} bits per pixel for image type ${imageType}`)
  if (kind === 1 && (mapType !== 1 || ![15, 16, 24, 32].includes(mapBits))) {
    throw damaged(`The TGA file needs a colour map and declares one of ${mapBits} bits per colour`)
  }
}

/**
 * Decodes a TGA file: colour-mapped, direct or grey, raw or run-length encoded, 8 to 32 bits, any origin. Alpha is used
 * if the header declares alpha bits and not all of it is 0 (as careless writers leave it).
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED
 */
export function decodeTga(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'TGA')
  const view = viewOf(bytes)
  const [idLength, mapType, imageType] = [bytes[0]!, bytes[1]!, bytes[2]!]
  const [mapFirst, mapLength, mapBits] = [view.getUint16(3, true), view.getUint16(5, true), bytes[7]!]
  const [width, height] = [view.getUint16(12, true), view.getUint16(14, true)]
  const [bits, descriptor] = [bytes[16]!, bytes[17]!]
  checkKind(imageType, bits, mapType, mapBits)
  checkRasterSize(width, height, 4, 8, maxPixels)
  const kind = imageType & ~8
  const mapStep = mapType === 1 ? Math.ceil(mapBits / 8) : 0
  const map = HEADER + idLength
  const start = map + mapLength * mapStep
  requireBytes(bytes, start, 'TGA')
  const step = Math.ceil(bits / 8)
  const isCoded = imageType >= 9
  // A packet holds at most 128 pixels, so an image that is far too large for its file is rejected without allocating
  // memory.
  const least = isCoded ? Math.ceil((width * height) / 128) * (1 + step) : width * height * step
  requireBytes(bytes, start + least, 'TGA')
  const pixels = isCoded ? expandPackets(bytes, start, width * height, step) : bytes.subarray(start)

  const colourBits = kind === 1 ? mapBits : bits
  const declaresAlpha = (descriptor & 15) > 0 && (colourBits === 32 || colourBits === 16)
  const channels = kind === 3 ? (bits === 16 ? 2 : 1) : declaresAlpha ? 4 : 3
  const raster = createRaster(width, height, channels, 8, maxPixels)
  const { data } = raster
  if (kind === 3) data.set(pixels.subarray(0, data.length))
  else {
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (kind === 2) putColour(pixels, pixel * step, bits, data, pixel * channels, channels)
      else {
        const index = (step === 2 ? pixels[pixel * 2]! | (pixels[pixel * 2 + 1]! << 8) : pixels[pixel]!) - mapFirst
        if (index < 0 || index >= mapLength) {
          throw damaged(`The TGA file uses colour ${index + mapFirst} of a map of ${mapLength} colours`)
        }
        putColour(bytes, map + index * mapStep, mapBits, data, pixel * channels, channels)
      }
    }
  }
  if (channels === 4 && hasPremultipliedAlpha(bytes)) unpremultiply(raster)
  const order = { transposed: false, fromRight: (descriptor & 16) !== 0, fromBottom: (descriptor & 32) === 0 }
  const upright = reorder(raster, order)
  return hasUniformAlpha(upright, 0) ? dropAlpha(upright) : upright
}

export interface TgaOptions {
  /** Run-length encoding; true when absent. */
  compress?: boolean
}

/**
 * Encodes a TGA 2.0 file: 24 bits per pixel, or 32 with alpha, rows from the top. Higher bit depths become 8 bits.
 * @throws TARGET_UNREACHABLE for a side over 65535 pixels
 */
export function encodeTga(source: Raster, { compress = true }: TgaOptions = {}): Uint8Array {
  const { width, height, channels, data } = expandGrey(toEightBit(source))
  if (width > 65535 || height > 65535) {
    const sentence = `A TGA picture has at most 65535 pixels on a side, this one has ${width} × ${height}`
    throw beyondFormat(sentence, 'Resize it first, or use PNG.')
  }
  const stored = new Uint8Array(data.length)
  for (let index = 0; index < data.length; index += channels) {
    stored[index] = data[index + 2]!
    stored[index + 1] = data[index + 1]!
    stored[index + 2] = data[index]!
    if (channels === 4) stored[index + 3] = data[index + 3]!
  }
  const header = new Uint8Array(HEADER)
  const view = viewOf(header)
  header[2] = compress ? 10 : 2
  view.setUint16(12, width, true)
  view.setUint16(14, height, true)
  header[16] = channels * 8
  header[17] = 0x20 | (channels === 4 ? 8 : 0)
  const body = compress ? packRows(stored, width, height, channels) : stored
  const file = new Uint8Array(HEADER + body.length + FOOTER.length)
  file.set(header)
  file.set(body, HEADER)
  file.set(FOOTER, HEADER + body.length)
  return file
}

/** Run-length packets that never cross rows, as version 2 requires. */
function packRows(pixels: Uint8Array, width: number, height: number, step: number): Uint8Array {
  const packed = new Uint8Array(pixels.length + Math.ceil(width / 128) * height)
  let target = 0
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * width * step, (y + 1) * width * step)
    const same = (x: number): boolean => {
      if (x + 1 >= width) return false
      for (let index = x * step; index < (x + 1) * step; index++) if (row[index] !== row[index + step]) return false
      return true
    }
    for (let x = 0; x < width; ) {
      let end = x + 1
      const isRun = same(x)
      if (isRun) while (end - x < 128 && same(end - 1)) end++
      else while (end < width && end - x < 128 && !same(end)) end++
      packed[target++] = (isRun ? 128 : 0) | (end - x - 1)
      const stored = row.subarray(x * step, isRun ? (x + 1) * step : end * step)
      packed.set(stored, target)
      target += stored.length
      x = end
    }
  }
  return packed.subarray(0, target)
}
