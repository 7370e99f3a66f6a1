import { printableName } from '../../file.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { drops } from './keep-metadata.ts'

/** What of the input the output does not hold, when a person would miss it. */
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
    return `${name} has a gain map, which makes it brighter on HDR screens; it is left out, and the picture looks as on other screens`
  return undefined
}

/** Why a picture whose pixels should have stayed was encoded after all. */
export function encodedAgain(frame: ImageFrame, format: ImageFormat): string | undefined {
  const { target, origin } = frame
  if (!target.keepsPixels || !isOwnFormat(frame, format)) return undefined
  const why = frame.hasOwnProfile && drops(target, 'icc') ? ', as its colours had to be brought to sRGB' : ''
  return frame.untouched ? `${printableName(origin.name)} was encoded again${why}` : undefined
}

/** Whether the input is of this format already. */
export function isOwnFormat({ origin: { type } }: ImageFrame, { id }: ImageFormat): boolean {
  return type.id === id
}

/** What is lost beside opaque pixels in 8 bit sRGB, as sentences for a person. */
export async function furtherLosses(frame: ImageFrame, format: ImageFormat): Promise<string[]> {
  return [...(await describedLosses(frame, format)), ...(await alphaLosses(frame, format))]
}

/** A picture without metadata, profile and depth has nothing of it to lose. */
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
