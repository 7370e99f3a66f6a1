import { copyFile, stat, writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../../errors.ts'
import { jpegFileQuality, qualityOfTables } from '../../codecs/jpeg/jpeg-quality.ts'
import { imageError } from '../errors.ts'
import { EDIT_QUALITY, type ImageFormat, JPEG_EDIT_QUALITY } from '../formats.ts'
import type { ImageFrame, Size } from '../frame.ts'
import { afterEncoding, afterStripping, isInput, mayShowMore, withoutCredentials } from './after-encoding.ts'
import { encoder } from './encode-sharp.ts'
import { attemptFor, encodeOnce, encodePng, encodeWithin } from './encode-within.ts'
import { fitToFormat, formatOf } from './fit-to-format.ts'
import { withMetadata } from './keep-metadata.ts'
import { encodedAgain, furtherLosses, isOwnFormat, lossOf } from './losses-of-format.ts'
import { encoderQuality, statedQuality } from './quality-scale.ts'

/** Information about the written file, for the report. */
export interface Encoded {
  format: ImageFormat
  bytes: number
  /** The quality used, if the format has one. */
  quality?: number
  /** For targetBytes: whether the file is within the target. */
  targetMet?: boolean
  /** The input's own bytes were returned, because encoding made nothing smaller. */
  kept?: boolean
  /** The image was scaled down to this size to reach the target, in pixels. */
  resized?: Size
  /** Metadata was removed from the input file itself: the pixels are unchanged. */
  stripped?: boolean
  /** A sentence about data that the file format could not hold. */
  loss?: string
}

/**
 * Encodes pixels to a file; all encoding uses this function. Writes to `path`.
 * @throws INVALID_FILE when the input is damaged, ENGINE_UNAVAILABLE when the format's encoder is missing
 */
export async function encodeImage(frame: ImageFrame, path: string): Promise<Encoded> {
  const format = formatOf(frame)
  try {
    const encoded = await writeImage(frame, path, format)
    if (encoded.kept) return encoded
    const done = encoded.stripped ? await afterStripping(frame, path) : await afterEncoding(frame, path, format)
    if (!encoded.stripped || !(await isInput(frame, path, encoded.bytes)))
      done.push(await withoutCredentials(frame, path, format))
    // Checking the size of every file would be one more call for each of many small images.
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
 * The quality passed to the encoder: the requested one; otherwise, for JPEG, that of the input, so that an edit neither
 * degrades nor inflates it.
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
  // A requested quality is reported as it was requested.
  const stated = (written: number): number =>
    written === quality && target.quality !== undefined ? target.quality : statedQuality(format.id, written)
  const searches = target.targetBytes !== undefined && (format.lossy || target.paletteByQuality)
  const mayKeep = target.neverLarger && isWhole
  const keeps = mayKeep && (isOwn || target.neverLarger === 'of any type')
  if (keeps && isOwn && target.targetBytes !== undefined && origin.bytes <= target.targetBytes)
    return await keepOriginal(frame, path, format)
  const isSqueezed = format.id === 'png' && target.thorough && target.paletteByQuality
  if (!searches && !isSqueezed && !target.neverLarger && !target.keepsPixels && format.encoder === 'sharp') {
    const image = encoder(
      withMetadata(await fitted.pipeline({ isLast: true }), fitted, format),
      format,
      fitted,
      quality,
    )
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

/** Encodes an image in memory, for embedding in other files (ZIP entries, icons, data URIs). Always uses sharp. */
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
