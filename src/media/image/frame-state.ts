import type { Metadata, Sharp } from '../../engines/sharp.ts'
import type { FileType } from '../type.ts'
import type { ImageFormatId } from './formats.ts'

/** Metadata to drop from a file: all of it, or single types (`xmp` includes IPTC). */
export type MetadataPolicy = 'none' | { drop: readonly ('exif' | 'gps' | 'icc' | 'xmp')[] }

/** Options for the single encode at the end of a chain; options of later steps override earlier ones. */
export interface ImageTarget {
  /** Absent: the input's own format, or the result of `keptFormat`. */
  format?: ImageFormatId
  /** 1 to 100; ignored by lossless formats. */
  quality?: number
  /** PNG and GIF: the quality determines the number of palette colours. */
  paletteByQuality?: boolean
  /** Slower encoding for smaller files: mozjpeg, AVIF effort 4, WebP effort 6. */
  thorough?: boolean
  /** JPEG: like `thorough` in a sixth of the time. Its size is in proportion to that of the thorough file. */
  isDraft?: boolean
  /** JPEG: chroma resolution; depends on the quality when absent. */
  chroma?: '4:2:0'
  /** Search for the quality at which the file has at most this number of bytes. */
  targetBytes?: number
  /** Scale the image down if `targetBytes` is only reachable at a poor quality, or not at all. */
  allowResize?: boolean
  /**
   * Return the input's own bytes if the new file would not be smaller: only for an input of the same type, or of any
   * type.
   */
  neverLarger?: 'of its type' | 'of any type'
  /** All colours were computed in sRGB: no wide-gamut colour of the input is lost. */
  coloursAreComputed?: boolean
  /**
   * A tool had nothing to change: the output is the input's own bytes if its type stays the same and no step changed
   * the image.
   */
  verbatim?: boolean
  /** Absent: profile and descriptive metadata are kept. */
  metadata?: MetadataPolicy
  /** Remove the metadata from the input file itself if the container allows it: nothing is re-encoded. */
  keepsPixels?: boolean
  /** Background colour for transparent pixels if the format has no alpha, as #rrggbb. Default white. */
  background?: string
  /** GIF: palette size 2 to 256, dither 0 to 1, effort 1 to 10. */
  gif?: { colours?: number; dither?: number; effort?: number; interFrameMaxError?: number }
  lossless?: boolean
  /** WebP: keep the colours of fully transparent pixels, which the encoder otherwise replaces. */
  exact?: boolean
  progressive?: boolean
  /** Pixels per inch to write to the file; the input's own when absent. */
  density?: number
}

/** The origin of the pixels; it does not change along a chain. */
export interface ImageOrigin {
  type: FileType
  name: string
  path: string
  bytes: number
  /** The header as read by sharp, or that of the carrier for formats that sharp does not read. */
  metadata: Metadata
  /** The bytes of the file, if they are in memory. */
  held?: Buffer
  /** A vector image: it was rasterized at this resolution, dots per inch. */
  rasterisedAtDpi?: number
  /** The file has a gain map for HDR screens, which no output format supports. */
  hasGainMap?: boolean
  /** The requested page, from 0, if any. */
  page?: number
  /** The end of the file is missing: part of the pixels is empty, or frames are missing. */
  isCutOff?: boolean
}

/** The state of the pixels at some point of a chain. */
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
  /** Pixels are as in the file (its profile applies), or were converted to sRGB. */
  colour: 'native' | 'srgb'
  hasProfile: boolean
  /**
   * The pixels are rotated by a quarter turn relative to the file, so its horizontal and vertical values are swapped.
   */
  isTurned?: boolean
  /** The pixel aspect ratio differs from the file: scaled unevenly, or skewed. */
  isReshaped?: boolean
  /** The image was only decoded: the encoder may return the input's own bytes, with their orientation tag. */
  untouched: boolean
  target: ImageTarget
  /**
   * Opens the pixels as a new sharp pipeline; `pages` 1 reads only the first page. `isFinished`: only sharp's final
   * operations are added, which are colour space, alpha and encoder.
   */
  open: (pages: number, isFinished?: boolean) => Promise<Sharp>
  /** The pending operation in the pipeline, not yet computed; several if sharp runs them in this order. */
  pending: ((image: Sharp) => Sharp) | undefined
  /** The stage of the last pending operation, if it has one. */
  stage?: Stage | undefined
}

/**
 * Stages of a sharp pipeline, in the order in which sharp runs them. Compositing has none: in one pipeline with these, it
 * takes longer than a picture computed in between (bench/README).
 */
export const STAGES = ['resize', 'extract'] as const

export type Stage = (typeof STAGES)[number]

export interface Size {
  width: number
  height: number
}

export interface ApplyOptions {
  /** The size of each page after the operation; unchanged when absent. */
  size?: Size
  /**
   * The pixel aspect ratio after the operation, relevant for non-square pixels; when absent, it is kept if the size or
   * its proportions are.
   */
  pixelShape?: 'kept' | 'turned' | 'changed'
  /**
   * Apply the operation to each page of an animation separately, for operations that libvips rejects on tall images.
   */
  pagewise?: boolean
  /** Convert the pixels to sRGB first, for operations that interpret colours. */
  srgb?: boolean
  /** Whether the image has alpha after the operation. */
  alpha?: boolean
  /** The operation converts colour to grey or grey to colour. */
  space?: 'rgb' | 'grey'
  /** The operation is only this stage of a sharp pipeline, so that it can share one with a pending earlier stage. */
  stage?: Stage
}

/** Raw pixels, interleaved, row by row; the pages of an animation are consecutive. */
export interface Pixels extends Size {
  data: Buffer
  channels: 1 | 2 | 3 | 4
  /** Height of one page; equals `height` when there is one page. */
  pageHeight: number
}

/** Samples in the image's own depth and colour space, interleaved, row by row; pages are consecutive. */
export interface Samples extends Size {
  /** 8 bit or 16 bit, like the image. */
  data: Uint8Array | Uint16Array
  /** Grey (1), grey and alpha (2), RGB (3), RGB and alpha (4). */
  channels: 1 | 2 | 3 | 4
  /** `height` is the height of one page. */
  pages: number
}
