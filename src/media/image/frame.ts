import type { OverlayOptions, Sharp } from '../../engines/sharp.ts'
import { openSharp, readMetadata } from '../../engines/sharp.ts'
import type { Raster } from '../codecs/raster.ts'
import { printableName } from '../file.ts'
import { checkOutcomeSize } from '../limits.ts'
import { openFinished, rasterToPng } from './decode/carrier.ts'
import {
  carrier,
  drawn,
  drawnPng,
  hasProportionsOf,
  inWorkingSpace,
  openRaw,
  operateOnPages,
  withConversion,
} from './decode/frame-carriers.ts'
import type { ApplyOptions, FrameState, ImageOrigin, ImageTarget, Pixels, Samples } from './frame-state.ts'

export type { ApplyOptions, ImageOrigin, ImageTarget, MetadataPolicy, Pixels, Samples, Size } from './frame-state.ts'

/**
 * A picture between two steps: pixels, not an encoded file. It is immutable; every method gives a new frame. Operations
 * wait until the next one comes, so that decode, one operation and encode run as a single libvips pipeline (with
 * shrink-on-load); a chain of several decodes once and encodes once, with lossless pixels in between.
 */
export class ImageFrame {
  readonly #state: FrameState
  /** Pixels across, orientation applied. */
  readonly width: number
  /** Pixels down of one page, orientation applied. */
  readonly height: number
  readonly pages: number
  readonly delays: readonly number[]
  readonly loop: number
  readonly hasAlpha: boolean
  readonly bits: 8 | 16
  readonly space: 'rgb' | 'grey' | 'cmyk'
  readonly origin: ImageOrigin
  readonly target: ImageTarget
  readonly untouched: boolean
  /** See FrameState. */
  readonly isTurned: boolean
  readonly isReshaped: boolean
  /** Whether an embedded profile, not sRGB, tells what the numbers mean. */
  readonly hasOwnProfile: boolean

  constructor(state: FrameState) {
    this.#state = state
    this.width = state.width
    this.height = state.height
    this.pages = state.pages
    this.delays = state.delays
    this.loop = state.loop
    this.hasAlpha = state.hasAlpha
    this.bits = state.bits
    this.space = state.space
    this.origin = state.origin
    this.target = state.target
    this.untouched = state.untouched
    this.isTurned = state.isTurned ?? false
    this.isReshaped = state.isReshaped ?? false
    this.hasOwnProfile = state.hasProfile && state.colour === 'native'
  }

  /** A picture that a tool drew itself, from PNG bytes. `name` is what messages call it. */
  static async fromPng(bytes: Buffer, name: string): Promise<ImageFrame> {
    return new ImageFrame(drawnPng(bytes, name, await readMetadata(bytes)))
  }

  /** The frame with further encode options. */
  withTarget(target: ImageTarget): ImageFrame {
    return this.#with({ target: { ...this.#state.target, ...target } })
  }

  /** The frame with other delays (ms per page) or loop count (0 = forever). */
  withTiming(timing: { delays?: readonly number[]; loop?: number }): ImageFrame {
    return this.#with({ ...timing, untouched: false })
  }

  /** Only the first page of an animation. */
  async firstPage(): Promise<ImageFrame> {
    const state = this.#state
    if (state.pages === 1) return this
    if (state.pending) return (await this.#computed()).firstPage()
    return this.#with({ pages: 1, delays: [], loop: 0, open: () => state.open(1), untouched: false })
  }

  /** One sharp operation on every page. See ApplyOptions. @throws LIMIT_EXCEEDED when the result would be too large to open */
  async apply(operation: (image: Sharp) => Sharp, options: ApplyOptions = {}): Promise<ImageFrame> {
    const { size, pagewise = false, srgb = false } = options
    if (size && size.width * size.height > this.width * this.height)
      checkOutcomeSize(printableName(this.origin.name), size.width, size.height)
    if (this.#state.pending || (srgb && this.#needsConversion))
      return (await this.#computed(srgb)).apply(operation, { ...options, srgb: false })
    if (pagewise && this.pages > 1) return this.#applyPagewise(operation, options)
    return this.#with({ ...this.#after(options), ...size, pending: operation, untouched: false })
  }

  /** Draws pictures over every page, in sharp's terms. Positions are those of one page. */
  composite(layers: OverlayOptions[]): Promise<ImageFrame> {
    // libvips gives every composite an alpha channel; over an opaque picture it says nothing.
    const trim = (image: Sharp): Sharp => (this.hasAlpha ? image : image.removeAlpha())
    return this.apply((image) => trim(image.composite(layers)), { pagewise: true })
  }

  /** The pixels as 8 bit sRGB (or grey, when the picture is grey and `grey` is allowed). */
  async pixels(options: { alpha?: 'keep' | 'drop' | 'add'; grey?: boolean } = {}): Promise<Pixels> {
    const { alpha = 'keep', grey = false } = options
    const base = await this.#computed(true)
    const all = (await base.pipeline({ isLast: true })).toColourspace(grey && base.space === 'grey' ? 'b-w' : 'srgb')
    const image = alpha === 'drop' ? all.removeAlpha() : alpha === 'add' ? all.ensureAlpha() : all
    const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const { width, height } = info
    return { data, width, height, channels: info.channels as Pixels['channels'], pageHeight: base.height }
  }

  /** A frame of the same origin, timing and target with other pixels: 8 bit sRGB (or grey with 1 or 2 channels). */
  async withPixels(pixels: Pixels): Promise<ImageFrame> {
    const pages = Math.round(pixels.height / pixels.pageHeight)
    const { width, pageHeight: height, channels, data } = pixels
    const open = (wanted: number): Promise<Sharp> =>
      openRaw(data, { width, height, channels, pages: wanted === 1 ? 1 : pages })
    const raster: Raster = { width, height, channels, depth: 8, data }
    const reshaped = hasProportionsOf(this, raster) ? {} : { isReshaped: true }
    return this.#with({ ...drawn(raster), ...reshaped, pages, open: pages === 1 ? this.#openerOf(raster) : open })
  }

  /**
   * The samples as they are: own depth, own colour space (numbers of an embedded profile are not converted), grey or RGB,
   * with alpha, all pages. For arithmetic in typed arrays. Not for CMYK: `toRgb` comes before.
   */
  async samples(): Promise<Samples> {
    const { height, pages, bits } = this
    const raw = (await this.pipeline({ isLast: true })).raw({ depth: bits === 16 ? 'ushort' : 'uchar' })
    const { data, info } = await raw.toBuffer({ resolveWithObject: true })
    const view = bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
    return { data: view, width: info.width, height, channels: info.channels as Samples['channels'], pages }
  }

  /** This frame with what its `samples` gave, changed. Channels may be added or left out; size and depth may change too. */
  async withSamples({ data, width, height, channels, pages }: Samples): Promise<ImageFrame> {
    const { colour, hasProfile } = this.#state
    const depth = data instanceof Uint16Array ? 16 : 8
    const raster: Raster = { width, height, channels, depth, data }
    const icc = colour === 'native' && hasProfile ? this.origin.metadata.icc : undefined
    const open =
      pages === 1
        ? this.#openerOf(raster, icc)
        : (wanted: number) =>
            openRaw(Buffer.from(data.buffer, data.byteOffset, data.byteLength), {
              ...raster,
              pages: wanted === 1 ? 1 : pages,
            })
    const reshaped = hasProportionsOf(this, raster) ? {} : { isReshaped: true }
    return this.#with({ ...drawn(raster), ...reshaped, colour, hasProfile, pages, open })
  }

  /**
   * Raw pixels carry no metadata: that of the input goes with them. A PNG of them is made only for operations; an encoder,
   * which is most often what follows, does without.
   */
  #openerOf(raster: Raster, icc?: Buffer): FrameState['open'] {
    const { exif, xmp, density } = this.origin.metadata
    const blocks = { ...(exif && { exif }), ...(xmp && { xmp }), ...(icc && { icc }), ...(density && { density }) }
    let png: Promise<Buffer> | undefined
    return async (_pages, isFinished) => {
      if (isFinished) return openFinished(raster, blocks)
      png ??= rasterToPng(raster, blocks)
      return openSharp(await png)
    }
  }

  /**
   * The pending operation as a sharp pipeline, ready for an output format: orientation and working colour space are set;
   * metadata and format are the encoder's.
   * @param isLast the caller adds only what sharp does last (colour space, alpha, encoder): cheaper for computed pixels
   */
  async pipeline({ isLast = false } = {}): Promise<Sharp> {
    const { open, pages, pending } = this.#state
    const image = inWorkingSpace(await open(pages, isLast && !pending), this.#state)
    return pending ? pending(image) : image
  }

  /** The frame with its waiting operation done: for a frame that several go on from. */
  settled(): Promise<ImageFrame> {
    return this.#computed()
  }

  /** sRGB pixels, whatever the input was; embedded profiles and CMYK are converted, not dropped. */
  async toSrgb(): Promise<ImageFrame> {
    return this.#needsConversion ? this.#computed(true) : this
  }

  /** Three colour channels, before colour is drawn on a picture: grey and CMYK become sRGB, RGB stays as it is. */
  async toRgb(): Promise<ImageFrame> {
    if (this.space === 'rgb') return this
    const base = await this.toSrgb()
    if (base.space !== 'grey') return base
    const name = base.bits === 16 ? 'rgb16' : 'srgb'
    const coloured = await base.apply((image) => image.pipelineColourspace(name).toColourspace(name), { space: 'rgb' })
    return coloured.#computed()
  }

  get #needsConversion(): boolean {
    return this.#state.colour === 'native' && (this.#state.hasProfile || this.#state.space === 'cmyk')
  }

  #with(changes: Partial<FrameState>): ImageFrame {
    return new ImageFrame({ ...this.#state, ...changes })
  }

  #after({ alpha, space, size, pixelShape }: ApplyOptions): Partial<FrameState> {
    const shape = pixelShape ?? (hasProportionsOf(this, size ?? this) ? 'kept' : 'changed')
    return {
      ...(alpha !== undefined && { hasAlpha: alpha }),
      ...(space && { space }),
      ...(shape === 'turned' && { isTurned: !this.isTurned }),
      ...(shape === 'changed' && { isReshaped: true }),
    }
  }

  /** The frame with its waiting operation computed; with `srgb`, brought to sRGB on the way. */
  async #computed(srgb = false): Promise<ImageFrame> {
    const state = this.#state
    const convert = srgb && this.#needsConversion
    if (!state.pending && !convert) return this
    // A waiting operation belongs to the picture's own space: it is computed there, before the conversion.
    if (state.pending && convert) return (await this.#computed()).#computed(true)
    const image = convert ? await state.open(state.pages) : await this.pipeline()
    if (state.pages > 1) {
      const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
      const channels = info.channels as Pixels['channels']
      const height = info.pageHeight ?? Math.round(info.height / state.pages)
      return this.withPixels({ data, width: info.width, height: info.height, channels, pageHeight: height })
    }
    const space = convert && state.space === 'cmyk' ? 'rgb' : state.space
    const { data, info } = await carrier(convert ? withConversion(image, state) : image.keepMetadata(), space)
    const { width, height } = info
    return this.#with({
      ...{ open: () => openSharp(data), width, height, space, pending: undefined },
      hasAlpha: info.channels === 2 || (info.channels === 4 && space !== 'cmyk'),
      ...(convert && { colour: 'srgb' as const, hasProfile: false, untouched: false }),
    })
  }

  async #applyPagewise(operation: (image: Sharp) => Sharp, options: ApplyOptions): Promise<ImageFrame> {
    const frame = await this.withPixels(await operateOnPages(await this.pixels(), this.pages, operation))
    return frame.#with(this.#after(options))
  }
}
