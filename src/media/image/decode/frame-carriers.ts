import { type Metadata, openSharp, type Sharp } from '../../../engines/sharp.ts'
import type { Raster } from '../../codecs/raster.ts'
import { typeById } from '../../type.ts'
import type { FrameState, Pixels, Size } from '../frame-state.ts'

/** Raw 8 bit pixels as a sharp pipeline; several pages are stacked vertically. */
export function openRaw(data: Buffer, shape: Size & { channels: Pixels['channels']; pages: number }): Promise<Sharp> {
  const { width, height, channels, pages } = shape
  const raw = { width, height: height * pages, channels, ...(pages > 1 && { pageHeight: height }) }
  const used = pages === 1 ? data.subarray(0, width * height * channels) : data
  return openSharp(used, { raw })
}

/** Lossless, weakly compressed bytes that keep pixels and their metadata together between two operations. */
export function carrier(
  image: Sharp,
  space: string,
): Promise<{ data: Buffer; info: { width: number; height: number; channels: number } }> {
  // PNG also carries EXIF, but does not support CMYK.
  const encoded =
    space === 'cmyk'
      ? image.tiff({ compression: 'none' })
      : image.png({ compressionLevel: 0, adaptiveFiltering: false })
  return encoded.toBuffer({ resolveWithObject: true })
}

export function withConversion(image: Sharp, state: FrameState): Sharp {
  if (state.bits === 16) {
    const wide = state.space === 'grey' ? 'grey16' : 'rgb16'
    return image.toColourspace(wide).keepExif().keepXmp()
  }
  return (state.space === 'grey' ? image.toColourspace('b-w') : image).keepExif().keepXmp()
}

/** sharp's name for the frame's processing colour space; none for 8 bit RGB, sharp's default. */
function spaceName({ space, bits }: FrameState): 'cmyk' | 'grey16' | 'b-w' | 'rgb16' | undefined {
  if (space === 'cmyk') return 'cmyk'
  if (space === 'grey') return bits === 16 ? 'grey16' : 'b-w'
  return bits === 16 ? 'rgb16' : undefined
}

/** Otherwise sharp would convert everything to 8 bit sRGB with three channels. */
export function inWorkingSpace(image: Sharp, state: FrameState): Sharp {
  const name = spaceName(state)
  const placed = name ? image.pipelineColourspace(name).toColourspace(name) : image
  return state.colour === 'native' && state.hasProfile ? placed.keepIccProfile() : placed
}

/** Whether a size equals that of an image, or that of the image scaled equally in both directions, to the pixel. */
export function hasProportionsOf({ width, height }: Size, other: Size): boolean {
  return Math.abs((other.width * height) / width - other.height) < 1
}

/** Applies the operation to every page of an animation separately. */
export async function operateOnPages(
  { data, width, channels, pageHeight }: Pixels,
  pages: number,
  operation: (image: Sharp) => Sharp,
): Promise<Pixels> {
  const bytes = width * pageHeight * channels
  const parts: Buffer[] = []
  let size: (Size & { channels: number }) | undefined
  for (let page = 0; page < pages; page += 1) {
    const pageData = data.subarray(page * bytes, (page + 1) * bytes)
    const image = operation(await openRaw(pageData, { width, height: pageHeight, channels, pages: 1 }))
    const done = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    size = done.info
    parts.push(done.data)
  }
  return {
    data: Buffer.concat(parts),
    width: size!.width,
    height: size!.height * parts.length,
    channels: size!.channels as Pixels['channels'],
    pageHeight: size!.height,
  }
}

/** The properties of a frame whose pixels were recomputed in sRGB. */
export function drawn({ width, height, channels, depth }: Raster) {
  return {
    width,
    height,
    bits: depth === 16 ? 16 : 8,
    colour: 'srgb',
    space: channels < 3 ? 'grey' : 'rgb',
    hasAlpha: channels % 2 === 0,
    hasProfile: false,
    pending: undefined,
    untouched: false,
  } satisfies Partial<FrameState>
}

/** The state of a frame that a tool drew itself. */
export function drawnPng(bytes: Buffer, name: string, metadata: Metadata): FrameState {
  return {
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
  }
}
