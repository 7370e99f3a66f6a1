import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { openSharp, type Sharp } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { once } from '../../../once.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { checkImageSize } from '../../limits.ts'
import { ImageFrame } from '../frame.ts'
import { withExifDensity } from '../metadata/resolution.ts'
import { cutOff, cutOffSentence } from './cut-off.ts'
import { openSvg } from './decode-svg.ts'
import { type DecodeOptions, type Reading, readHeader, type Source } from './source.ts'

export type { DecodeOptions } from './source.ts'

/** Types that sharp reads directly from the file. */
const DIRECT = new Set(['jpg', 'png', 'apng', 'webp', 'gif', 'avif'])

/**
 * Files up to this size are read once. libvips reopens a file for each reader that it probes, and does so on every
 * access: more than thirty times for a small JPEG.
 */
const HELD_BYTES = 4 * 1024 * 1024

const ANIMATED = new Set(['gif', 'webp', 'apng'])

const pngSource = once(() => import('./png-source.ts'))

async function mended({ type, path }: MediaFile, held?: Buffer): Promise<Reading | undefined> {
  if (type.id === 'png') return (await pngSource()).mendedPng(path, held)
  if (type.id === 'avif') return (await import('./avif-source.ts')).stillOfSequence(path, held)
  return type.id === 'gif' ? (await import('./gif-source.ts')).mendedGif(path, held) : undefined
}

/** Opens from the file, or from memory: small files, and files that libvips would misread. */
async function openDirect(file: MediaFile): Promise<Source> {
  // Synchronous: the decoding process serves no requests, and four calls on other threads cost more than the read.
  const held = file.bytes <= HELD_BYTES ? readFileSync(file.path) : undefined
  const reading = (await cutOff(file, held)) ?? (await mended(file, held))
  if (reading) {
    const options = reading.isCutOff ? { failOn: 'none' } : {}
    return { ...reading, metadata: await readHeader(reading.input, file.name, options) }
  }
  const input = held ?? file.path
  const metadata = await readHeader(input, file.name, { animated: false })
  if (!metadata.gainMap) return { input, metadata, ...(held && { held }) }
  const { withoutGainMap } = await import('../metadata/gain-map.ts')
  const plain = withoutGainMap(held ?? (await readFile(file.path)))
  return { input: plain, metadata: await readHeader(plain, file.name), hasGainMap: true }
}

/** Opens a page by its index from 0; reduced-size copies do not count as pages. */
async function openTiff(file: MediaFile, wanted: number): Promise<Source> {
  const { pagePlaces } = await import('./tiff-pages.ts')
  const { places, misreadPlanes } = (await pagePlaces(file.path)) ?? {}
  const count = places?.length ?? (await readHeader(file.path, file.name)).pages ?? 1
  if (wanted >= count) throw noPage(file.name, wanted, count)
  const page = places?.[wanted] ?? wanted
  const source = await openTiffPage(file, page, misreadPlanes?.has(page))
  return { ...source, page, metadata: { ...source.metadata, pages: count } }
}

const noPage = (name: string, wanted: number, count: number): MediaprocError =>
  new MediaprocError('TARGET_UNREACHABLE', `${printableName(name)} has no page ${wanted + 1}`, {
    status: 400,
    hint: count === 1 ? 'It has one page.' : `Its pages are 1 to ${count}.`,
  })

/** Opens the page in one directory, from the file, or from memory if libvips would misread its samples. */
async function openTiffPage(file: MediaFile, page: number, isMisread = false): Promise<Source> {
  const read = async () => ({ input: file.path, metadata: await readHeader(file.path, file.name, { page }) })
  const [given, refusal] = await read().then(
    (source) => [source, undefined] as const,
    (error: unknown) => [undefined, error] as const,
  )
  const { depth, space } = given?.metadata ?? {}
  if (!isMisread && (space === 'labs' || ((depth === 'uchar' || depth === 'ushort') && space !== 'multiband')))
    return given!
  const { mendedTiff } = await import('./decode-tiff.ts')
  const mended = await mendedTiff(file, page)
  if (!mended && given) return given
  if (!mended) throw refusal
  const { orientation, pages } = given?.metadata ?? {}
  const { input, loss } = mended
  const metadata = await readHeader(input, file.name)
  return {
    input,
    ...(loss && { loss }),
    metadata: { ...metadata, ...(orientation && { orientation }), ...(pages && { pages }) },
  }
}

async function openSource(file: MediaFile, options: DecodeOptions): Promise<Source> {
  const { id } = file.type
  if (id === 'apng' && !options.firstPage) {
    const { withFrames } = await import('./apng-source.ts')
    return withFrames(file, await readFile(file.path), await openDirect(file), options)
  }
  if (DIRECT.has(id)) {
    const source = await openDirect(file)
    if (!source.isSequence || options.firstPage) return source
    return (await import('./avif-source.ts')).withSequence(file, source, options)
  }
  if (id === 'svg' || id === 'svgz') return openSvg(file, options)
  if (id === 'tiff') return openTiff(file, options.page ?? 0)
  const { decodeOther } = await import('./decode-other.ts')
  const { input, header, hasGainMap, animation } = await decodeOther(file, options)
  const metadata = { ...(await readHeader(input, file.name)), ...header }
  const source: Source = { input, metadata, upright: true, ...(hasGainMap && { hasGainMap }) }
  if (!animation || options.firstPage) return source
  const { raster, delays } = animation
  const { openRaw } = await import('./frame-carriers.ts')
  const data = Buffer.from(raster.data.buffer, raster.data.byteOffset, raster.data.byteLength)
  const pages = delays.length
  return {
    ...source,
    metadata: { ...metadata, pages, pageHeight: raster.height, delay: [...delays], loop: 0 },
    openPages: () => openRaw(data, { ...raster, pages }),
  }
}

const swaps = (orientation: number | undefined): boolean => orientation !== undefined && orientation >= 5

/**
 * Decodes an image to pixels; all decoding uses this function. The type is detected from content. Checks the size
 * before decoding, applies the EXIF orientation, keeps profile, alpha, 16 bit and all frames of animations.
 * @throws UNSUPPORTED_FILE_TYPE, INVALID_FILE, LIMIT_EXCEEDED, ENGINE_UNAVAILABLE
 */
export async function decodeImage(file: MediaFile, options: DecodeOptions = {}): Promise<ImageFrame> {
  const shown = printableName(file.name)
  if (file.type.group !== 'image')
    throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${shown} is not a picture: its content is ${describeType(file)}`)
  if (options.page && file.type.id !== 'tiff') throw noPage(file.name, options.page, 1)
  const source = await openSource(file, options)
  const {
    input,
    metadata: header,
    upright = false,
    density,
    rasterisedAtDpi,
    isCutOff,
    isSequence,
    hasGainMap,
    held,
  } = source
  const metadata = withExifDensity(header)
  // A repaired file contains only the one page.
  const page = typeof input === 'string' ? (source.page ?? 0) : 0
  const mayMove = ANIMATED.has(file.type.id) || source.openPages !== undefined
  const pages = options.firstPage || !mayMove ? 1 : (metadata.pages ?? 1)
  checkImageSize(shown, metadata.width, metadata.height, pages)
  if (isCutOff) options.warn?.(cutOffSentence(file.name))
  if (source.loss) options.warn?.(source.loss)
  // APNG frames are already rotated as displayed.
  const turn = !upright && !source.openPages && !options.keepOrientation && (metadata.orientation ?? 1) > 1
  const swap = turn && swaps(metadata.orientation)
  const open = async (wanted: number): Promise<Sharp> => {
    if (wanted > 1 && source.openPages) return source.openPages()
    const image = await openSharp(input, {
      ...(wanted > 1 && { animated: true }),
      ...(density && { density }),
      ...(page > 0 && { page }),
      ...(isCutOff && { failOn: 'none' as const }),
    })
    return turn ? image.autoOrient() : image
  }
  return new ImageFrame({
    origin: {
      type: file.type,
      name: file.name,
      path: file.path,
      bytes: file.bytes,
      metadata,
      ...(rasterisedAtDpi && { rasterisedAtDpi }),
      ...(hasGainMap && { hasGainMap }),
      ...(held && { held }),
      ...(isCutOff && { isCutOff }),
      ...(options.page !== undefined && { page: options.page }),
    },
    width: swap ? metadata.height : metadata.width,
    height: swap ? metadata.width : metadata.height,
    pages,
    delays: pages > 1 ? (metadata.delay ?? []) : [],
    loop: pages > 1 ? (metadata.loop ?? 0) : 0,
    hasAlpha: metadata.hasAlpha ?? false,
    bits: metadata.depth === 'ushort' || metadata.depth === 'short' || metadata.depth === 'float' ? 16 : 8,
    space:
      metadata.space === 'cmyk' ? 'cmyk' : metadata.space === 'b-w' || metadata.space === 'grey16' ? 'grey' : 'rgb',
    colour: 'native',
    hasProfile: metadata.icc !== undefined && pages === 1,
    // The original is not returned for a truncated file, or for an animation that is decoded as a still image.
    untouched: !options.page && !isCutOff && !isSequence,
    target: {},
    open,
    pending: undefined,
    ...(swap && { isTurned: true }),
  })
}

function describeType(file: MediaFile): string {
  const { id, group } = file.type
  if (group === 'text' || id === 'txt') return 'plain text'
  if (group === 'unknown') return 'of no known type'
  return id.toUpperCase()
}
