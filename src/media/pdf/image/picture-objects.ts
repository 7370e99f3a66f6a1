import { createHash } from 'node:crypto'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import type { PdfPicture, PictureSamples } from './picture.ts'

const DEVICE_SPACES = { grey: 'DeviceGray', rgb: 'DeviceRGB', palette: 'DeviceRGB', cmyk: 'DeviceCMYK' } as const

const COMPONENTS = { grey: 1, rgb: 3, palette: 1, cmyk: 4 } as const

/** Adds images to a document and shares their colour profiles. */
export class PictureObjects {
  readonly #pdf: PDFDocument
  /** Streams shared by several images, by content. */
  readonly #profiles = new Map<string, PDFObject>()

  constructor(pdf: PDFDocument) {
    this.#pdf = pdf
  }

  /** Adds the image as an image XObject, which fills the unit square; its EXIF orientation is not applied. */
  add(picture: PdfPicture): PDFObject {
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
