import { expandGrey, toEightBit } from './convert.ts'
import { damaged, pixelsMissing, requireBytes, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** The Quite OK Image format, specification 1.0 of 2022 (qoiformat.org). */
const HEADER = 14
const END = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1)
/** One byte of the file encodes at most a run of 62 pixels. */
const PIXELS_PER_BYTE = 62

const OP_INDEX = 0x00
const OP_DIFF = 0x40
const OP_LUMA = 0x80
const OP_RUN = 0xc0
const OP_RGB = 0xfe
const OP_RGBA = 0xff

function slotOf(red: number, green: number, blue: number, alpha: number): number {
  return ((red * 3 + green * 5 + blue * 7 + alpha * 11) & 63) * 4
}

/**
 * Decodes a QOI file to 8-bit RGB or RGBA, as its header specifies.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED
 */
export function decodeQoi(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'QOI')
  const view = viewOf(bytes)
  if (view.getUint32(0) !== 0x716f6966) throw damaged('The file is not a QOI picture: it does not begin with qoif')
  const [width, height, channels] = [view.getUint32(4), view.getUint32(8), bytes[12]!]
  if (channels !== 3 && channels !== 4) throw damaged(`The QOI file declares ${channels} channels`)
  checkRasterSize(width, height, channels, 8, maxPixels)
  const most = Math.max(0, bytes.length - HEADER) * PIXELS_PER_BYTE
  if (most < width * height) throw pixelsMissing('QOI', most, width * height)
  const raster = createRaster(width, height, channels, 8, maxPixels)
  const { data } = raster
  const seen = new Uint8Array(64 * 4)
  let [red, green, blue, alpha, run, at] = [0, 0, 0, 255, 0, HEADER]
  for (let target = 0; target < data.length; target += channels) {
    if (run > 0) run--
    else {
      const code = bytes[at++]
      if (code === undefined || at + operands(code) > bytes.length) {
        throw pixelsMissing('QOI', target / channels, width * height)
      }
      if (code >= OP_RGB) {
        red = bytes[at++]!
        green = bytes[at++]!
        blue = bytes[at++]!
        if (code === OP_RGBA) alpha = bytes[at++]!
      } else if (code >= OP_RUN) run = code & 63
      else if (code >= OP_LUMA) {
        const pair = bytes[at++]!
        const change = (code & 63) - 32
        red = (red + change - 8 + (pair >> 4)) & 255
        green = (green + change) & 255
        blue = (blue + change - 8 + (pair & 15)) & 255
      } else if (code >= OP_DIFF) {
        red = (red + ((code >> 4) & 3) - 2) & 255
        green = (green + ((code >> 2) & 3) - 2) & 255
        blue = (blue + (code & 3) - 2) & 255
      } else {
        const slot = code * 4
        red = seen[slot]!
        green = seen[slot + 1]!
        blue = seen[slot + 2]!
        alpha = seen[slot + 3]!
      }
      const slot = slotOf(red, green, blue, alpha)
      seen[slot] = red
      seen[slot + 1] = green
      seen[slot + 2] = blue
      seen[slot + 3] = alpha
    }
    data[target] = red
    data[target + 1] = green
    data[target + 2] = blue
    if (channels === 4) data[target + 3] = alpha
  }
  return raster
}

/** The number of bytes that follow the first byte of an operation. */
function operands(code: number): number {
  if (code === OP_RGBA) return 4
  if (code === OP_RGB) return 3
  return code >= OP_LUMA && code < OP_RUN ? 1 : 0
}

/** Encodes a QOI file: RGB, or RGBA with alpha, marked as sRGB. Grey becomes RGB, higher bit depths become 8 bits. */
export function encodeQoi(source: Raster): Uint8Array {
  const { width, height, channels, data } = expandGrey(toEightBit(source))
  const file = new Uint8Array(HEADER + width * height * (channels + 1) + END.length)
  const view = viewOf(file)
  view.setUint32(0, 0x716f6966)
  view.setUint32(4, width)
  view.setUint32(8, height)
  file[12] = channels
  const seen = new Uint8Array(64 * 4)
  let [red, green, blue, alpha, run, at] = [0, 0, 0, 255, 0, HEADER]
  for (let index = 0; index < data.length; index += channels) {
    const [nextRed, nextGreen, nextBlue] = [data[index]!, data[index + 1]!, data[index + 2]!]
    const nextAlpha = channels === 4 ? data[index + 3]! : 255
    if (nextRed === red && nextGreen === green && nextBlue === blue && nextAlpha === alpha) {
      run++
      if (run === PIXELS_PER_BYTE) {
        file[at++] = OP_RUN | (run - 1)
        run = 0
      }
      continue
    }
    if (run > 0) file[at++] = OP_RUN | (run - 1)
    run = 0
    const slot = slotOf(nextRed, nextGreen, nextBlue, nextAlpha)
    const isSeen =
      seen[slot] === nextRed &&
      seen[slot + 1] === nextGreen &&
      seen[slot + 2] === nextBlue &&
      seen[slot + 3] === nextAlpha
    if (isSeen) file[at++] = OP_INDEX | (slot / 4)
    else {
      seen[slot] = nextRed
      seen[slot + 1] = nextGreen
      seen[slot + 2] = nextBlue
      seen[slot + 3] = nextAlpha
      // Differences wrap around, as signed bytes.
      const dr = ((nextRed - red) << 24) >> 24
      const dg = ((nextGreen - green) << 24) >> 24
      const db = ((nextBlue - blue) << 24) >> 24
      const [rg, bg] = [dr - dg, db - dg]
      if (nextAlpha !== alpha) {
        file.set([OP_RGBA, nextRed, nextGreen, nextBlue, nextAlpha], at)
        at += 5
      } else if (dr >= -2 && dr <= 1 && dg >= -2 && dg <= 1 && db >= -2 && db <= 1) {
        file[at++] = OP_DIFF | ((dr + 2) << 4) | ((dg + 2) << 2) | (db + 2)
      } else if (dg >= -32 && dg <= 31 && rg >= -8 && rg <= 7 && bg >= -8 && bg <= 7) {
        file[at++] = OP_LUMA | (dg + 32)
        file[at++] = ((rg + 8) << 4) | (bg + 8)
      } else {
        file.set([OP_RGB, nextRed, nextGreen, nextBlue], at)
        at += 4
      }
    }
    red = nextRed
    green = nextGreen
    blue = nextBlue
    alpha = nextAlpha
  }
  if (run > 0) file[at++] = OP_RUN | (run - 1)
  file.set(END, at)
  return file.subarray(0, at + END.length)
}
