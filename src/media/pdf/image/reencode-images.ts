import { type PDFObject, takeMupdfMessages } from '../../../engines/mupdf.ts'
import { jpegQualityOf } from '../../codecs/jpeg/jpeg-quality.ts'
import { openPdf, type SavedPdf, sourceOf, storePdf } from '../document.ts'
import type { PdfHandle } from '../handle.ts'
import { encodeFlate, encodeJpeg, resized, sizeAt } from './image-encode.ts'
import { type ImageSamples, readSamples } from './image-samples.ts'
import { imageNumbers, type ShownSize, shownSizes } from './image-uses.ts'

export interface ImageLevers {
  /** Images displayed at more pixels per inch are downscaled to this. */
  dpi: number
  /**
   * Factor for JPEG's standard quantization tables (ITU-T T.81, annex K), like PostScript's QFactor: 0.1 is fine, 2.5
   * coarse.
   */
  quantisation: number
}

/** Decoded images are cached between passes up to this total size, in bytes. */
const KEPT_SAMPLES = 256e6

/** Maximum side of a JPEG that libjpeg writes (its JPEG_MAX_DIMENSION), in pixels. */
const MAX_JPEG_SIDE = 65_500

const DEVICE_SPACES = { 1: 'DeviceGray', 3: 'DeviceRGB', 4: 'DeviceCMYK' } as const

interface Replacement {
  width: number
  height: number
  filter: 'DCTDecode' | 'FlateDecode'
  bytes: Uint8Array
}

/**
 * A document whose images can be re-encoded repeatedly, each time from the original pixels. Only image XObjects change,
 * and only those that get smaller: text, drawings, form fields, tags, outlines and attachments are unchanged. Bilevel
 * images and those that `readSamples` skips are unchanged; a lossless soft mask stays lossless, at a lower resolution.
 * Close it when done.
 */
export class ImageReencoder {
  readonly #source: SavedPdf
  readonly #password: string
  readonly #original: PdfHandle
  readonly #shown: Map<number, ShownSize>
  readonly #masks: Set<number>
  readonly #numbers: number[]
  readonly #samples = new Map<number, ImageSamples | undefined>()
  #keptBytes = 0

  private constructor(source: SavedPdf, original: PdfHandle, numbers: number[], shown: Map<number, ShownSize>) {
    this.#source = source
    this.#password = original.password
    this.#original = original
    this.#numbers = numbers
    this.#shown = shown
    this.#masks = new Set()
    for (const number of numbers) this.#noteMask(number)
  }

  /** `source` must be a valid document, ideally saved by a PdfHandle: unreferenced images cost time. */
  static async open(source: SavedPdf, password = ''): Promise<ImageReencoder> {
    const original = await openAgain(source, password)
    try {
      const numbers = imageNumbers(original)
      const copy = await openAgain(source, password)
      try {
        return new ImageReencoder(source, original, numbers, await shownSizes(copy, numbers))
      } finally {
        copy.close()
      }
    } catch (error) {
      original.close()
      throw error
    }
  }

  /** The number of image XObjects. */
  get imageCount(): number {
    return this.#numbers.length
  }

  /**
   * Returns the document with re-encoded images, encrypted like the source.
   * @param scratch creates a folder for a large result; without it the result is in memory
   */
  async encode(
    { dpi, quantisation }: ImageLevers,
    signal?: AbortSignal,
    scratch?: () => Promise<string>,
  ): Promise<SavedPdf> {
    const result = await openAgain(this.#source, this.#password)
    try {
      for (const number of this.#numbers) {
        signal?.throwIfAborted()
        const samples = await this.#samplesOf(number)
        if (!samples) continue
        const replacement = await this.#replacementOf(number, samples, dpi, jpegQualityOf(quantisation))
        if (replacement) replace(result.pdf.newIndirect(number), samples, replacement)
      }
      return await (scratch ? storePdf(result, scratch) : result.save())
    } finally {
      result.close()
    }
  }

  close(): void {
    this.#original.close()
  }

  /** A soft mask is displayed as large as its image. */
  #noteMask(number: number): void {
    const mask = this.#original.pdf.newIndirect(number).get('SMask')
    if (!mask.isIndirect()) return
    const maskNumber = mask.asIndirect()
    this.#masks.add(maskNumber)
    const [shown, known] = [this.#shown.get(number), this.#shown.get(maskNumber)]
    if (!shown) return
    this.#shown.set(maskNumber, {
      width: Math.max(shown.width, known?.width ?? 0),
      height: Math.max(shown.height, known?.height ?? 0),
    })
  }

  async #samplesOf(number: number): Promise<ImageSamples | undefined> {
    if (this.#samples.has(number)) return this.#samples.get(number)
    const samples = await readSamples(this.#original.pdf.newIndirect(number)).catch(() => {
      // An image that cannot be decoded is left unchanged; the library's messages must not be reported for a later
      // step.
      takeMupdfMessages()
      return undefined
    })
    const length = samples?.data.length ?? 0
    // A large document and its images are not cached in memory.
    const most = this.#source instanceof Uint8Array ? KEPT_SAMPLES : 0
    if (this.#keptBytes + length > most) return samples
    this.#keptBytes += length
    this.#samples.set(number, samples)
    return samples
  }

  async #replacementOf(
    number: number,
    samples: ImageSamples,
    dpi: number,
    quality: number,
  ): Promise<Replacement | undefined> {
    const isExact = this.#masks.has(number) && !samples.isLossy
    const raster = resized(samples, sizeAt(samples, this.#shown.get(number), dpi))
    if (!isExact && Math.max(raster.width, raster.height) > MAX_JPEG_SIDE) return undefined
    const filter = isExact ? 'FlateDecode' : 'DCTDecode'
    const bytes = isExact ? encodeFlate(raster) : await encodeJpeg(raster, quality)
    const limit = samples.isUncompressed ? encodeFlate(samples).length : this.#lengthOf(number)
    return bytes.length < limit ? { width: raster.width, height: raster.height, filter, bytes } : undefined
  }

  #lengthOf(number: number): number {
    return this.#original.pdf.newIndirect(number).get('Length').asNumber()
  }
}

function openAgain(source: SavedPdf, password: string): Promise<PdfHandle> {
  return openPdf(sourceOf(source), { ...(password !== '' && { password }), maxPages: 0 })
}

function replace(
  image: PDFObject,
  { fromPalette, hasOwnSpace, components }: ImageSamples,
  { width, height, filter, bytes }: Replacement,
): void {
  image.put('Width', width)
  image.put('Height', height)
  image.put('BitsPerComponent', 8)
  image.put('Filter', image._doc.newName(filter))
  image.delete('DecodeParms')
  if (fromPalette) {
    image.put('ColorSpace', image.get('ColorSpace', 1))
    // Decode was the range of the indices.
    image.delete('Decode')
  }
  if (hasOwnSpace) image.put('ColorSpace', image._doc.newName(DEVICE_SPACES[components]))
  image.writeRawStream(bytes)
}
