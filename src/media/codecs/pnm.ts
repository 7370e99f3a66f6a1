import { expandGrey, flattenOnWhite, toEightBit } from './convert.ts'
import { damaged, pixelsMissing, requireBytes, unsupportedVariant, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

interface PnmHeader {
  width: number
  height: number
  channels: Raster['channels']
  /** Value of white, 1 to 65535. */
  most: number
  start: number
  coding: 'ascii' | 'bytes' | 'bits'
  /** Bitmaps: 1 is black. */
  inverted: boolean
}

const SPACE = new Set([9, 10, 11, 12, 13, 32])

/** Parses numbers in text, separated by white space and by comments that run from # to the end of the line. */
class NumberReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  /** The next number; a single digit when `digits` is 1. `undefined` at the end of the file. */
  next(digits = 9): number | undefined {
    const { bytes } = this
    for (;;) {
      if (bytes[this.at] === 0x23) while (this.at < bytes.length && bytes[this.at] !== 10) this.at++
      else if (SPACE.has(bytes[this.at]!)) this.at++
      else break
    }
    if (this.at >= bytes.length) return undefined
    let value = 0
    const start = this.at
    while (this.at - start < digits && bytes[this.at]! >= 48 && bytes[this.at]! <= 57) {
      value = value * 10 + bytes[this.at++]! - 48
    }
    if (this.at === start) throw damaged(`The netpbm file has no number where one belongs, at byte ${start}`)
    return value
  }
}

function readHeader(bytes: Uint8Array): PnmHeader {
  requireBytes(bytes, 3, 'netpbm')
  const kind = bytes[0] === 0x50 ? bytes[1]! - 48 : 0
  if (kind === 7) return readPamHeader(bytes)
  if (kind < 1 || kind > 6) throw damaged('The file is not a netpbm picture: it does not begin with P1 to P7')
  const numbers = new NumberReader(bytes, 2)
  const required = (): number => {
    const value = numbers.next()
    if (value === undefined) throw damaged('The header of the netpbm file is cut off')
    return value
  }
  const [width, height] = [required(), required()]
  const isBitmap = kind === 1 || kind === 4
  const most = isBitmap ? 1 : required()
  const coding = kind <= 3 ? 'ascii' : kind === 4 ? 'bits' : 'bytes'
  // Exactly one white-space character precedes binary pixels.
  const start = numbers.at + (coding === 'ascii' ? 0 : 1)
  return { width, height, channels: kind % 3 === 0 ? 3 : 1, most, start, coding, inverted: isBitmap }
}

function readPamHeader(bytes: Uint8Array): PnmHeader {
  const text = Buffer.from(bytes.subarray(0, 64 * 1024)).toString('latin1')
  const end = /^ENDHDR[ \t\r]*\n/m.exec(text)
  if (!end) throw damaged('The header of the PAM file is cut off')
  const fields = new Map<string, string>()
  for (const line of text.slice(2, end.index).split('\n')) {
    const [name, value] = line.trim().split(/\s+/, 2)
    if (name && value && !name.startsWith('#')) fields.set(name, value)
  }
  const numberOf = (name: string): number => {
    const value = fields.get(name) ?? ''
    if (!/^\d{1,9}$/.test(value)) throw damaged(`The PAM file does not state its ${name}`)
    return Number(value)
  }
  const channels = numberOf('DEPTH')
  if (channels < 1) throw damaged('The PAM file declares 0 channels')
  if (channels > 4) throw unsupportedVariant(`The PAM file has ${channels} channels; at most 4 are supported`)
  return {
    width: numberOf('WIDTH'),
    height: numberOf('HEIGHT'),
    channels: channels as Raster['channels'],
    most: numberOf('MAXVAL'),
    start: end.index + end[0].length,
    coding: 'bytes',
    inverted: false,
  }
}

/**
 * Decodes a netpbm image: PBM, PGM, PPM (text and binary) and PAM. Up to 255 levels give 8 bits per sample, more give
 * 16, scaled to the full range. Only the first of several images is read; samples above the stated maximum are clamped.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED
 */
export function decodePnm(bytes: Uint8Array, maxPixels: number): Raster {
  const header = readHeader(bytes)
  const { width, height, channels, most, start, coding, inverted } = header
  if (most < 1 || most > 65535)
    throw damaged(`The netpbm file declares ${most} as its largest sample; 1 to 65535 can be`)
  const depth = most > 255 ? 16 : 8
  const samples = checkRasterSize(width, height, channels, depth, maxPixels)
  if (coding === 'bits') requireBytes(bytes, start + Math.ceil(width / 8) * height, 'netpbm')
  else if (coding === 'bytes') requireBytes(bytes, start + samples * (depth / 8), 'netpbm')
  // Text needs a digit per sample and a space in between (optional for bitmaps).
  else requireBytes(bytes, start + (inverted ? samples : samples * 2 - 1), 'netpbm')
  const raster = createRaster(width, height, channels, depth, maxPixels)
  const { data } = raster
  const white = depth === 16 ? 65535 : 255
  const levels = Float64Array.from({ length: most + 1 }, (_, value) => Math.round((value * white) / most))
  if (inverted) levels.reverse()
  if (coding === 'bits') {
    const rowBytes = Math.ceil(width / 8)
    for (let index = 0; index < data.length; index++) {
      const [x, y] = [index % width, Math.floor(index / width)]
      data[index] = levels[(bytes[start + y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1]!
    }
  } else if (coding === 'bytes') {
    const view = viewOf(bytes)
    for (let index = 0; index < data.length; index++) {
      const value = depth === 16 ? view.getUint16(start + index * 2) : bytes[start + index]!
      data[index] = levels[Math.min(value, most)]!
    }
  } else {
    const numbers = new NumberReader(bytes, start)
    for (let index = 0; index < data.length; index++) {
      const value = numbers.next(inverted ? 1 : 9)
      if (value === undefined) throw pixelsMissing('netpbm', Math.floor(index / channels), width * height)
      data[index] = levels[Math.min(value, most)]!
    }
  }
  return raster
}

export interface PnmOptions {
  /** `ppm` stores grey as colour too; `auto` (the default) writes PGM for grey and PPM for colour. */
  kind?: 'auto' | 'ppm'
}

/**
 * Encodes a binary PPM (P6) or PGM (P5) of 8 or 16 bits per sample. Alpha is flattened onto white; floating point is
 * tone-mapped.
 */
export function encodePnm(source: Raster, { kind = 'auto' }: PnmOptions = {}): Uint8Array {
  const flat = flattenOnWhite(source.depth === 32 ? toEightBit(source) : source)
  const { width, height, channels, depth, data } = kind === 'ppm' ? expandGrey(flat) : flat
  const most = depth === 16 ? 65535 : 255
  const header = Buffer.from(`P${channels === 1 ? 5 : 6}\n${width} ${height}\n${most}\n`, 'latin1')
  const file = new Uint8Array(header.length + data.length * (depth / 8))
  file.set(header)
  if (depth === 8) file.set(data, header.length)
  else {
    const view = viewOf(file)
    for (let index = 0; index < data.length; index++) view.setUint16(header.length + index * 2, data[index]!)
  }
  return file
}
