import type { Metadata, OverlayOptions, Sharp } from '../../engines/sharp.ts'
import { openSharp, readMetadata } from '../../engines/sharp.ts'
import { type FileType, typeById } from '../type.ts'
import type { ImageFormatId } from './formats.ts'

/** What is left out of a file's metadata: everything, or single kinds (`xmp` includes IPTC). */
export type MetadataPolicy = 'none' | { drop: readonly ('exif' | 'gps' | 'icc' | 'xmp')[] }

/** Wishes for the one encode at the end of a chain; a later step's wish wins. */
export interface ImageTarget {
  /** Absent: the input's own format, or what `keptFormat` says. */
  format?: ImageFormatId
  /** 1 to 100; ignored by lossless formats. */
  quality?: number
  /** PNG and GIF: let the quality decide how many colours the palette has. */
  paletteByQuality?: boolean
  /** Smaller files for more time: mozjpeg, AVIF effort 4, WebP effort 6. */
  thorough?: boolean
  /** Search the quality for a file of at most so many bytes. */
  targetBytes?: number
  /** Give back the input's own bytes when the new file would not be smaller. */
  neverLarger?: boolean
  /** Absent: profile and descriptive metadata are kept. */
  metadata?: MetadataPolicy
  /** Colour under transparent pixels where the format has no alpha, as #rrggbb. Default white. */
  background?: string
  /** GIF: palette size 2 to 256, dither 0 to 1, effort 1 to 10. */
  gif?: { colours?: number; dither?: number; effort?: number; interFrameMaxError?: number }
  lossless?: boolean
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
  /** Drawn by vectors: it was rasterised at this many dots per inch. */
  rasterisedAtDpi?: number
}

/** State of the pixels at some point of a chain. */
interface FrameState {
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
  /** Nothing but decoding has happened: the encoder may hand out the input's own bytes. */
  untouched: boolean
  target: ImageTarget
  /** Opens the pixels as a new sharp pipeline; `pages` 1 asks for the first page only. */
  open: (pages: number) => Promise<Sharp>
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

/**
 * A picture between two steps: pixels, not an encoded file. It is immutable; every method gives a new frame. Operations
 * wait until the next one comes, so that decode, one operation and encode run as a single libvips pipeline (with
 * shrink-on-load); a chain of several decodes once and encodes once, with lossless pixels in between.
 */
export class ImageFrame {
  readonly #state: FrameState

  constructor(state: FrameState) {
    this.#state = state
  }

  /** A picture that a tool drew itself, from PNG bytes. `name` is what messages call it. */
  static async fromPng(bytes: Buffer, name: string): Promise<ImageFrame> {
    const metadata = await readMetadata(bytes)
    return new ImageFrame({
      origin: { type: typeById('png')!, name, path: '', bytes: bytes.length, metadata },
      width: metadata.width,
      height: metadata.height,
      pages: 1,
      delays: [],
      loop: 0,
      hasAlpha: metadata.hasAlpha,
      bits: metadata.depth === 'ushort' ? 16 : 8,
      space: metadata.channels < 3 ? 'grey' : 'rgb',
      colour: 'srgb',
      hasProfile: false,
      untouched: false,
      target: {},
      open: () => openSharp(bytes),
      pending: undefined,
    })
  }

  /** Pixels across, orientation applied. */
  get width(): number {
    return this.#state.width
  }

  /** Pixels down of one page, orientation applied. */
  get height(): number {
    return this.#state.height
  }

  get pages(): number {
    return this.#state.pages
  }

  get delays(): readonly number[] {
    return this.#state.delays
  }

  get loop(): number {
    return this.#state.loop
  }

  get hasAlpha(): boolean {
    return this.#state.hasAlpha
  }

  get bits(): 8 | 16 {
    return this.#state.bits
  }

  get space(): 'rgb' | 'grey' | 'cmyk' {
    return this.#state.space
  }

  /** Whether an embedded profile, not sRGB, tells what the numbers mean. */
  get hasOwnProfile(): boolean {
    return this.#state.hasProfile && this.#state.colour === 'native'
  }

  get origin(): ImageOrigin {
    return this.#state.origin
  }

  get target(): ImageTarget {
    return this.#state.target
  }

  get untouched(): boolean {
    return this.#state.untouched
  }

  /** The frame with further wishes for the encode. */
  withTarget(wishes: ImageTarget): ImageFrame {
    return this.#with({ target: { ...this.#state.target, ...wishes } })
  }

  /** The frame with other delays (ms per page) or loop count (0 = forever). */
  withTiming(timing: { delays?: readonly number[]; loop?: number }): ImageFrame {
    return this.#with({ ...timing, untouched: false })
  }

  /** Only the first page of an animation. */
  async firstPage(): Promise<ImageFrame> {
    const state = this.#state
    if (state.pages === 1) return this
    const single = { pages: 1, delays: [], loop: 0 }
    if (state.pending) return (await this.#computed()).firstPage()
    return this.#with({ ...single, open: () => state.open(1), untouched: false })
  }

  /** One sharp operation on every page. See ApplyOptions. */
  async apply(operation: (image: Sharp) => Sharp, options: ApplyOptions = {}): Promise<ImageFrame> {
    const { size, pagewise = false, srgb = false } = options
    if (this.#state.pending || (srgb && this.#needsConversion))
      return (await this.#computed(srgb)).apply(operation, { ...options, srgb: false })
    if (pagewise && this.pages > 1) return this.#applyPagewise(operation, options)
    return this.#with({
      ...this.#after(options),
      ...size,
      pending: operation,
      untouched: false,
    })
  }

  /** Draws pictures over every page, in sharp's terms. Positions are those of one page. */
  composite(layers: OverlayOptions[]): Promise<ImageFrame> {
    return this.apply((image) => image.composite(layers), { pagewise: true })
  }

  /** The pixels as 8 bit sRGB (or grey, when the picture is grey and `grey` is allowed). */
  async pixels(options: { alpha?: 'keep' | 'drop' | 'add'; grey?: boolean } = {}): Promise<Pixels> {
    const { alpha = 'keep', grey = false } = options
    const base = await this.#computed(true)
    let image = (await base.#pipeline()).toColourspace(grey && base.space === 'grey' ? 'b-w' : 'srgb')
    if (alpha === 'drop') image = image.removeAlpha()
    if (alpha === 'add') image = image.ensureAlpha()
    const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    return {
      data,
      width: info.width,
      height: info.height,
      channels: info.channels as Pixels['channels'],
      pageHeight: base.height,
    }
  }

  /** A frame of the same origin, timing and target with other pixels: 8 bit sRGB (or grey with 1 or 2 channels). */
  async withPixels(pixels: Pixels): Promise<ImageFrame> {
    const pages = Math.round(pixels.height / pixels.pageHeight)
    const { width, channels } = pixels
    return this.#with({
      width,
      height: pixels.pageHeight,
      pages,
      bits: 8,
      colour: 'srgb',
      space: channels < 3 ? 'grey' : 'rgb',
      hasAlpha: channels % 2 === 0,
      hasProfile: false,
      pending: undefined,
      untouched: false,
      open: (wanted) =>
        openRaw(pixels.data, { width, height: pixels.pageHeight, channels, pages: wanted === 1 ? 1 : pages }),
    })
  }

  /**
   * The waiting work as a sharp pipeline, ready for an output format: orientation, working colour space and the waiting
   * operation are in it; metadata and format are the encoder's.
   */
  async pipeline(): Promise<Sharp> {
    return this.#pipeline()
  }

  /** The pixels in the picture's own numbers, without any waiting operation: for statistics. */
  async stored(): Promise<Sharp> {
    const { open, pages } = (await this.#computed()).#state
    return open(pages)
  }

  /** sRGB pixels, whatever the input was; embedded profiles and CMYK are converted, not dropped. */
  async toSrgb(): Promise<ImageFrame> {
    return this.#needsConversion ? this.#computed(true) : this
  }

  get #needsConversion(): boolean {
    return this.#state.colour === 'native' && (this.#state.hasProfile || this.#state.space === 'cmyk')
  }

  #with(changes: Partial<FrameState>): ImageFrame {
    return new ImageFrame({ ...this.#state, ...changes })
  }

  #after({ alpha, space }: ApplyOptions): Partial<FrameState> {
    return { ...(alpha !== undefined && { hasAlpha: alpha }), ...(space && { space }) }
  }

  async #pipeline(srgb = false): Promise<Sharp> {
    const { open, pages, pending } = this.#state
    let image = await open(pages)
    if (!srgb) image = this.#inWorkingSpace(image)
    return pending ? pending(image) : image
  }

  /** Without this sharp would bring everything to 8 bit sRGB with three channels. */
  #inWorkingSpace(image: Sharp): Sharp {
    const { space, bits, colour } = this.#state
    const name =
      space === 'cmyk'
        ? 'cmyk'
        : space === 'grey'
          ? bits === 16
            ? 'grey16'
            : 'b-w'
          : bits === 16
            ? 'rgb16'
            : undefined
    if (name) image = image.pipelineColourspace(name).toColourspace(name)
    return colour === 'native' && this.#state.hasProfile ? image.keepIccProfile() : image
  }

  /** The frame with its waiting operation computed; with `srgb`, brought to sRGB on the way. */
  async #computed(srgb = false): Promise<ImageFrame> {
    const state = this.#state
    const convert = srgb && this.#needsConversion
    if (!state.pending && !convert) return this
    // A waiting operation belongs to the picture's own space: it is computed there, before the conversion.
    if (state.pending && convert) return (await this.#computed())!.#computed(true)
    const image = await this.#pipeline(convert)
    if (state.pages > 1) {
      const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
      const channels = info.channels as Pixels['channels']
      const height = info.pageHeight ?? Math.round(info.height / state.pages)
      return this.withPixels({ data, width: info.width, height: info.height, channels, pageHeight: height })
    }
    const space = convert && state.space === 'cmyk' ? 'rgb' : state.space
    const { data, info } = await carrier(convert ? withConversion(image, state) : image.keepMetadata(), space)
    return this.#with({
      open: () => openSharp(data),
      width: info.width,
      height: info.height,
      hasAlpha: info.channels === 2 || (info.channels === 4 && space !== 'cmyk'),
      space,
      pending: undefined,
      ...(convert && { colour: 'srgb' as const, hasProfile: false, untouched: false }),
    })
  }

  async #applyPagewise(operation: (image: Sharp) => Sharp, options: ApplyOptions): Promise<ImageFrame> {
    const { data, width, channels, pageHeight } = await this.pixels({ alpha: 'keep' })
    const bytes = width * pageHeight * channels
    const parts: Buffer[] = []
    let size: (Size & { channels: number }) | undefined
    for (let page = 0; page < this.pages; page += 1) {
      const pageData = data.subarray(page * bytes, (page + 1) * bytes)
      const image = operation(await openRaw(pageData, { width, height: pageHeight, channels, pages: 1 }))
      const done = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
      size = done.info
      parts.push(done.data)
    }
    const { width: newWidth, height: newHeight, channels: newChannels } = size!
    const frame = await this.withPixels({
      data: Buffer.concat(parts),
      width: newWidth,
      height: newHeight * parts.length,
      channels: newChannels as Pixels['channels'],
      pageHeight: newHeight,
    })
    return frame.#with(this.#after(options))
  }
}

/** Raw 8 bit pixels as a sharp pipeline; several pages stand one below the other. */
function openRaw(data: Buffer, shape: Size & { channels: Pixels['channels']; pages: number }): Promise<Sharp> {
  const { width, height, channels, pages } = shape
  const raw = { width, height: height * pages, channels, ...(pages > 1 && { pageHeight: height }) }
  const used = pages === 1 ? data.subarray(0, width * height * channels) : data
  return openSharp(used, { raw })
}

/** Lossless, hardly compressed bytes that hold pixels together with their metadata between two operations. */
function carrier(
  image: Sharp,
  space: string,
): Promise<{ data: Buffer; info: { width: number; height: number; channels: number } }> {
  // PNG also carries EXIF, but has no CMYK.
  const encoded =
    space === 'cmyk'
      ? image.tiff({ compression: 'none' })
      : image.png({ compressionLevel: 0, adaptiveFiltering: false })
  return encoded.toBuffer({ resolveWithObject: true })
}

function withConversion(image: Sharp, state: FrameState): Sharp {
  if (state.bits === 16) {
    const wide = state.space === 'grey' ? 'grey16' : 'rgb16'
    return image.toColourspace(wide).keepExif().keepXmp()
  }
  return (state.space === 'grey' ? image.toColourspace('b-w') : image).keepExif().keepXmp()
}
