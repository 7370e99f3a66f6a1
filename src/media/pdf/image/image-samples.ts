import { loadMupdf, type PDFObject, type Pixmap } from '../../../engines/mupdf.ts'
import { readMetadata } from '../../../engines/sharp.ts'
import { maxInputPixels } from '../../limits.ts'
import { itemsOf } from '../structure/trees.ts'
import { type ComponentCount, componentsOf, type Palette, paletteOf } from './image-colors.ts'
import { filtersOf, readImageStream } from './image-stream.ts'

/** An image XObject as 8 bit samples in its own colour space, interleaved, rows top-down, without padding. */
export interface ImageSamples {
  width: number
  height: number
  components: ComponentCount
  data: Uint8Array
  /** The samples are colours in the palette's base space, not indices. */
  fromPalette: boolean
  /** The colour space is in the JPEG 2000 data only: the dictionary has none, and a replacement must name it. */
  hasOwnSpace: boolean
  /** The stream has no filter: saving will compress it. */
  isUncompressed: boolean
  /** The image was already a JPEG or JPEG 2000. */
  isLossy: boolean
}

/** CMYK. */
const MOST_COMPONENTS = 4

interface Shape {
  width: number
  height: number
  /** Undefined: the JPEG 2000 data has the colour space. */
  components: ComponentCount | undefined
  bits: number
  palette: Palette | undefined
}

/**
 * The samples of an image that may become a JPEG, or undefined for an image that is left unchanged: bilevel, with a
 * transparent colour (`Mask` array), in a colour space that JPEG does not support, with an encoding worth keeping,
 * damaged, or over MAX_MEGAPIXELS. Nothing is decompressed beyond the size declared in its dictionary.
 */
export async function readSamples(image: PDFObject): Promise<ImageSamples | undefined> {
  const shape = shapeOf(image)
  if (!shape) return undefined
  const { width, height, components, bits, palette } = shape
  const rowBytes = Math.ceil((width * (palette ? 1 : (components ?? MOST_COMPONENTS)) * bits) / 8)
  const stream = readImageStream(image, rowBytes * height)
  if (!stream) return undefined
  const common = {
    width,
    height,
    fromPalette: palette !== undefined,
    hasOwnSpace: components === undefined,
    isUncompressed: stream.isUncompressed,
  }
  if (stream.encoding === 'jpeg2000') {
    if (palette) return undefined
    const raster = await readJpeg2000(stream.bytes, shape)
    return raster && { ...common, ...raster, isLossy: true }
  }
  if (!components) return undefined
  const isLossy = stream.encoding === 'jpeg'
  // The size needed for decoding is in the JPEG header, whatever the dictionary says.
  if (isLossy && (bits !== 8 || palette || !(await isJpegOf(stream.bytes, { width, height, components }))))
    return undefined
  const bytes = stream.encoding === 'plain' ? stream.bytes : decoded(image)
  if (bytes.length < rowBytes * height) return undefined
  const samples = unpacked(bytes, palette ? 1 : components, shape)
  return { ...common, components, data: palette ? colorsOf(samples, palette) : samples, isLossy }
}

function shapeOf(image: PDFObject): Shape | undefined {
  const width = image.get('Width').asNumber()
  const height = image.get('Height').asNumber()
  const bits = image.get('BitsPerComponent').isNull() ? 8 : image.get('BitsPerComponent').asNumber()
  if (!(Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0)) return undefined
  if (width * height > maxInputPixels() || ![2, 4, 8, 16].includes(bits)) return undefined
  if (image.get('ImageMask').asBoolean() || image.get('Mask').isArray()) return undefined
  if (image.get('SMaskInData').asNumber() > 0 || !image.get('SMask', 'Matte').isNull()) return undefined
  if (!image.get('Matte').isNull()) return undefined
  const palette = paletteOf(image.get('ColorSpace'))
  if (palette && (bits > 8 || !hasPlainIndices(image, bits))) return undefined
  const components = palette?.components ?? componentsOf(image.get('ColorSpace'))
  // JPEG 2000 alone may leave out the colour space (ISO 32000-1, 7.4.9).
  const hasOwnSpace = image.get('ColorSpace').isNull() && filtersOf(image).at(-1) === 'JPXDecode'
  return components || hasOwnSpace ? { width, height, components, bits, palette } : undefined
}

/** Whether Decode leaves the indices unchanged. */
function hasPlainIndices(image: PDFObject, bits: number): boolean {
  const decode = itemsOf(image.get('Decode')).map((item) => item.asNumber())
  return decode.length === 0 || (decode[0] === 0 && decode[1] === 2 ** bits - 1)
}

async function isJpegOf(
  bytes: Uint8Array,
  { width, height, components }: Pick<ImageSamples, 'width' | 'height' | 'components'>,
): Promise<boolean> {
  try {
    const header = await readMetadata(bytes)
    return (
      header.format === 'jpeg' && header.width === width && header.height === height && header.channels === components
    )
  } catch {
    return false
  }
}

/** The stream with all its filters decoded, samples as stored in the file: Decode applies to them afterwards. */
function decoded(image: PDFObject): Uint8Array {
  const buffer = image.readStream()
  const bytes = buffer.asUint8Array().slice()
  buffer.destroy()
  return bytes
}

async function readJpeg2000(
  bytes: Uint8Array,
  { width, height, components }: Shape,
): Promise<Pick<ImageSamples, 'components' | 'data'> | undefined> {
  const mupdf = await loadMupdf()
  const image = new mupdf.Image(bytes)
  let pixmap: Pixmap | undefined
  try {
    if (image.getWidth() !== width || image.getHeight() !== height) return undefined
    pixmap = image.toPixmap()
    const space = pixmap.getColorSpace()
    // A replacement without a colour space of its own gets that of the device.
    if (!components && space?.isRGB() && !space.getName().startsWith('Device'))
      pixmap = pixmap.convertToColorSpace(mupdf.ColorSpace.DeviceRGB)
    const found = ([1, 3, 4] as const).find((count) => count === pixmap?.getNumberOfComponents())
    if (!found || found !== (components ?? found) || pixmap.getAlpha() !== 0) return undefined
    if (pixmap.getStride() !== width * found) return undefined
    return { components: found, data: new Uint8Array(pixmap.getPixels().subarray(0, width * height * found)) }
  } finally {
    pixmap?.destroy()
    image.destroy()
  }
}

/** Unpacks samples of 2, 4, 8 or 16 bits, rows padded to whole bytes, to one byte each; of 16 bits, the upper byte. */
function unpacked(bytes: Uint8Array, components: number, { width, height, bits, palette }: Shape): Uint8Array {
  const perRow = width * components
  if (bits === 8) return bytes.subarray(0, perRow * height)
  const samples = new Uint8Array(perRow * height)
  const rowBytes = Math.ceil((perRow * bits) / 8)
  const mask = 2 ** bits - 1
  // Indices are unchanged, intensities are scaled to the range of a byte.
  const scale = palette ? 1 : 255 / mask
  for (let y = 0; y < height; y++)
    for (let x = 0; x < perRow; x++) {
      const bit = x * bits
      const byte = bytes[y * rowBytes + (bit >> 3)]!
      samples[y * perRow + x] = bits === 16 ? byte : ((byte >> (8 - bits - (bit & 7))) & mask) * scale
    }
  return samples
}

function colorsOf(indices: Uint8Array, { colors, components }: Palette): Uint8Array {
  const samples = new Uint8Array(indices.length * components)
  for (let pixel = 0; pixel < indices.length; pixel++)
    for (let component = 0; component < components; component++)
      samples[pixel * components + component] = colors[indices[pixel]! * components + component] ?? 0
  return samples
}
