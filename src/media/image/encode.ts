import { copyFile, stat, writeFile } from 'node:fs/promises'
import type { Sharp } from '../../engines/sharp.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import { searchQuality } from '../search-quality.ts'
import { layOver } from './backgrounds.ts'
import { encoder } from './encode-sharp.ts'
import { imageError } from './errors.ts'
import { EDIT_QUALITY, IMAGE_FORMATS, type ImageFormat, keptFormat } from './formats.ts'
import type { ImageFrame, ImageTarget } from './frame.ts'
import { ASSUMED_DENSITY } from './resolution.ts'

/** What was written, for the report. */
export interface Encoded {
  format: ImageFormat
  bytes: number
  /** The quality that was used, where the format has one. */
  quality?: number
  /** For targetBytes: whether the file is within the target. */
  targetMet?: boolean
  /** The input's own bytes were given back, since encoding made nothing smaller. */
  kept?: boolean
  /** Metadata was taken out of the input's own file: the pixels are as they were. */
  stripped?: boolean
  /** What the file could not hold, as a sentence for a person. */
  loss?: string
}

/** The format that this frame will be written in. */
export function formatOf(frame: ImageFrame): ImageFormat {
  return IMAGE_FORMATS[frame.target.format ?? keptFormat(frame.origin.type.id, frame.hasAlpha)]
}

/**
 * The frame brought to what a format can hold: first frame where there is no animation, alpha flattened on the target's
 * background (white), CMYK and profiles converted where they cannot stay.
 */
export async function fitToFormat(frame: ImageFrame, format: ImageFormat): Promise<ImageFrame> {
  checkSides(frame, format)
  let fitted = frame
  if (fitted.pages > 1 && !format.animation) fitted = await fitted.firstPage()
  if (fitted.space === 'cmyk' && !format.cmyk) fitted = await fitted.toSrgb()
  if (fitted.hasAlpha && !format.alpha) {
    const background = frame.target.background ?? '#ffffff'
    fitted = await fitted.apply((image) => layOver(image, background, fitted), { alpha: false })
  }
  // Without its profile a picture must be sRGB, or its colours change; a grey one's says nothing of red, green and blue.
  if (drops(frame.target, 'icc') || !format.profile || (fitted.space === 'grey' && !format.grey))
    fitted = await fitted.toSrgb()
  return fitted
}

/** @throws TARGET_UNREACHABLE when the picture is larger than the format can be */
function checkSides(
  { width, height, origin }: ImageFrame,
  { id, maxSide = Number.POSITIVE_INFINITY }: ImageFormat,
): void {
  if (width <= maxSide && height <= maxSide) return
  throw new MediaprocError(
    'TARGET_UNREACHABLE',
    `${printableName(origin.name)} would be ${width} x ${height} pixels; ${id.toUpperCase()} holds at most ${maxSide} on a side`,
    { hint: 'Make it smaller, or choose another format such as png.' },
  )
}

/**
 * Everything is kept, or nothing; single kinds are taken out of the finished file. A picture that brought no EXIF gets
 * none: libvips would write a block of its own.
 */
function withMetadata(image: Sharp, frame: ImageFrame, format: ImageFormat): Sharp {
  const density = statedDensity(frame, format)
  const described = frame.target.metadata === 'none' ? image : withKept(image, frame.origin.metadata)
  return density ? described.withDensity(density) : described
}

function withKept(image: Sharp, { exif, xmp, iptc, icc }: ImageFrame['origin']['metadata']): Sharp {
  if (exif || iptc) return image.keepMetadata()
  const described = icc ? image.keepIccProfile() : image
  return xmp ? described.keepXmp() : described
}

/**
 * The resolution to write, where it is for us to say: libvips keeps that of the pixels it was given, which have none in
 * WebP and AVIF and lose theirs in raw form, and would write its own into an EXIF block that is kept.
 */
function statedDensity({ target, origin }: ImageFrame, format: ImageFormat): number | undefined {
  const { exif, density } = origin.metadata
  if (target.density) return target.density
  if (drops(target, 'exif')) return undefined
  if (exif) return density ?? ASSUMED_DENSITY
  // Without EXIF, PNG has a chunk of its own; the others get a small EXIF block, where that says more than none.
  if (format.id === 'png') return undefined
  const isWorthIt = density !== undefined && density !== ASSUMED_DENSITY && origin.rasterisedAtDpi === undefined
  return isWorthIt ? density : undefined
}

const drops = ({ metadata }: ImageTarget, kind: 'exif' | 'gps' | 'icc' | 'xmp'): boolean =>
  metadata === 'none' || (metadata?.drop.includes(kind) ?? false)

/**
 * Whether the metadata would show more than the picture does: the small copy in it is as the picture was, and may say
 * itself where it was taken.
 */
async function mayShowMore({ untouched, target: { metadata }, origin }: ImageFrame): Promise<boolean> {
  const { exif, iptc, xmp } = origin.metadata
  const isKept = (!untouched || metadata !== undefined) && metadata !== 'none'
  if (!isKept || !(exif || iptc || xmp)) return false
  const { hasPreview } = await import('./previews.ts')
  return hasPreview(origin.metadata)
}

async function dropPreviews(path: string): Promise<void> {
  const previews = await import('./previews.ts')
  return previews.dropPreviews(path)
}

/** What a TIFF keeps as tags of its own is copied; a sentence where it cannot be. */
async function tagLoss(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<string | undefined> {
  if (id !== 'tiff' && frame.origin.type.id !== 'tiff') return undefined
  const { copyTiffTags } = await import('./tiff-tags.ts')
  return copyTiffTags(frame, path, id)
}

/**
 * Takes out of the written file what must not be in it: single kinds of metadata that the input had, and, once pixels have
 * changed, small copies of the picture as it was.
 */
async function dropMetadata(frame: ImageFrame, path: string): Promise<void> {
  const { metadata } = frame.target
  if (await mayShowMore(frame)) await dropPreviews(path)
  if (!metadata || metadata === 'none') return
  const { exif, xmp, iptc } = frame.origin.metadata
  const groups = (['exif', 'gps', 'xmp'] as const).filter(
    (kind) => metadata.drop.includes(kind) && (kind === 'xmp' ? xmp || iptc : kind === 'exif' ? exif : exif || xmp),
  )
  if (groups.length === 0) return
  const { removeMetadata } = await import('../../engines/exiftool.ts')
  await removeMetadata(path, groups)
}

/** Once the frame fits: its bytes at one quality. */
type Attempt = (quality: number) => Promise<Buffer>

async function attemptFor(frame: ImageFrame, format: ImageFormat): Promise<Attempt> {
  if (format.encoder === 'sharp')
    return async (quality) =>
      encoder(withMetadata(await frame.pipeline(), frame, format), format, frame, quality).toBuffer()
  const { encodeOther } = await import('./encode-other.ts')
  return (quality) => encodeOther(frame, format, quality)
}

/** What of the input the output does not hold, when a person would miss it. */
function lossOf({ origin, pages }: ImageFrame, format: ImageFormat): string | undefined {
  const name = printableName(origin.name)
  const inFile = origin.metadata.pages ?? 1
  if (pages > 1 && !format.animation)
    return `${name} has ${pages} frames; ${format.id.toUpperCase()} holds one picture, so only the first is kept`
  if (origin.type.id === 'tiff' && inFile > 1) return `${name} has ${inFile} pages; only the first is used`
  if (origin.hasGainMap)
    return `${name} has a gain map, which makes it brighter on HDR screens; it is left out, and the picture looks as on other screens`
  return undefined
}

/**
 * The one place where pixels become a file. Writes to `path`.
 * @throws INVALID_FILE when the input turns out to be damaged, ENGINE_UNAVAILABLE when the format's encoder is missing
 */
export async function encodeImage(frame: ImageFrame, path: string): Promise<Encoded> {
  const format = formatOf(frame)
  try {
    const encoded = await writeImage(frame, path, format)
    if (encoded.kept) return encoded
    if (!encoded.stripped) await dropMetadata(frame, path)
    else if (await mayShowMore(frame)) await dropPreviews(path)
    const isWhole = encoded.stripped && !frame.origin.hasGainMap
    const losses = [isWhole ? undefined : lossOf(frame, format), await tagLoss(frame, path, format)].filter(
      (loss) => loss,
    )
    const bytes = (await stat(path)).size
    return { ...encoded, bytes, ...(losses.length > 0 && { loss: losses.join('; ') }) }
  } catch (error) {
    throw imageError(error, frame.origin.name)
  }
}

async function writeImage(frame: ImageFrame, path: string, format: ImageFormat): Promise<Encoded> {
  const { target, origin } = frame
  const isOwnFormat = keptFormat(origin.type.id, frame.hasAlpha) === format.id
  if (target.keepsPixels && isOwnFormat) {
    const { writeStripped } = await import('./segments.ts')
    if (await writeStripped(frame, path)) return { format, bytes: (await stat(path)).size, stripped: true }
  }
  const fitted = await fitToFormat(frame, format)
  const quality = target.quality ?? EDIT_QUALITY
  const searches = target.targetBytes !== undefined && (format.lossy || target.paletteByQuality)
  const limit = target.targetBytes ?? (target.neverLarger ? origin.bytes - 1 : Number.POSITIVE_INFINITY)
  const mayKeep = target.neverLarger && frame.untouched && !target.metadata && isOwnFormat
  if (mayKeep && target.targetBytes !== undefined && origin.bytes <= target.targetBytes)
    return await keepOriginal(frame, path, format, true)
  const attempt = await attemptFor(fitted, format)
  if (!searches && !target.neverLarger && format.encoder === 'sharp') {
    const image = encoder(withMetadata(await fitted.pipeline(), fitted, format), format, fitted, quality)
    const { size } = await image.toFile(path)
    return { format, bytes: size, ...(format.lossy && { quality }) }
  }
  const found = searches
    ? await searchQuality(attempt, target.targetBytes!)
    : { data: await attempt(quality), quality, met: true }
  if (mayKeep && found.data.length >= origin.bytes)
    return await keepOriginal(frame, path, format, origin.bytes <= limit)
  await writeFile(path, found.data)
  return {
    format,
    bytes: found.data.length,
    ...((format.lossy || target.paletteByQuality) && { quality: found.quality }),
    ...(target.targetBytes !== undefined && { targetMet: found.data.length <= target.targetBytes }),
  }
}

async function keepOriginal(frame: ImageFrame, path: string, format: ImageFormat, met: boolean): Promise<Encoded> {
  await copyFile(frame.origin.path, path)
  return {
    format,
    bytes: frame.origin.bytes,
    kept: true,
    ...(frame.target.targetBytes !== undefined && { targetMet: met }),
  }
}

/** The encoded picture in memory, for parts of other files (ZIP members, icons, data URIs). Always by sharp. */
export async function encodeToBuffer(frame: ImageFrame): Promise<Buffer> {
  const format = formatOf(frame)
  try {
    const fitted = await fitToFormat(frame, format)
    const bytes = await (await attemptFor(fitted, format))(frame.target.quality ?? EDIT_QUALITY)
    if (!(await mayShowMore(frame))) return bytes
    const { withoutPreviews } = await import('./previews.ts')
    return await withoutPreviews(bytes)
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    throw imageError(error, frame.origin.name)
  }
}
