import { reorder } from './convert.ts'
import { damaged, requireBytes, unsupportedVariant, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** Field offsets of SMPTE 268M: file header, then image header with its first element. */
const FIELD = {
  dataOffset: 4,
  orientation: 768,
  width: 772,
  height: 776,
  descriptor: 800,
  bits: 803,
  packing: 804,
  coding: 806,
  elementOffset: 808,
  linePadding: 812,
}
const HEADER = 820
const UNDEFINED = 0xffffffff

/** Channels by descriptor: single colours and luma, RGB, RGBA; ABGR is reversed. */
const CHANNELS: Record<number, Raster['channels']> = { 1: 1, 2: 1, 3: 1, 4: 1, 6: 1, 50: 3, 51: 4, 52: 4 }
const ABGR = 52

interface Samples {
  bytes: Uint8Array
  view: DataView
  isLittle: boolean
  rowSamples: number
  /** Luma and other single channels fill 10-bit words from the low end, multiple channels from the high end. */
  isSingle: boolean
}

interface RowCoding {
  rowBytes: number
  /** Decodes a row that starts at byte `start` into `target`. */
  read: (start: number, target: Uint8Array | Uint16Array) => void
}

/** Ten bits: three samples in each 32-bit word, two bits of padding below them (method A) or above (method B). */
function tenBitRows(samples: Samples, padding: 0 | 2): RowCoding {
  const { view, isLittle, rowSamples, isSingle } = samples
  return {
    rowBytes: Math.ceil(rowSamples / 3) * 4,
    read(start, target) {
      for (let index = 0; index < rowSamples; index++) {
        const word = view.getUint32(start + Math.floor(index / 3) * 4, isLittle)
        const place = isSingle ? index % 3 : 2 - (index % 3)
        const value = (word >>> (padding + place * 10)) & 1023
        target[index] = Math.round((value * 65535) / 1023)
      }
    },
  }
}

function rowCoding(samples: Samples, bits: number, packing: number): RowCoding {
  const { bytes, view, isLittle, rowSamples } = samples
  if (bits === 8) {
    return {
      rowBytes: Math.ceil(rowSamples / 4) * 4,
      read: (start, target) => target.set(bytes.subarray(start, start + rowSamples)),
    }
  }
  if (bits === 16) {
    return {
      rowBytes: Math.ceil(rowSamples / 2) * 4,
      read(start, target) {
        for (let index = 0; index < rowSamples; index++) target[index] = view.getUint16(start + index * 2, isLittle)
      },
    }
  }
  if (bits === 10 && (packing === 1 || packing === 2)) return tenBitRows(samples, packing === 1 ? 2 : 0)
  if (bits === 10) throw unsupportedVariant('The DPX file has packed 10-bit samples, which are not supported')
  throw unsupportedVariant(`The DPX file has ${bits}-bit samples; 8, 10 and 16 bits are supported`)
}

/** Rows are padded to 32 bits, but some writers omit the padding; the exact file size shows which. */
function rowStride(rowBytes: number, rowSamples: number, bits: number, available: number, height: number): number {
  const tight = rowSamples * (bits / 8)
  return bits !== 10 && available < rowBytes * height && available >= tight * height ? tight : rowBytes
}

/**
 * Decodes the first element of a DPX file in either byte order: 8, 10 (filled, method A or B) or 16 bits per sample;
 * luma or a single colour as grey, RGB, RGBA. 10 bits are scaled to 16. Sample values are not converted: logarithmic
 * film scans stay logarithmic.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for other packings and
 * encodings
 */
export function decodeDpx(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'DPX')
  const view = viewOf(bytes)
  const magic = view.getUint32(0)
  const isLittle = magic === 0x58504453
  if (!isLittle && magic !== 0x53445058) throw damaged('The file is not a DPX picture: it does not begin with SDPX')
  const long = (at: number): number => view.getUint32(at, isLittle)
  const short = (at: number): number => view.getUint16(at, isLittle)
  const descriptor = bytes[FIELD.descriptor]!
  const channels = CHANNELS[descriptor]
  if (!channels) throw unsupportedVariant(`The DPX file has pixels of kind ${descriptor}, which are not supported`)
  // 0 is uncompressed; some writers leave the field undefined.
  const coding = short(FIELD.coding)
  if (coding === 1) throw unsupportedVariant('The DPX file is run-length coded, which is not supported')
  const [fileWidth, fileHeight] = [long(FIELD.width), long(FIELD.height)]
  checkRasterSize(fileWidth, fileHeight, channels, 16, maxPixels)
  const rowSamples = fileWidth * channels
  const bits = bytes[FIELD.bits]!
  const rows = rowCoding({ bytes, view, isLittle, rowSamples, isSingle: channels === 1 }, bits, short(FIELD.packing))
  const elementOffset = long(FIELD.elementOffset)
  const start = elementOffset === 0 || elementOffset === UNDEFINED ? long(FIELD.dataOffset) : elementOffset
  const linePadding = long(FIELD.linePadding)
  const padding = linePadding === UNDEFINED ? 0 : linePadding
  const stride = rowStride(rows.rowBytes, rowSamples, bits, bytes.length - start, fileHeight) + padding
  requireBytes(bytes, start + stride * (fileHeight - 1) + Math.min(stride, rows.rowBytes), 'DPX')

  const orientation = short(FIELD.orientation)
  const transposed = orientation >= 4 && orientation <= 7
  const [width, height] = transposed ? [fileHeight, fileWidth] : [fileWidth, fileHeight]
  const raster = createRaster(width, height, channels, bits === 8 ? 8 : 16, maxPixels)
  for (let row = 0; row < fileHeight; row++) {
    rows.read(start + row * stride, raster.data.subarray(row * rowSamples, (row + 1) * rowSamples))
  }
  if (descriptor === ABGR) for (let at = 0; at < raster.data.length; at += 4) raster.data.subarray(at, at + 4).reverse()
  // Bit 0: from the right, bit 1: from the bottom; an undefined field means neither.
  const turned = orientation <= 7 ? orientation : 0
  return reorder(raster, { transposed, fromRight: (turned & 1) !== 0, fromBottom: (turned & 2) !== 0 })
}
