import { damaged, requireBytes, unsupportedVariant, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

const HEADER = 512
const RUN_LENGTHS = 1

/** Unpacks one row: a count with the high bit for single values, without it for one repeated value; 0 ends the row. */
function unpackRow(view: DataView, start: number, end: number, row: Uint8Array | Uint16Array): void {
  const step = row.BYTES_PER_ELEMENT
  const read = (at: number): number => {
    if (at + step > end) throw damaged('The SGI file is damaged: a row ends too early')
    return step === 1 ? view.getUint8(at) : view.getUint16(at)
  }
  let at = start
  for (let to = 0; to < row.length; ) {
    const code = read(at)
    const count = code & 0x7f
    at += step
    if (count === 0) throw damaged('The SGI file is damaged: a row is too short')
    const stop = Math.min(row.length, to + count)
    if (code & 0x80) for (; to < stop; at += step) row[to++] = read(at)
    else {
      row.fill(read(at), to, stop)
      to = stop
      at += step
    }
  }
}

/**
 * Decodes an SGI image (Paul Haeberli's format, version 1.00): grey or RGB, with or without alpha, 8 or 16 bits, packed
 * or not.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for images with a colour map
 */
export function decodeSgi(bytes: Uint8Array, maxPixels: number): Raster {
  requireBytes(bytes, HEADER, 'SGI')
  const view = viewOf(bytes)
  const [storage, step] = [bytes[2]!, bytes[3]!]
  const dimension = view.getUint16(4)
  const width = view.getUint16(6)
  const height = dimension > 1 ? view.getUint16(8) : 1
  const channels = dimension > 2 ? view.getUint16(10) : 1
  if (view.getUint32(104) !== 0 || (step !== 1 && step !== 2) || channels < 1 || channels > 4)
    throw unsupportedVariant('The SGI file is of an unsupported kind: a colour map, or more than four channels')
  const depth = step === 2 ? 16 : 8
  checkRasterSize(width, height, channels, depth, maxPixels)
  const rows = height * channels
  requireBytes(bytes, HEADER + (storage === RUN_LENGTHS ? rows * 8 : rows * width * step), 'SGI')
  const raster = createRaster(width, height, channels as Raster['channels'], depth, maxPixels)
  const row = depth === 8 ? new Uint8Array(width) : new Uint16Array(width)
  for (let channel = 0; channel < channels; channel += 1)
    for (let y = 0; y < height; y += 1) {
      const index = channel * height + y
      if (storage === RUN_LENGTHS) {
        const start = view.getUint32(HEADER + index * 4)
        const end = start + view.getUint32(HEADER + (rows + index) * 4)
        requireBytes(bytes, end, 'SGI')
        unpackRow(view, start, end, row)
      } else
        for (let x = 0, at = HEADER + index * width * step; x < width; x += 1, at += step)
          row[x] = step === 1 ? view.getUint8(at) : view.getUint16(at)
      // Rows are stored bottom-up.
      const to = (height - 1 - y) * width
      for (let x = 0; x < width; x += 1) raster.data[(to + x) * channels + channel] = row[x]!
    }
  return raster
}
