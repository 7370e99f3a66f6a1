import { type Metadata, readMetadata, type Sharp } from '../../../engines/sharp.ts'
import { imageError } from '../errors.ts'

/** Decoding options for an image. */
export interface DecodeOptions {
  /** Only the first frame of an animation. */
  firstPage?: boolean
  /**
   * Dots per inch for vector images (SVG: CSS pixels are 1/96 inch; EPS). Default: 96 for SVG, so that 1 unit is 1
   * pixel.
   */
  dpi?: number
  /** Vector images (SVG): as large as fits into this box, instead of by `dpi`. In pixels, accurate to about one. */
  box?: { width?: number | undefined; height?: number | undefined }
  /** TIFF: page index, from 0 (default 0). */
  page?: number
  /** Returns the pixels as stored, without applying the EXIF orientation. */
  keepOrientation?: boolean
  /** Aborts a decoder that runs in a thread or as an external program. */
  signal?: AbortSignal
  /** Receives a sentence about missing data in the file. */
  warn?: (sentence: string) => void
}

/** The input that sharp receives for a file. */
export interface Reading {
  input: string | Buffer
  /** The end of the file is missing: the existing part is decoded. */
  isCutOff?: boolean
  /** The file is animated, and this is its first picture. */
  isSequence?: boolean
}

/** The input and options for sharp, once the file type is known. */
export interface Source extends Reading {
  metadata: Metadata
  /** The pixels need no rotation: the decoder already applied it. */
  upright?: boolean
  density?: number
  rasterisedAtDpi?: number
  /** TIFF: directory index of the page, from 0. */
  page?: number
  /** Opens all pages of an animation, stacked vertically, if sharp cannot do so. */
  openPages?: () => Promise<Sharp>
  /** The file has a gain map for HDR screens, which is dropped. */
  hasGainMap?: boolean
  /** A sentence about data of the file that the pixels omit. */
  loss?: string
  /** The bytes of the file, if they were read into memory. */
  held?: Buffer
}

/** The header fields that sharp reads; `name` is the file name for messages. @throws INVALID_FILE */
export async function readHeader(input: string | Buffer, name: string, options: object = {}): Promise<Metadata> {
  try {
    return await readMetadata(input, options)
  } catch (error) {
    throw imageError(error, name)
  }
}
