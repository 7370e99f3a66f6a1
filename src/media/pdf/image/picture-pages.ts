import { createHash } from 'node:crypto'
import { loadMupdf, type Matrix, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { PdfHandle } from '../handle.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import type { PdfPicture } from './picture.ts'
import { PictureObjects } from './picture-objects.ts'

/** Position of an image on its page, in points from the lower left. */
export interface Placement {
  page: { width: number; height: number }
  left: number
  bottom: number
  width: number
  height: number
}

/** Maps the stored unit square to the displayed one, by EXIF orientation (EXIF 2.32, 4.6.4 A). */
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

/** A document of images only, one per page. Close it when done. */
export class PicturePdf {
  readonly #pdf: PDFDocument
  readonly #handle: PdfHandle
  readonly #pictures: PictureObjects
  readonly #identity = createHash('sha256')

  private constructor(pdf: PDFDocument) {
    this.#pdf = pdf
    this.#handle = new PdfHandle(pdf)
    this.#pictures = new PictureObjects(pdf)
  }

  static async create(): Promise<PicturePdf> {
    const { PDFDocument } = await loadMupdf()
    return new PicturePdf(new PDFDocument())
  }

  /** Adds a page with an image. */
  add(picture: PdfPicture, placement: Placement): void {
    withMupdfErrors('PROCESSING_FAILED', 'The picture could not be put on a page', () => {
      const image = this.#pictures.add(picture)
      const { page, left, bottom, width, height } = placement
      const [a, b, c, d, e, f] = TURNS[picture.orientation] ?? TURNS[1]!
      const matrix = [a * width, b * height, c * width, d * height, e * width + left, f * height + bottom]
      const resources = this.#pdf.addObject({ XObject: { Im0: image } })
      const content = `q ${matrix.map(pdfNumber).join(' ')} cm /Im0 Do Q`
      this.#pdf.insertPage(-1, this.#pdf.addPage([0, 0, page.width, page.height], 0, resources, content))
    })
    this.#identity.update(picture.bytes).update(JSON.stringify(placement))
  }

  /** Returns the document as a file; the same images give the same bytes. */
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
}
