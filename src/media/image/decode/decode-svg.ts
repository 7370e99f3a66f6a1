import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Metadata } from '../../../engines/sharp.ts'
import { environmentNumber } from '../../../environment.ts'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { type DecodeOptions, readHeader, type Source } from './source.ts'

/** The density at which libvips renders a CSS pixel as one pixel, and inches or mm at this dpi. */
const LIBVIPS_DENSITY = 72

/** A CSS pixel is 1/96 inch. */
const CSS_DPI = 96

/** Maximum side length that libvips renders, in pixels. */
const MAX_SIDE = 32_767

/** Maximum decompressed size of a drawing if MAX_SVG_SIZE_MB sets no limit, in bytes. */
const MAX_UNPACKED_BYTES = 256e6

/** Subdivision of a CSS pixel when measuring the size of a drawing. */
const FINE = 8

/**
 * Opens an SVG, compressed or not, at `dpi` (default: 1 unit is 1 pixel) or at the size of `box`. The resolution is
 * limited to the range of sharp; `rasterisedAtDpi` is the one used.
 * @throws FILE_TOO_LARGE above MAX_SVG_SIZE_MB, LIMIT_EXCEEDED for a side that cannot be rendered, INVALID_FILE
 */
export async function openSvg(file: MediaFile, { dpi = CSS_DPI, box }: DecodeOptions): Promise<Source> {
  // In memory, a drawing has no base address and cannot load other files; librsvg makes no network requests.
  const input = await readDrawing(file)
  const isPhysical = await hasPhysicalSize(input, file.name)
  const header = (at: number): Promise<Metadata> =>
    readHeader(input, file.name, { density: densityFor(at, isPhysical) })
  const wanted = within(box ? await dpiToFit(box, header) : dpi, isPhysical)
  const metadata = await header(wanted)
  if (metadata.width > MAX_SIDE || metadata.height > MAX_SIDE)
    throw limitExceeded(
      `${printableName(file.name)} would be drawn ${metadata.width} x ${metadata.height} pixels; no side may be longer than ${MAX_SIDE}`,
      { hint: 'Ask for a smaller size, or a lower dpi.' },
    )
  return { input, metadata, upright: true, density: densityFor(wanted, isPhysical), rasterisedAtDpi: wanted }
}

function tooLarge({ name }: MediaFile, limit: number, what: string): MediaprocError {
  const sentence = `${printableName(name)} is ${what}larger than ${limit / 1e6} MB`
  return limitExceeded(sentence, { variable: 'MAX_SVG_SIZE_MB' }, 'FILE_TOO_LARGE')
}

/** The text of a drawing, compressed or not. @throws FILE_TOO_LARGE above MAX_SVG_SIZE_MB, INVALID_FILE */
export async function readDrawing(file: MediaFile): Promise<Buffer> {
  const limit = environmentNumber('MAX_SVG_SIZE_MB') * 1e6
  if (limit > 0 && file.bytes > limit) throw tooLarge(file, limit, '')
  const bytes = await readFile(file.path)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (!isPacked) return bytes
  const largest = limit || MAX_UNPACKED_BYTES
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: largest })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(file, largest, 'when unpacked ')
    throw new MediaprocError('INVALID_FILE', `${printableName(file.name)} cannot be unpacked: its data is damaged`, {
      cause: error,
      detail: String((error as Error).message),
    })
  }
}

/**
 * libvips renders a user unit as density / 72 pixels, while CSS uses dpi / 96. It scales sizes in physical units twice,
 * so they grow with the square of the density. The size at two densities shows which of the two a drawing uses.
 */
async function hasPhysicalSize(input: Buffer, name: string): Promise<boolean> {
  const [once, twice] = await Promise.all(
    [1, 2].map((times) => readHeader(input, name, { density: LIBVIPS_DENSITY * times })),
  )
  return twice!.width > once!.width * 3
}

function densityFor(dpi: number, isPhysical: boolean): number {
  return LIBVIPS_DENSITY * (isPhysical ? Math.sqrt(dpi / LIBVIPS_DENSITY) : dpi / CSS_DPI)
}

/** The resolution closest to `dpi` that sharp accepts. */
function within(dpi: number, isPhysical: boolean): number {
  const [lowest, highest] = [1, 100_000].map((density) =>
    isPhysical ? density ** 2 / LIBVIPS_DENSITY : (density / LIBVIPS_DENSITY) * CSS_DPI,
  )
  return Math.min(highest!, Math.max(lowest!, dpi))
}

/** The resolution at which the drawing fits a box, keeping its aspect ratio. */
async function dpiToFit(
  { width, height }: NonNullable<DecodeOptions['box']>,
  header: (dpi: number) => Promise<Metadata>,
): Promise<number> {
  const unbound = Number.POSITIVE_INFINITY
  const fine = await header(CSS_DPI * FINE)
  const scale = Math.min((width ?? unbound) / fine.width, (height ?? unbound) / fine.height)
  return Number.isFinite(scale) ? CSS_DPI * FINE * scale : CSS_DPI
}
