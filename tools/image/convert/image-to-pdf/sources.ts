import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaprocError } from '../../../../src/errors.ts'
import { type MediaFile, openMediaFile, printableName } from '../../../../src/media/file.ts'
import { cutOffSentence } from '../../../../src/media/image/decode/cut-off.ts'
import { type DecodeOptions, decodeImage } from '../../../../src/media/image/decode/decode.ts'
import { encodeImage, encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import { imageError } from '../../../../src/media/image/errors.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { checkSound } from '../../../../src/media/image/metadata/sound.ts'
import { MAX_FRAMES } from '../../../../src/media/limits.ts'
import {
  framePicture,
  jpegSamples,
  type PdfPicture,
  pngSamples,
  profileFor,
} from '../../../../src/media/pdf/image/picture.ts'
import type { Placement } from '../../../../src/media/pdf/image/picture-pages.ts'
import { type PageOptions, placeOnPage } from './page-layout.ts'

/** A planned page: the source of its image, and its position. */
export interface PageSource {
  /** The user's file, for messages. */
  name: string
  file: MediaFile
  options: DecodeOptions
  pageOptions: PageOptions
  /** Its position; by the image's own size when absent. */
  placement?: Placement
}

/** An image with its position on a page. */
export interface PagePicture {
  picture: PdfPicture
  placement: Placement
}

/** Resolution for rendering drawings, pixels per inch of paper. */
const DRAWING_DPI = 300

const POINTS_PER_INCH = 72

const DRAWINGS = new Set(['svg', 'svgz'])

/** Types whose pixels are cheap to read again. */
const CHEAP = new Set(['jpg', 'png', 'webp', 'gif', 'tiff'])

/** The pages of a file: one per page of a TIFF, otherwise one. */
export async function pagesOf(file: MediaFile, pageOptions: PageOptions): Promise<PageSource[]> {
  const source = (options: DecodeOptions): PageSource => ({ name: file.name, file, options, pageOptions })
  if (file.type.id === 'eps') return [source({ dpi: DRAWING_DPI })]
  if (file.type.id !== 'tiff') return [source({ firstPage: true })]
  const count = (await decodeImage(file)).origin.metadata.pages ?? 1
  if (count > MAX_FRAMES)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${printableName(file.name)} has ${count} pages; the limit is ${MAX_FRAMES}`,
      { hint: 'Split it first.' },
    )
  return Array.from({ length: count }, (_, page) => source({ page }))
}

/** The frame of a page and its position: one pixel is one point, except for drawings, which have their own size. */
async function open({
  file,
  options,
  pageOptions,
  placement,
}: PageSource): Promise<{ frame: ImageFrame; placement: Placement }> {
  const frame = await decodeImage(file, options)
  if (placement) return { frame, placement }
  const points = file.type.id === 'eps' ? POINTS_PER_INCH / DRAWING_DPI : 1
  const place = placeOnPage({ width: frame.width * points, height: frame.height * points }, pageOptions)
  if (!DRAWINGS.has(file.type.id)) return { frame, placement: place }
  const pixels = (length: number): number => Math.ceil((length * DRAWING_DPI) / POINTS_PER_INCH)
  const box = { width: pixels(place.width), height: pixels(place.height) }
  return { frame: await decodeImage(file, { box }), placement: place }
}

/** A sentence about the parts of the file that no page shows, and whether its end is missing. */
export async function lossOf({
  file,
  options,
}: PageSource): Promise<{ sentence: string; truncated?: true } | undefined> {
  if (!['jpg', 'png', 'gif', 'webp'].includes(file.type.id)) return undefined
  const { isCutOff, metadata } = (await decodeImage(file, options)).origin
  const { pages = 1 } = metadata
  if (isCutOff) return { sentence: cutOffSentence(file.name), truncated: true }
  return file.type.id !== 'png' && pages > 1
    ? {
        sentence: `${printableName(file.name)} has ${pages} frames; a page shows one image, so only the first is used`,
      }
    : undefined
}

/** The lossless image of a page: JPEG and PNG files are embedded unchanged if PDF supports them. */
export async function losslessPicture(source: PageSource): Promise<PagePicture> {
  const { name, file } = source
  try {
    const { frame, placement } = await open(source)
    const { id } = file.type
    const read = id === 'jpg' ? jpegSamples : id === 'png' ? pngSamples : undefined
    if (read) await checkSound(frame)
    // PDF readers would show less of a truncated image, or refuse it.
    const samples = frame.origin.isCutOff ? undefined : read?.(await readFile(file.path))
    if (!samples) return { picture: await framePicture(frame), placement }
    const { orientation = 1, icc } = frame.origin.metadata
    const profile = profileFor(samples.colour, icc)
    return { picture: { ...samples, orientation, ...(profile && { profile }) }, placement }
  } catch (error) {
    throw imageError(error, name)
  }
}

/** The image of a page as a JPEG with a quality from 1 to 100, on white, in sRGB, without metadata. */
export async function jpegPicture(source: PageSource, quality: number): Promise<PagePicture> {
  try {
    const { frame, placement } = await open(source)
    const target = { format: 'jpg', quality, metadata: 'none', background: '#ffffff' } as const
    const jpeg = await encodeToBuffer(frame.withTarget(target))
    return { picture: { ...jpegSamples(jpeg)!, orientation: 1 }, placement }
  } catch (error) {
    throw imageError(error, source.name)
  }
}

/** The source in a form that is cheap to read again, for the search; stored in the job's folder. */
export async function readyToRepeat(source: PageSource, folder: string, index: number): Promise<PageSource> {
  if (CHEAP.has(source.file.type.id)) return source
  try {
    const { frame, placement } = await open(source)
    const path = join(folder, `page-${index}.png`)
    await encodeImage(frame.withTarget({ format: 'png' }), path)
    return { ...source, file: await openMediaFile(path), options: {}, placement }
  } catch (error) {
    throw imageError(error, source.name)
  }
}
