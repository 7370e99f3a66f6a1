import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import type { Sharp } from '../../../engines/sharp.ts'
import { MediaprocError } from '../../../errors.ts'
import { jpegFileQuality, qualityOfTables } from '../../codecs/jpeg/jpeg-quality.ts'
import { printableName } from '../../file.ts'
import { type Found, searchQuality } from '../../search-quality.ts'
import { layOver } from '../backgrounds.ts'
import { imageError } from '../errors.ts'
import { EDIT_QUALITY, IMAGE_FORMATS, type ImageFormat, JPEG_EDIT_QUALITY, keptFormat } from '../formats.ts'
import type { ImageFrame, ImageTarget, Size } from '../frame.ts'
import { ASSUMED_DENSITY } from '../metadata/resolution.ts'
import type { Attempt } from './attempt.ts'
import { encoder } from './encode-sharp.ts'
import type { Afterwards } from './post-encode.ts'
import { encoderQuality, statedQuality } from './quality-scale.ts'
import type { WithinBudget } from './target-bytes.ts'

/** Below this a picture is not spoilt only to be no larger than it was. */
const SHRUNK_QUALITY = 40

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
  /** The picture was scaled down to this to reach the target, in pixels. */
  resized?: Size
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
async function mayShowMore(frame: ImageFrame): Promise<boolean> {
  const { untouched, target, origin } = frame
  const { metadata } = target
  // Programs and codecs that are no part of sharp are given pixels, and no metadata.
  if (formatOf(frame).encoder !== 'sharp' && formatOf(frame).id !== 'apng') return false
  const { exif, iptc, xmp } = origin.metadata
  const isKept = (!untouched || metadata !== undefined) && metadata !== 'none'
  if (!isKept || !(exif || iptc || xmp)) return false
  const { hasPreview } = await import('../decode/previews.ts')
  return hasPreview(origin.metadata)
}

async function dropPreviews(path: string): Promise<Afterwards> {
  const previews = await import('../decode/previews.ts')
  await previews.dropPreviews(path)
  return { isRewritten: true }
}

/** Whether tags that sharp leaves out are written into the file afterwards. */
const mayCopyTags = ({ origin }: ImageFrame, { id, encoder }: ImageFormat): boolean =>
  id === 'tiff' || origin.type.id === 'tiff' || encoder !== 'sharp'

/** What a TIFF keeps as tags of its own, and what an encoder was not given, is copied. */
async function withTags(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (!mayCopyTags(frame, format)) return {}
  // They are those of the first page.
  if (frame.origin.page) return {}
  const { copyLostTags } = await import('../metadata/lost-tags.ts')
  return copyLostTags(frame, path, format.id)
}

/** Pixels that are not square: the output is told so. */
async function withResolution(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards> {
  if (frame.origin.path === '' || !frame.origin.metadata.density) return {}
  const { keepUnequalResolution } = await import('../metadata/unequal-resolution.ts')
  return keepUnequalResolution(frame, path, format)
}

/**
 * Takes out of the written file what must not be in it: single kinds of metadata that the input had, and, once pixels have
 * changed, small copies of the picture as it was.
 */
async function dropMetadata(frame: ImageFrame, path: string): Promise<Afterwards> {
  const { metadata } = frame.target
  const done = (await mayShowMore(frame)) ? await dropPreviews(path) : {}
  if (!metadata || metadata === 'none') return done
  const { exif, xmp, iptc } = frame.origin.metadata
  const groups = (['exif', 'gps', 'xmp'] as const).filter(
    (kind) => metadata.drop.includes(kind) && (kind === 'xmp' ? xmp || iptc : kind === 'exif' ? exif : exif || xmp),
  )
  if (groups.length === 0) return done
  const { removeMetadata } = await import('../../../engines/exiftool.ts')
  await removeMetadata(path, groups)
  return { isRewritten: true }
}

async function attemptFor(frame: ImageFrame, format: ImageFormat): Promise<Attempt> {
  if (format.encoder === 'sharp')
    return async (quality) =>
      encoder(withMetadata(await frame.finished(), frame, format), format, frame, quality).toBuffer()
  const { encodeOther } = await import('./encode-other.ts')
  return (quality) => encodeOther(frame, format, quality)
}

/** What of the input the output does not hold, when a person would miss it. */
function lossOf({ origin, pages }: ImageFrame, format: ImageFormat): string | undefined {
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
function encodedAgain(frame: ImageFrame, format: ImageFormat): string | undefined {
  const { target, origin } = frame
  if (!target.keepsPixels || !isOwnFormat(frame, format)) return undefined
  const why = frame.hasOwnProfile && drops(target, 'icc') ? ', as its colours had to be brought to sRGB' : ''
  return frame.untouched ? `${printableName(origin.name)} was encoded again${why}` : undefined
}

/** Whether the input is of this format already. */
function isOwnFormat({ origin: { type } }: ImageFrame, { id }: ImageFormat): boolean {
  return type.id === id
}

/** Writes what sharp does not pass on. */
async function withCarried(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<Afterwards> {
  const { iptc, comments } = frame.origin.metadata
  if (!iptc && !comments) return {}
  const { carryOver } = await import('../metadata/carry-over.ts')
  return carryOver(frame, path, id)
}

async function withComments(frame: ImageFrame, path: string, { id }: ImageFormat): Promise<Afterwards> {
  if (frame.origin.type.id !== 'jpg') return {}
  const { keepJpegComments } = await import('../metadata/jpeg-comments.ts')
  return keepJpegComments(frame, path, id)
}

/** What is lost beside plain pixels; a picture without metadata, profile and depth has nothing to lose. */
async function furtherLosses(frame: ImageFrame, format: ImageFormat): Promise<string[]> {
  const { exif, xmp, iptc, comments, icc, space, depth } = frame.origin.metadata
  if (!exif && !xmp && !iptc && !comments && !icc && space !== 'cmyk' && depth === 'uchar') return []
  const { lossesOf } = await import('../metadata/losses.ts')
  return lossesOf(frame, format)
}

/** Content Credentials of the input hold for its own bytes only. */
async function withoutCredentials(
  { origin, target }: ImageFrame,
  path: string,
  { id }: ImageFormat,
): Promise<Afterwards> {
  if (origin.path === '' || target.metadata === 'none') return {}
  const { dropCredentials, hasCredentials } = await import('../metadata/content-credentials.ts')
  if (!(await hasCredentials(origin.path, origin.type.id, origin.held))) return {}
  return { isRewritten: true, loss: await dropCredentials(path, id, origin.name) }
}

/** Whether a file has the very bytes of the input. */
const isInput = async ({ origin }: ImageFrame, path: string, bytes: number): Promise<boolean> =>
  bytes === origin.bytes && (await readFile(path)).equals(origin.held ?? (await readFile(origin.path)))

async function afterStripping(frame: ImageFrame, path: string): Promise<Afterwards[]> {
  return (await mayShowMore(frame)) ? [await dropPreviews(path)] : []
}

async function afterEncoding(frame: ImageFrame, path: string, format: ImageFormat): Promise<Afterwards[]> {
  return [
    await dropMetadata(frame, path),
    await withTags(frame, path, format),
    await withCarried(frame, path, format),
    await withComments(frame, path, format),
    await withResolution(frame, path, format),
  ]
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
    const done = encoded.stripped ? await afterStripping(frame, path) : await afterEncoding(frame, path, format)
    if (!encoded.stripped || !(await isInput(frame, path, encoded.bytes)))
      done.push(await withoutCredentials(frame, path, format))
    // A look at every file would be a call more for each of many small pictures.
    const bytes = done.some(({ isRewritten }) => isRewritten) ? (await stat(path)).size : encoded.bytes
    const losses = [
      ...(encoded.stripped && !frame.origin.hasGainMap ? [] : [lossOf(frame, format)]),
      ...(encoded.stripped ? [] : [encodedAgain(frame, format), ...(await furtherLosses(frame, format))]),
      ...done.map(({ loss }) => loss),
    ].filter((loss) => loss)
    return { ...encoded, bytes, ...(losses.length > 0 && { loss: losses.join('; ') }) }
  } catch (error) {
    throw imageError(error, frame.origin.name)
  }
}

/**
 * What the encoder is told: what the caller named; for JPEG otherwise what the input has, so that an edit neither spoils nor
 * inflates it.
 */
async function qualityFor({ target, origin }: ImageFrame, { id }: ImageFormat): Promise<number> {
  if (target.quality !== undefined) return encoderQuality(id, target.quality)
  if (id !== 'jpg' || origin.type.id !== 'jpg') return encoderQuality(id, EDIT_QUALITY)
  const { lowest, highest, unknown } = JPEG_EDIT_QUALITY
  const own = origin.held ? qualityOfTables(origin.held) : await jpegFileQuality(origin.path)
  return Math.max(lowest, Math.min(highest, own ?? unknown))
}

async function writeImage(frame: ImageFrame, path: string, format: ImageFormat): Promise<Encoded> {
  const { target, origin } = frame
  const isOwn = isOwnFormat(frame, format)
  if (target.keepsPixels && isOwn) {
    const { writeStripped } = await import('../metadata/segments.ts')
    if (await writeStripped(frame, path)) return { format, bytes: (await stat(path)).size, stripped: true }
  }
  const isWhole = frame.untouched && origin.page === undefined && !target.metadata
  if (target.verbatim && isOwn && isWhole) return await keepOriginal(frame, path, format)
  const fitted = await fitToFormat(frame, format)
  const quality = await qualityFor(frame, format)
  // What was asked for is told as it was asked for.
  const stated = (told: number): number =>
    told === quality && target.quality !== undefined ? target.quality : statedQuality(format.id, told)
  const searches = target.targetBytes !== undefined && (format.lossy || target.paletteByQuality)
  const mayKeep = target.neverLarger && isWhole
  const keeps = mayKeep && (isOwn || target.neverLarger === 'of any type')
  if (keeps && isOwn && target.targetBytes !== undefined && origin.bytes <= target.targetBytes)
    return await keepOriginal(frame, path, format)
  const isSqueezed = format.id === 'png' && target.thorough && target.paletteByQuality
  if (!searches && !isSqueezed && !target.neverLarger && !target.keepsPixels && format.encoder === 'sharp') {
    const image = encoder(withMetadata(await fitted.finished(), fitted, format), format, fitted, quality)
    const { size } = await image.toFile(path)
    return { format, bytes: size, ...(format.lossy && { quality: stated(quality) }) }
  }
  const budget = searches ? Math.min(target.targetBytes!, keeps ? origin.bytes - 1 : Infinity) : undefined
  const found = isSqueezed
    ? await encodePng(await fitted.settled(), format, quality, budget)
    : budget !== undefined
      ? await encodeWithin(fitted, budget, format)
      : await encodeOnce(fitted, format, quality)
  if (keeps && found.data.length >= origin.bytes) return await keepOriginal(frame, path, format)
  await writeFile(path, found.data)
  return {
    format,
    bytes: found.data.length,
    ...((format.lossy || target.paletteByQuality) && { quality: stated(found.quality) }),
    ...(target.targetBytes !== undefined && { targetMet: found.data.length <= target.targetBytes }),
    ...('size' in found && found.size && { resized: found.size }),
  }
}

/** At this quality, or where pixels should have stayed and the file grows, at the best of which it does not. */
async function encodeOnce(frame: ImageFrame, format: ImageFormat, quality: number): Promise<Found<Buffer>> {
  const attempt = await attemptFor(frame, format)
  const data = await attempt(quality)
  const { target, origin } = frame
  const mayShrink = target.keepsPixels && format.lossy && isOwnFormat(frame, format) && data.length > origin.bytes
  return mayShrink
    ? await searchQuality(attempt, origin.bytes, { lowest: SHRUNK_QUALITY, highest: quality })
    : { data, quality, met: true }
}

/** The smallest at this quality, or the best within a budget: with a palette, or without loss where that is better. */
async function encodePng(
  frame: ImageFrame,
  format: ImageFormat,
  quality: number,
  budget: number | undefined,
): Promise<WithinBudget> {
  const { canSqueeze, pngWithin, smallestPng } = await import('./smallest-png.ts')
  const byQuality = remembered(await attemptFor(frame, format))
  const search = (most: number) => encodeWithin(frame, most, format, byQuality)
  if (!canSqueeze(frame)) return budget === undefined ? encodeOnce(frame, format, quality) : search(budget)
  // What is squeezed afterwards need not be compressed well.
  const plain = frame.withTarget({ paletteByQuality: false, thorough: false })
  const lossless = async () => (await attemptFor(plain, format))(quality)
  const attempts = { byQuality, lossless }
  return budget === undefined ? smallestPng(frame, quality, attempts) : pngWithin(frame, budget, attempts, search)
}

/** An encoder that makes each quality once, for searches that follow one another. */
function remembered(attempt: Attempt): Attempt {
  const made = new Map<number, Promise<Buffer>>()
  return (quality) => {
    const data = made.get(quality) ?? attempt(quality)
    made.set(quality, data)
    return data
  }
}

/**
 * The best that is not above the budget; the search may take the size of the picture, too.
 * @param own the encoder for this frame, where there is one already
 */
async function encodeWithin(
  frame: ImageFrame,
  budget: number,
  format: ImageFormat,
  own?: Attempt,
): Promise<WithinBudget> {
  const { searchEncoding } = await import('./search-encoding.ts')
  const open = async (one: ImageFrame): Promise<Attempt> => (one === frame && own ? own : attemptFor(one, format))
  const found = await searchEncoding(frame, budget, open)
  if (format.id !== 'jpg') return found
  const { withinChromaStep } = await import('./target-bytes.ts')
  return withinChromaStep(frame, budget, found, open)
}

async function keepOriginal({ origin, target }: ImageFrame, path: string, format: ImageFormat): Promise<Encoded> {
  await copyFile(origin.path, path)
  const { bytes } = origin
  return {
    format,
    bytes,
    kept: true,
    ...(target.targetBytes !== undefined && { targetMet: bytes <= target.targetBytes }),
  }
}

/** The encoded picture in memory, for parts of other files (ZIP members, icons, data URIs). Always by sharp. */
export async function encodeToBuffer(frame: ImageFrame): Promise<Buffer> {
  const format = formatOf(frame)
  try {
    const fitted = await fitToFormat(frame, format)
    const bytes = await (await attemptFor(fitted, format))(await qualityFor(frame, format))
    if (!(await mayShowMore(frame))) return bytes
    const { withoutPreviews } = await import('../decode/previews.ts')
    return await withoutPreviews(bytes)
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    throw imageError(error, frame.origin.name)
  }
}
