import type { Metadata, Sharp } from '../../engines/sharp.ts'
import type { FileType } from '../type.ts'
import type { ImageFormatId } from './formats.ts'

/** What is left out of a file's metadata: everything, or single kinds (`xmp` includes IPTC). */
export type MetadataPolicy = 'none' | { drop: readonly ('exif' | 'gps' | 'icc' | 'xmp')[] }

/** Options for the one encode at the end of a chain; the option of a later step wins. */
export interface ImageTarget {
  /** Absent: the input's own format, or what `keptFormat` says. */
  format?: ImageFormatId
  /** 1 to 100; ignored by lossless formats. */
  quality?: number
  /** PNG and GIF: let the quality decide how many colours the palette has. */
  paletteByQuality?: boolean
  /** Smaller files for more time: mozjpeg, AVIF effort 4, WebP effort 6. */
  thorough?: boolean
  /** JPEG: the resolution of colour; by the quality when absent. */
  chroma?: '4:2:0'
  /** Search the quality for a file of at most so many bytes. */
  targetBytes?: number
  /** Scale the picture down where only a poor quality, or none, reaches `targetBytes`. */
  allowResize?: boolean
  /** Give back the input's own bytes when the new file would not be smaller: only those of its own type, or any. */
  neverLarger?: 'of its type' | 'of any type'
  /** Every colour was computed in sRGB: none of a wider gamut of the input is lost. */
  coloursAreComputed?: boolean
  /** A tool found nothing to do: the input's own bytes are the output, where its type stays and no step changed the picture. */
  verbatim?: boolean
  /** Absent: profile and descriptive metadata are kept. */
  metadata?: MetadataPolicy
  /** Take the metadata out of the input's own file where the container allows: nothing is encoded again. */
  keepsPixels?: boolean
  /** Colour under transparent pixels where the format has no alpha, as #rrggbb. Default white. */
  background?: string
  /** GIF: palette size 2 to 256, dither 0 to 1, effort 1 to 10. */
  gif?: { colours?: number; dither?: number; effort?: number; interFrameMaxError?: number }
  lossless?: boolean
  /** WebP: keep the colours under alpha 0, which the encoder otherwise replaces. */
  exact?: boolean
  progressive?: boolean
  /** Pixels per inch that the file says; the input's own when absent. */
  density?: number
}

/** Where the pixels came from; it does not change along a chain. */
export interface ImageOrigin {
  type: FileType
  name: string
  path: string
  bytes: number
  /** sharp's reading of the header, or of the carrier for formats that sharp does not read. */
  metadata: Metadata
  /** The bytes of the file, where they are in memory. */
  held?: Buffer
  /** Drawn by vectors: it was rasterised at this many dots per inch. */
  rasterisedAtDpi?: number
  /** The file has a gain map for HDR screens, which no output has. */
  hasGainMap?: boolean
  /** The page that was asked for, from 0, where one was. */
  page?: number
  /** The end of the file is missing: a part of the pixels is empty, or frames are not there. */
  isCutOff?: boolean
}

/** State of the pixels at some point of a chain. */
export interface FrameState {
  origin: ImageOrigin
  width: number
  height: number
  pages: number
  delays: readonly number[]
  loop: number
  hasAlpha: boolean
  bits: 8 | 16
  space: 'rgb' | 'grey' | 'cmyk'
  /** The pixels are as in the file (its profile applies), or they were brought to sRGB. */
  colour: 'native' | 'srgb'
  hasProfile: boolean
  /** A quarter turn lies between the file and the pixels: what it says of across is down. */
  isTurned?: boolean
  /** Pixels have another shape than in the file: scaled more in one direction, or turned askew. */
  isReshaped?: boolean
  /** Nothing but decoding has happened: the encoder may hand out the input's own bytes, with the orientation they state. */
  untouched: boolean
  target: ImageTarget
  /**
   * Opens the pixels as a new sharp pipeline; `pages` 1 asks for the first page only. `isFinished`: nothing is added but
   * what sharp does last, which is colour space, alpha and encoder.
   */
  open: (pages: number, isFinished?: boolean) => Promise<Sharp>
  /** The one operation that waits in the pipeline, not yet computed. */
  pending: ((image: Sharp) => Sharp) | undefined
}

export interface Size {
  width: number
  height: number
}

export interface ApplyOptions {
  /** The size of each page after the operation; the same as before when absent. */
  size?: Size
  /**
   * The shape of the pixels after it, which matters where they are not square: when absent, that it stays with the size or with
   * its proportions.
   */
  pixelShape?: 'kept' | 'turned' | 'changed'
  /** Give each page of an animation to the operation alone: for what libvips refuses on tall pictures. */
  pagewise?: boolean
  /** Bring the pixels to sRGB first: for operations that give colours a meaning. */
  srgb?: boolean
  /** What the operation does to alpha. */
  alpha?: boolean
  /** The operation turns colour to grey or the other way. */
  space?: 'rgb' | 'grey'
}

/** Raw pixels, interleaved, row by row; pages of an animation follow one another. */
export interface Pixels extends Size {
  data: Buffer
  channels: 1 | 2 | 3 | 4
  /** Height of one page; equals `height` when there is one page. */
  pageHeight: number
}

/** Samples in the picture's own depth and colours, interleaved, row by row; pages follow one another. */
export interface Samples extends Size {
  /** 8 bit or 16 bit, as the picture. */
  data: Uint8Array | Uint16Array
  /** Grey (1), grey and alpha (2), RGB (3), RGB and alpha (4). */
  channels: 1 | 2 | 3 | 4
  /** `height` is that of one page. */
  pages: number
}
