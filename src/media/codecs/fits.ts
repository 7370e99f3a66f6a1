import { reorder } from './convert.ts'
import { damaged, requireBytes, unsupportedVariant, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** A FITS file consists of blocks of 2880 bytes; header cards have 80 characters (FITS 4.0, 3.1). */
const BLOCK = 2880
const CARD = 80

type Cards = Map<string, string>

/** The cards of the header at `start`, and the offset of its data. */
function readHeader(bytes: Uint8Array, start: number): { cards: Cards; dataStart: number } {
  const cards: Cards = new Map()
  for (let at = start; at + CARD <= bytes.length; at += CARD) {
    const card = Buffer.from(bytes.subarray(at, at + CARD)).toString('latin1')
    const name = card.slice(0, 8).trim()
    if (name === 'END') return { cards, dataStart: start + Math.ceil((at + CARD - start) / BLOCK) * BLOCK }
    const value = card.startsWith('= ', 8) ? (/^\s*('(?:[^']|'')*'|[^/]*)/.exec(card.slice(10))?.[1] ?? '') : ''
    if (value && !cards.has(name)) cards.set(name, value.trim())
  }
  throw damaged('The header of the FITS file is cut off: it has no END card')
}

function numberOf(cards: Cards, name: string, fallback?: number): number {
  const text = cards.get(name)
  // FITS allows Fortran's exponent letter D.
  const value = text === undefined ? fallback : Number(text.replace(/[dD]/, 'e'))
  if (value === undefined || !Number.isFinite(value)) throw damaged(`The FITS file does not state ${name} as a number`)
  return value
}

/** Reads the sample at a byte offset, by BITPIX; always big-endian. */
function sampleReader(view: DataView, bits: number): (at: number) => number {
  switch (bits) {
    case 8:
      return (at) => view.getUint8(at)
    case 16:
      return (at) => view.getInt16(at)
    case 32:
      return (at) => view.getInt32(at)
    case 64:
      return (at) => Number(view.getBigInt64(at))
    case -32:
      return (at) => view.getFloat32(at)
    case -64:
      return (at) => view.getFloat64(at)
    default:
      throw damaged(`The FITS file declares ${bits} as its BITPIX`)
  }
}

function axesOf(cards: Cards): number[] {
  const count = numberOf(cards, 'NAXIS')
  if (!Number.isInteger(count) || count < 0 || count > 999) throw damaged(`The FITS file declares ${count} axes`)
  return Array.from({ length: count }, (_, index) => numberOf(cards, `NAXIS${index + 1}`))
}

/** The lengths of the axes of an image: its width, its height, and possibly more. */
type Axes = readonly [width: number, height: number, ...others: number[]]

/** The first header whose data is an image: the primary one, or an extension of type IMAGE. */
function findPicture(bytes: Uint8Array): { cards: Cards; dataStart: number; axes: Axes } {
  requireBytes(bytes, CARD, 'FITS')
  for (let start = 0; start < bytes.length; ) {
    const { cards, dataStart } = readHeader(bytes, start)
    if (start === 0 && !cards.has('SIMPLE')) throw damaged('The file is not a FITS file: it does not begin with SIMPLE')
    const axes = axesOf(cards)
    const isImage = start === 0 || /^'IMAGE\s*'/.test(cards.get('XTENSION') ?? '')
    const [width, height, ...others] = axes
    if (isImage && width !== undefined && height !== undefined)
      return { cards, dataStart, axes: [width, height, ...others] }
    const elements = axes.length === 0 ? 0 : axes.reduce((product, length) => product * length, 1)
    const groups = numberOf(cards, 'GCOUNT', 1) * (numberOf(cards, 'PCOUNT', 0) + elements)
    const size = (Math.abs(numberOf(cards, 'BITPIX')) / 8) * groups
    if (!(size >= 0)) throw damaged('The FITS file declares a negative size')
    start = dataStart + Math.ceil(size / BLOCK) * BLOCK
  }
  throw unsupportedVariant('The FITS file holds no plain picture')
}

/**
 * Decodes the first image of a FITS file, scaled so that its smallest physical value (BZERO + BSCALE × sample) becomes
 * 0 and its largest 65535; undefined samples (BLANK, NaN) become 0. Grey, or RGB when the third axis has length 3; for
 * other cubes, the first plane. FITS counts rows from the bottom; the result starts at the top.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for tables and tiled
 * compression
 */
export function decodeFits(bytes: Uint8Array, maxPixels: number): Raster {
  const { cards, dataStart, axes } = findPicture(bytes)
  const [width, height, depth] = axes
  const planes = depth === 3 ? 3 : 1
  const bits = numberOf(cards, 'BITPIX')
  const read = sampleReader(viewOf(bytes), bits)
  const step = Math.abs(bits) / 8
  checkRasterSize(width, height, planes, 16, maxPixels)
  const area = width * height
  requireBytes(bytes, dataStart + area * planes * step, 'FITS')
  const [zero, scale] = [numberOf(cards, 'BZERO', 0), numberOf(cards, 'BSCALE', 1)]
  const blank = bits > 0 && cards.has('BLANK') ? numberOf(cards, 'BLANK') : Number.NaN
  const valueAt = (index: number): number => {
    const sample = read(dataStart + index * step)
    return sample === blank ? Number.NaN : zero + scale * sample
  }
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = 0; index < area * planes; index++) {
    const value = valueAt(index)
    if (!Number.isFinite(value)) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const raster = createRaster(width, height, planes, 16, maxPixels)
  const factor = most > least ? 65535 / (most - least) : 0
  for (let plane = 0; plane < planes; plane++) {
    for (let pixel = 0; pixel < area; pixel++) {
      const level = (valueAt(plane * area + pixel) - least) * factor
      // Infinities become the minimum or maximum; NaN stays 0.
      raster.data[pixel * planes + plane] = Number.isNaN(level) ? 0 : Math.round(Math.min(65535, Math.max(0, level)))
    }
  }
  return reorder(raster, { transposed: false, fromRight: false, fromBottom: true })
}
