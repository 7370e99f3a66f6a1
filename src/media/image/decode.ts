import { readFile } from 'node:fs/promises'
import { type Metadata, openSharp, readMetadata, type Sharp } from '../../engines/sharp.ts'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { checkImageSize } from '../limits.ts'
import { imageError } from './errors.ts'
import { ImageFrame } from './frame.ts'

export interface DecodeOptions {
  /** Only the first frame of an animation. */
  firstPage?: boolean
  /** Dots per inch for drawings (SVG: CSS pixels are 1/96 inch; EPS). Default: 96 for SVG, so that 1 unit is 1 pixel. */
  dpi?: number
  /** Take the pixels as they are stored, without turning them by the EXIF orientation. */
  keepOrientation?: boolean
}

/** Types that sharp reads itself, straight from the file. */
const DIRECT = new Set(['jpg', 'png', 'apng', 'webp', 'gif', 'avif'])

const ANIMATED = new Set(['gif', 'webp'])

/** What sharp is to open, and how, once the type of the file is known. */
interface Source {
  input: string | Buffer
  metadata: Metadata
  /** The pixels need no turning: the decoder did it. */
  upright?: boolean
  density?: number
  rasterisedAtDpi?: number
}

async function readHeader(input: string | Buffer, name: string, options: object = {}): Promise<Metadata> {
  try {
    return await readMetadata(input, options)
  } catch (error) {
    throw imageError(error, name)
  }
}

async function openSvg(file: MediaFile, dpi = 96): Promise<Source> {
  const limit = environmentNumber('MAX_SVG_SIZE_MB')
  if (limit > 0 && file.bytes > limit * 1e6)
    throw new MediaprocError('FILE_TOO_LARGE', `${printableName(file.name)} is larger than ${limit} MB`, {
      hint: 'Raise the limit with MAX_SVG_SIZE_MB.',
    })
  // From memory a drawing has no base address, so it cannot pull in other files; librsvg opens no network itself.
  const input = await readFile(file.path)
  const density = await svgDensity(input, file.name, dpi)
  const metadata = await readHeader(input, file.name, { density })
  return { input, metadata, upright: true, density, rasterisedAtDpi: dpi }
}

/** The density at which libvips draws a CSS pixel, and a length in inches or mm, as large as at this dpi. */
const LIBVIPS_DENSITY = 72

/**
 * libvips draws a user unit as density / 72 pixels, where CSS says dpi / 96; sizes in physical units it scales twice, so
 * that they grow with the square of the density. Which of the two a drawing has is told by its size at two densities.
 */
async function svgDensity(input: Buffer, name: string, dpi: number): Promise<number> {
  const [once, twice] = await Promise.all(
    [1, 2].map((times) => readHeader(input, name, { density: LIBVIPS_DENSITY * times })),
  )
  const isPhysical = twice!.width > once!.width * 3
  return LIBVIPS_DENSITY * (isPhysical ? Math.sqrt(dpi / LIBVIPS_DENSITY) : dpi / 96)
}

async function openSource(file: MediaFile, options: DecodeOptions): Promise<Source> {
  const { id } = file.type
  if (DIRECT.has(id)) return { input: file.path, metadata: await readHeader(file.path, file.name, { animated: false }) }
  if (id === 'svg' || id === 'svgz') return openSvg(file, options.dpi)
  if (id === 'tiff') {
    const metadata = await readHeader(file.path, file.name)
    return { input: file.path, metadata }
  }
  const { decodeOther } = await import('./decode-other.ts')
  const { input, header } = await decodeOther(file, options)
  return { input, metadata: { ...(await readHeader(input, file.name)), ...header }, upright: true }
}

const swaps = (orientation: number | undefined): boolean => orientation !== undefined && orientation >= 5

/**
 * The one place where a picture becomes pixels. The type is that of the content. Checks the size before decoding,
 * applies the EXIF orientation, keeps profile, alpha, 16 bit and all frames of GIF and WebP animations.
 * @throws UNSUPPORTED_FILE_TYPE, INVALID_FILE, LIMIT_EXCEEDED, ENGINE_UNAVAILABLE
 */
export async function decodeImage(file: MediaFile, options: DecodeOptions = {}): Promise<ImageFrame> {
  const shown = printableName(file.name)
  if (file.type.group !== 'image')
    throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${shown} is not a picture: its content is ${describeType(file)}`)
  const { input, metadata, upright = false, density, rasterisedAtDpi } = await openSource(file, options)
  const pages = options.firstPage || !ANIMATED.has(file.type.id) ? 1 : (metadata.pages ?? 1)
  checkImageSize(shown, metadata.width, metadata.height, pages)
  const turn = !upright && !options.keepOrientation && (metadata.orientation ?? 1) > 1
  const swap = turn && swaps(metadata.orientation)
  const open = async (wanted: number): Promise<Sharp> => {
    const image = await openSharp(input, { ...(wanted > 1 && { animated: true }), ...(density && { density }) })
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
    untouched: typeof input === 'string',
    target: {},
    open,
    pending: undefined,
  })
}

function describeType(file: MediaFile): string {
  const { id, group } = file.type
  if (group === 'text' || id === 'txt') return 'plain text'
  if (group === 'unknown') return 'of no known type'
  return id.toUpperCase()
}
