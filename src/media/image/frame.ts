import type { OverlayOptions, Sharp } from '../../engines/sharp.ts'
import { openSharp, readMetadata } from '../../engines/sharp.ts'
import type { Raster } from '../codecs/raster.ts'
import { printableName } from '../file.ts'
import { checkOutcomeSize } from '../limits.ts'
import { blackPixel, openerOf } from './decode/carrier.ts'
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
import {
  type ApplyOptions,
  type FrameState,
  type ImageOrigin,
  type ImageTarget,
  type Pixels,
  type Samples,
  STAGES,
} from './frame-state.ts'

export type { ApplyOptions, ImageOrigin, ImageTarget, MetadataPolicy, Pixels, Samples, Size } from './frame-state.ts'

/**
 * An image between two steps: pixels, not an encoded file. It is immutable; every method returns a new frame.
 * Operations are deferred until the next one, so that decode, one operation (or several that sharp runs in this order) and
 * encode run as a single libvips pipeline (with shrink-on-load); other chains decode once and encode once, with lossless
 * pixels in between.
 */
export class ImageFrame {
  readonly #state: FrameState
  /** Width in pixels, orientation applied. */
  readonly width: number
  /** Height of one page in pixels, orientation applied. */
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
  /** Whether an embedded profile other than sRGB defines the colours. */
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

  /** An image drawn by a tool, from PNG bytes. `name` is used in messages. */
  static async fromPng(bytes: Buffer, name: string): Promise<ImageFrame> {
    return new ImageFrame(drawnPng(bytes, name, await readMetadata(bytes)))
  }

  /** An image drawn by a tool, from samples in sRGB. `name` is used in messages. */
  static async fromRaster(raster: Raster, name: string): Promise<ImageFrame> {
    const { width, height } = raster
    const pixel = await blackPixel(raster)
    const state = drawnPng(pixel, name, { ...(await readMetadata(pixel)), width, height })
    return new ImageFrame({ ...state, open: openerOf(raster) })
  }

  /** Returns the frame with additional encode options. */
  withTarget(target: ImageTarget): ImageFrame {
    return this.#with({ target: { ...this.#state.target, ...target } })
  }

  /** Returns the frame with these encode options only, without those of earlier steps. */
  withOnlyTarget(target: ImageTarget): ImageFrame {
    return this.#with({ target })
  }

  /** Returns the frame with other delays (ms per page) or loop count (0 = forever). */
  withTiming(timing: { delays?: readonly number[]; loop?: number }): ImageFrame {
    return this.#with({ ...timing, untouched: false })
  }

  /** Keeps only the first page of an animation. */
  async firstPage(): Promise<ImageFrame> {
    const state = this.#state
    if (state.pages === 1) return this
    if (state.pending) return (await this.#computed()).firstPage()
    return this.#with({ pages: 1, delays: [], loop: 0, open: () => state.open(1), untouched: false })
  }

  /**
   * Applies one sharp operation to every page. See ApplyOptions. @throws LIMIT_EXCEEDED when the result would be too
   * large to open
   */
  async apply(operation: (image: Sharp) => Sharp, options: ApplyOptions = {}): Promise<ImageFrame> {
    const { size, pagewise = false, srgb = false } = options
    if (size && size.width * size.height > this.width * this.height)
      checkOutcomeSize(printableName(this.origin.name), size.width, size.height)
    const { pending } = this.#state
    if ((pending && !this.#canContinue(options)) || (srgb && this.#needsConversion))
      return (await this.#computed(srgb)).apply(operation, { ...options, srgb: false })
    if (pagewise && this.pages > 1) return this.#applyPagewise(operation, options)
    const all = pending ? (image: Sharp) => operation(pending(image)) : operation
    return this.#with({ ...this.#after(options), ...size, pending: all, stage: options.stage, untouched: false })
  }

  /**
   * Whether an operation can follow the pending ones in the same pipeline with the same result. With alpha, sharp
   * premultiplies around a resize; other depths and spaces are converted between operations.
   */
  #canContinue({ stage }: ApplyOptions): boolean {
    const { stage: before, pages, hasAlpha, hasProfile, bits, space } = this.#state
    if (!stage || !before || STAGES.indexOf(stage) <= STAGES.indexOf(before)) return false
    return pages === 1 && !hasAlpha && !hasProfile && bits === 8 && space === 'rgb'
  }

  /** Composites images over every page, with sharp's options. Positions are relative to one page. */
  composite(layers: OverlayOptions[]): Promise<ImageFrame> {
    // libvips adds alpha to every composite; for an opaque image it is meaningless.
    const trim = (image: Sharp): Sharp => (this.hasAlpha ? image : image.removeAlpha())
    return this.apply((image) => trim(image.composite(layers)), { pagewise: true })
  }

  /** The pixels as 8 bit sRGB (or grey, if the image is grey and `grey` is allowed). */
  async pixels(options: { alpha?: 'keep' | 'drop' | 'add'; grey?: boolean } = {}): Promise<Pixels> {
    const { alpha = 'keep', grey = false } = options
    const base = await this.#computed(true)
    const all = (await base.pipeline({ isLast: true })).toColourspace(grey && base.space === 'grey' ? 'b-w' : 'srgb')
    const image = alpha === 'drop' ? all.removeAlpha() : alpha === 'add' ? all.ensureAlpha() : all
    const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    const { width, height } = info
    return { data, width, height, channels: info.channels as Pixels['channels'], pageHeight: base.height }
  }

  /** A frame with the same origin, timing and target but other pixels: 8 bit sRGB (or grey with 1 or 2 channels). */
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
   * The samples as they are: own depth, own colour space (values of an embedded profile are not converted), grey or
   * RGB, with alpha, all pages. For computations in typed arrays. Not for CMYK: call `toRgb` first.
   */
  async samples(): Promise<Samples> {
    const { height, pages, bits } = this
    const raw = (await this.pipeline({ isLast: true })).raw({ depth: bits === 16 ? 'ushort' : 'uchar' })
    const { data, info } = await raw.toBuffer({ resolveWithObject: true })
    const view = bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data
    return { data: view, width: info.width, height, channels: info.channels as Samples['channels'], pages }
  }

  /**
   * This frame with modified samples from `samples`. Channels may be added or removed; size and depth may change too.
   */
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

  /** Raw pixels carry no metadata, so the input's metadata is added. */
  #openerOf(raster: Raster, icc?: Buffer): FrameState['open'] {
    const { exif, xmp, density } = this.origin.metadata
    return openerOf(raster, {
      ...(exif && { exif }),
      ...(xmp && { xmp }),
      ...(icc && { icc }),
      ...(density && { density }),
    })
  }

  /**
   * The pending operation as a sharp pipeline, ready for an output format: orientation and working colour space are set;
   * the encoder adds metadata and format.
   * @param isLast the caller only adds sharp's final operations (colour space, alpha, encoder): cheaper for computed pixels
   */
  async pipeline({ isLast = false } = {}): Promise<Sharp> {
    const { open, pages, pending } = this.#state
    const image = inWorkingSpace(await open(pages, isLast && !pending), this.#state)
    return pending ? pending(image) : image
  }

  /** Returns the frame with its pending operation computed, for a frame that several operations start from. */
  settled(): Promise<ImageFrame> {
    return this.#computed()
  }

  /** Returns sRGB pixels for any input; embedded profiles and CMYK are converted, not dropped. */
  async toSrgb(): Promise<ImageFrame> {
    return this.#needsConversion ? this.#computed(true) : this
  }

  /** Returns three colour channels, before colour is drawn on an image: grey and CMYK become sRGB, RGB is unchanged. */
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

  /** Returns the frame with its pending operation computed; with `srgb`, also converted to sRGB. */
  async #computed(srgb = false): Promise<ImageFrame> {
    const state = this.#state
    const convert = srgb && this.#needsConversion
    if (!state.pending && !convert) return this
    // A pending operation belongs to the image's own colour space and is computed there, before the conversion.
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
