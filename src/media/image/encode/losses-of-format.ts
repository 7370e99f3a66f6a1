import { printableName } from '../../file.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { drops } from './keep-metadata.ts'

/** Data of the input that the output lacks and that a user would miss. */
export function lossOf({ origin, pages }: ImageFrame, format: ImageFormat): string | undefined {
  const name = printableName(origin.name)
  const inFile = origin.metadata.pages ?? 1
  if (pages > 1 && !format.animation)
    return `${name} has ${pages} frames; ${format.id.toUpperCase()} holds one picture, so only the first is kept`
  if (origin.type.id === 'tiff' && inFile > 1 && origin.page === undefined)
    return `${name} has ${inFile} pages; only the first is used`
  if (format.id === 'jp2' && origin.metadata.hasAlpha)
    return `${name} has transparent parts; JPEG 2000 is written without them, on white`
  if (origin.hasGainMap)
    return `${name} has a gain map, which makes it brighter on HDR screens; it is left out, so the picture looks the same on all screens`
  return undefined
}

/** The reason why an image was encoded although its pixels should have been kept. */
export function encodedAgain(frame: ImageFrame, format: ImageFormat): string | undefined {
  const { target, origin } = frame
  if (!target.keepsPixels || !isOwnFormat(frame, format)) return undefined
  const why = frame.hasOwnProfile && drops(target, 'icc') ? ' because its colours had to be converted to sRGB' : ''
  return frame.untouched ? `${printableName(origin.name)} was encoded again${why}` : undefined
}

/** Whether the input already has this format. */
export function isOwnFormat({ origin: { type } }: ImageFrame, { id }: ImageFormat): boolean {
  return type.id === id
}

/** Losses other than those of opaque 8 bit sRGB pixels, as sentences for users. */
export async function furtherLosses(frame: ImageFrame, format: ImageFormat): Promise<string[]> {
  return [...(await describedLosses(frame, format)), ...(await alphaLosses(frame, format))]
}

/** An image without metadata, profile or high bit depth has none of these to lose. */
async function describedLosses(frame: ImageFrame, format: ImageFormat): Promise<string[]> {
  const { exif, xmp, iptc, comments, icc, space, depth } = frame.origin.metadata
  if (!exif && !xmp && !iptc && !comments && !icc && space !== 'cmyk' && depth === 'uchar') return []
  const { lossesOf } = await import('../metadata/losses.ts')
  return lossesOf(frame, format)
}

async function alphaLosses(frame: ImageFrame, format: ImageFormat): Promise<string[]> {
  if (format.id !== 'gif' || !frame.hasAlpha) return []
  const { halfTransparentLoss } = await import('../metadata/half-transparent.ts')
  return halfTransparentLoss(frame)
}
