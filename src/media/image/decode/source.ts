import { type Metadata, readMetadata, type Sharp } from '../../../engines/sharp.ts'
import { imageError } from '../errors.ts'

/** How a picture is to be decoded. */
export interface DecodeOptions {
  /** Only the first frame of an animation. */
  firstPage?: boolean
  /** Dots per inch for drawings (SVG: CSS pixels are 1/96 inch; EPS). Default: 96 for SVG, so that 1 unit is 1 pixel. */
  dpi?: number
  /** Drawings (SVG): as large as fits into this box, instead of by `dpi`. In pixels, right to about one. */
  box?: { width?: number | undefined; height?: number | undefined }
  /** TIFF: which page, from 0 (default 0). */
  page?: number
  /** Take the pixels as they are stored, without turning them by the EXIF orientation. */
  keepOrientation?: boolean
  /** Ends a decoder that runs on a thread or as a program of its own. */
  signal?: AbortSignal
  /** Is told, as a sentence, what of the file is missing. */
  warn?: (sentence: string) => void
}

/** What sharp is given of a file. */
export interface Reading {
  input: string | Buffer
  /** The end of the file is missing: what is there is decoded. */
  isCutOff?: boolean
  /** The file moves, and this is its first picture. */
  isSequence?: boolean
}

/** What sharp is to open, and how, once the type of the file is known. */
export interface Source extends Reading {
  metadata: Metadata
  /** The pixels need no turning: the decoder did it. */
  upright?: boolean
  density?: number
  rasterisedAtDpi?: number
  /** TIFF: the directory of the page, from 0. */
  page?: number
  /** Opens all pages of an animation, one below the other, where sharp itself does not. */
  openPages?: () => Promise<Sharp>
  /** The file has a gain map for HDR screens, which is left out. */
  hasGainMap?: boolean
  /** What of the file the pixels leave out, as a sentence. */
  loss?: string
  /** The bytes of the file, where they were read into memory. */
  held?: Buffer
}

/** What sharp reads from a header; `name` is the file's, for messages. @throws INVALID_FILE */
export async function readHeader(input: string | Buffer, name: string, options: object = {}): Promise<Metadata> {
  try {
    return await readMetadata(input, options)
  } catch (error) {
    throw imageError(error, name)
  }
}
