import { createHash } from 'node:crypto'
import { loadMupdf, type Matrix, type PDFDocument, type PDFObject, withMupdfErrors } from '../../engines/mupdf.ts'
import { PdfHandle } from './handle.ts'
import type { PdfPicture, PictureSamples } from './picture.ts'
import { pdfNumber } from './stamp-form.ts'

/** Where a picture stands on its page, in points from the lower left. */
export interface Placement {
  page: { width: number; height: number }
  left: number
  bottom: number
  width: number
  height: number
}

/** From the stored unit square to the one that is seen, by EXIF orientation (EXIF 2.32, 4.6.4 A). */
const TURNS: Readonly<Record<number, Matrix>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
}

const DEVICE_SPACES = { grey: 'DeviceGray', rgb: 'DeviceRGB', palette: 'DeviceRGB', cmyk: 'DeviceCMYK' } as const

const COMPONENTS = { grey: 1, rgb: 3, palette: 1, cmyk: 4 } as const

/** A document of pictures, one on each page. Close it when done; nothing else is in it. */
export class PicturePdf {
  readonly #pdf: PDFDocument
  readonly #handle: PdfHandle
  /** Streams that several pictures share, by what is in them. */
  readonly #profiles = new Map<string, PDFObject>()
  readonly #identity = createHash('sha256')

  private constructor(pdf: PDFDocument) {
    this.#pdf = pdf
    this.#handle = new PdfHandle(pdf)
  }

  static async create(): Promise<PicturePdf> {
    const { PDFDocument } = await loadMupdf()
    return new PicturePdf(new PDFDocument())
  }

  /** Adds a page with a picture on it. */
  add(picture: PdfPicture, placement: Placement): void {
    withMupdfErrors('PROCESSING_FAILED', 'The picture could not be put on a page', () => {
      const image = this.#addImage(picture)
      const { page, left, bottom, width, height } = placement
      const [a, b, c, d, e, f] = TURNS[picture.orientation] ?? TURNS[1]!
      const matrix = [a * width, b * height, c * width, d * height, e * width + left, f * height + bottom]
      const resources = this.#pdf.addObject({ XObject: { Im0: image } })
      const content = `q ${matrix.map(pdfNumber).join(' ')} cm /Im0 Do Q`
      this.#pdf.insertPage(-1, this.#pdf.addPage([0, 0, page.width, page.height], 0, resources, content))
    })
    this.#identity.update(picture.bytes).update(JSON.stringify(placement))
  }

  /** The document as a file; the same pictures give the same bytes. */
  async save(): Promise<Uint8Array> {
    const half = new Uint8Array(this.#identity.copy().digest().subarray(0, 16))
    const id = this.#pdf.newArray()
    for (let part = 0; part < 2; part += 1) id.push(this.#pdf.newByteString(half))
    this.#pdf.getTrailer().put('ID', id)
    return this.#handle.save()
  }

  close(): void {
    this.#handle.close()
  }

  #addImage(picture: PdfPicture): PDFObject {
    const image = this.#addSamples(picture, picture.profile)
    if (picture.mask) image.put('SMask', this.#addSamples(picture.mask, undefined))
    return image
  }

  #addSamples(samples: PictureSamples, profile: Buffer | undefined): PDFObject {
    const { width, height, bits, colour, filter, isPredicted, isInverted, isPlainRgb, bytes } = samples
    const parameters = isPredicted
      ? { Predictor: 15, Colors: COMPONENTS[colour], BitsPerComponent: bits, Columns: width }
      : isPlainRgb && { ColorTransform: 0 }
    return this.#pdf.addRawStream(bytes, {
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: height,
      BitsPerComponent: bits,
      ColorSpace: this.#spaceOf(samples, profile),
      Filter: filter,
      ...(parameters && { DecodeParms: parameters }),
      ...(isInverted && { Decode: [1, 0, 1, 0, 1, 0, 1, 0] }),
    })
  }

  #spaceOf({ colour, palette, bits }: PictureSamples, profile: Buffer | undefined): unknown {
    const base = profile ? ['ICCBased', this.#addProfile(profile, colour)] : DEVICE_SPACES[colour]
    if (!palette) return base
    const count = Math.min(Math.floor(palette.length / 3), 2 ** bits)
    return ['Indexed', base, count - 1, this.#pdf.newByteString(new Uint8Array(palette.subarray(0, count * 3)))]
  }

  #addProfile(profile: Buffer, colour: PictureSamples['colour']): PDFObject {
    const key = createHash('sha256').update(profile).digest('hex')
    const known = this.#profiles.get(key)
    if (known) return known
    const components = colour === 'palette' ? 3 : COMPONENTS[colour]
    const stream = this.#pdf.addStream(profile, { N: components, Alternate: DEVICE_SPACES[colour] })
    this.#profiles.set(key, stream)
    return stream
  }
}
