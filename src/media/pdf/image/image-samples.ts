import { loadMupdf, type PDFObject } from '../../../engines/mupdf.ts'
import { readMetadata } from '../../../engines/sharp.ts'
import { maxInputPixels } from '../../limits.ts'
import { itemsOf } from '../structure/trees.ts'
import { type ComponentCount, componentsOf, type Palette, paletteOf } from './image-colors.ts'
import { readImageStream } from './image-stream.ts'

/** An image XObject as 8 bit samples in its own colour space, interleaved, rows top-down, without padding. */
export interface ImageSamples {
  width: number
  height: number
  components: ComponentCount
  data: Uint8Array
  /** The samples are colours in the palette's base space, not indices. */
  fromPalette: boolean
  /** The stream has no filter: saving will compress it. */
  isUncompressed: boolean
  /** The image was already a JPEG or JPEG 2000. */
  isLossy: boolean
}

interface Shape {
  width: number
  height: number
  components: ComponentCount
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
  const rowBytes = Math.ceil((width * (palette ? 1 : components) * bits) / 8)
  const stream = readImageStream(image, rowBytes * height)
  if (!stream) return undefined
  const common = {
    width,
    height,
    components,
    fromPalette: palette !== undefined,
    isUncompressed: stream.isUncompressed,
  }
  if (stream.encoding === 'jpeg2000') {
    if (palette) return undefined
    const data = await readJpeg2000(stream.bytes, shape)
    return data && { ...common, data, isLossy: true }
  }
  const isLossy = stream.encoding === 'jpeg'
  // The size needed for decoding is in the JPEG header, whatever the dictionary says.
  if (isLossy && (bits !== 8 || palette || !(await isJpegOf(stream.bytes, shape)))) return undefined
  const bytes = stream.encoding === 'plain' ? stream.bytes : decoded(image)
  if (bytes.length < rowBytes * height) return undefined
  const samples = unpacked(bytes, palette ? 1 : components, shape)
  return { ...common, data: palette ? colorsOf(samples, palette) : samples, isLossy }
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
  return components && { width, height, components, bits, palette }
}

/** Whether Decode leaves the indices unchanged. */
function hasPlainIndices(image: PDFObject, bits: number): boolean {
  const decode = itemsOf(image.get('Decode')).map((item) => item.asNumber())
  return decode.length === 0 || (decode[0] === 0 && decode[1] === 2 ** bits - 1)
}

async function isJpegOf(bytes: Uint8Array, { width, height, components }: Shape): Promise<boolean> {
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

async function readJpeg2000(bytes: Uint8Array, { width, height, components }: Shape): Promise<Uint8Array | undefined> {
  const mupdf = await loadMupdf()
  const image = new mupdf.Image(bytes)
  try {
    if (image.getWidth() !== width || image.getHeight() !== height) return undefined
    const pixmap = image.toPixmap()
    try {
      const fits = pixmap.getNumberOfComponents() === components && pixmap.getAlpha() === 0
      if (!fits || pixmap.getStride() !== width * components) return undefined
      return new Uint8Array(pixmap.getPixels().subarray(0, width * height * components))
    } finally {
      pixmap.destroy()
    }
  } finally {
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
