import { reorder } from './convert.ts'
import { damaged, pixelsMissing, unsupportedVariant } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** Limits for a header line and for the whole header; anything longer is not an image. Bytes. */
const MAX_HEADER = 64 * 1024
/** Widths supported by the newer run-length encoding; others use the older one. */
const CODED_WIDTHS = [8, 32767] as const

/** An axis as `-Y 480`. */
interface Axis {
  sign: string
  name: string
  length: number
}

interface HdrHeader {
  isXyz: boolean
  /** The two axes as in the file: the slow one (rows of the file) first. */
  axes: [slow: Axis, fast: Axis]
  start: number
}

function readHeader(bytes: Uint8Array): HdrHeader {
  let at = 0
  const readLine = (): string => {
    const end = bytes.indexOf(10, at)
    if (end < 0 || end > MAX_HEADER) throw damaged('The header of the HDR file is cut off or damaged')
    const line = Buffer.from(bytes.subarray(at, end)).toString('latin1').trim()
    at = end + 1
    return line
  }
  if (!readLine().startsWith('#?')) throw damaged('The file is not a Radiance HDR picture: it does not begin with #?')
  let format = '32-bit_rle_rgbe'
  for (let line = readLine(); line !== ''; line = readLine()) {
    if (line.startsWith('FORMAT=')) format = line.slice(7).trim()
  }
  if (format !== '32-bit_rle_rgbe' && format !== '32-bit_rle_xyze') {
    throw unsupportedVariant(`The HDR file has the pixel format ${format.slice(0, 40)}, which is not supported`)
  }
  const size = /^([+-])([XY])\s+(\d{1,9})\s+([+-])([XY])\s+(\d{1,9})$/.exec(readLine())
  if (!size || size[2] === size[5]) throw damaged('The HDR file does not state its size')
  const axis = (first: number) => ({ sign: size[first]!, name: size[first + 1]!, length: Number(size[first + 2]) })
  return { isXyz: format.endsWith('xyze'), axes: [axis(1), axis(4)], start: at }
}

/**
 * Reads scan lines of four bytes per pixel (red, green, blue, exponent): plain, with the older encoding (a pixel 1,1,1
 * repeats the previous one) or the newer one (each component run-length encoded separately).
 */
class ScanlineReader {
  private at: number
  private row = 0

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
    private readonly width: number,
    private readonly height: number,
  ) {
    this.at = start
  }

  read(line: Uint8Array): void {
    const { bytes, at, width } = this
    this.need(4)
    const isCoded = bytes[at] === 2 && bytes[at + 1] === 2 && bytes[at + 2]! < 128
    if (isCoded && width >= CODED_WIDTHS[0] && width <= CODED_WIDTHS[1]) this.readComponents(line)
    else this.readPixels(line)
    this.row++
  }

  private need(count: number): void {
    if (this.at + count <= this.bytes.length) return
    throw pixelsMissing('HDR', this.row * this.width, this.width * this.height)
  }

  private readComponents(line: Uint8Array): void {
    const { bytes, width } = this
    const stated = (bytes[this.at + 2]! << 8) | bytes[this.at + 3]!
    if (stated !== width) throw damaged(`A row of the HDR file states ${stated} pixels in place of ${width}`)
    this.at += 4
    for (let component = 0; component < 4; component++) {
      for (let x = 0; x < width; ) {
        this.need(2)
        const code = bytes[this.at++]!
        const isRun = code > 128
        const count = isRun ? code - 128 : code
        if (count === 0 || x + count > width) throw damaged(`Row ${this.row + 1} of the HDR file is damaged`)
        if (!isRun) this.need(count)
        for (let index = 0; index < count; index++)
          line[(x + index) * 4 + component] = bytes[this.at + (isRun ? 0 : index)]!
        this.at += isRun ? 1 : count
        x += count
      }
    }
  }

  private readPixels(line: Uint8Array): void {
    const { bytes, width } = this
    let shift = 0
    for (let x = 0; x < width; this.at += 4) {
      this.need(4)
      const [red, green, blue, last] = bytes.subarray(this.at, this.at + 4)
      if (red === 1 && green === 1 && blue === 1) {
        // Consecutive run markers contribute increasingly higher bytes of the count.
        const count = last! * 2 ** shift
        if (x === 0 || x + count > width) throw damaged(`Row ${this.row + 1} of the HDR file is damaged`)
        for (const end = x + count; x < end; x++) line.copyWithin(x * 4, (x - 1) * 4, x * 4)
        shift += 8
      } else {
        line.set(bytes.subarray(this.at, this.at + 4), x * 4)
        x++
        shift = 0
      }
    }
  }
}

/** CIE XYZ to linear sRGB (IEC 61966-2-1, D65). */
const XYZ_TO_SRGB = [
  [3.2404542, -1.5371385, -0.4985314],
  [-0.969266, 1.8760108, 0.041556],
  [0.0556434, -0.2040259, 1.0572252],
] as const

/**
 * Decodes a Radiance image to linear RGB: value = mantissa × 2^(exponent - 136) (shared exponent: G. Ward, "Real
 * Pixels", Graphics Gems II), so that 0 and 1 are exact; Radiance itself adds half a step to the mantissa. All eight
 * axis orders are supported. The EXPOSURE line is not divided out, because the viewer chooses its own exposure.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED, UNSUPPORTED_FILE_TYPE for other pixel formats
 */
export function decodeHdr(bytes: Uint8Array, maxPixels: number): Raster {
  const { axes, isXyz, start } = readHeader(bytes)
  const [slow, fast] = axes
  const transposed = slow.name === 'X'
  const [horizontal, vertical] = transposed ? [slow, fast] : [fast, slow]
  checkRasterSize(horizontal.length, vertical.length, 3, 32, maxPixels)
  const raster = createRaster(horizontal.length, vertical.length, 3, 32, maxPixels)
  const reader = new ScanlineReader(bytes, start, fast.length, slow.length)
  const line = new Uint8Array(fast.length * 4)
  const { data } = raster
  let target = 0
  for (let row = 0; row < slow.length; row++) {
    reader.read(line)
    for (let source = 0; source < line.length; source += 4, target += 3) {
      const exponent = line[source + 3]!
      const scale = exponent === 0 ? 0 : 2 ** (exponent - 136)
      for (let channel = 0; channel < 3; channel++) data[target + channel] = line[source + channel]! * scale
      if (isXyz) toSrgb(data, target)
    }
  }
  return reorder(raster, { transposed, fromRight: horizontal.sign === '-', fromBottom: vertical.sign === '+' })
}

function toSrgb(data: Float32Array, at: number): void {
  const [x, y, z] = [data[at]!, data[at + 1]!, data[at + 2]!]
  XYZ_TO_SRGB.forEach((row, channel) => {
    data[at + channel] = row[0] * x + row[1] * y + row[2] * z
  })
}
