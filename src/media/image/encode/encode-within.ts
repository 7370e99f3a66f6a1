import { type Found, searchQuality } from '../../search-quality.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { type Attempt, remembered } from './attempt.ts'
import { encoder } from './encode-sharp.ts'
import { withMetadata } from './keep-metadata.ts'
import { isOwnFormat } from './losses-of-format.ts'
import type { WithinBudget } from './target-bytes.ts'

/** Quality is not reduced below this just to avoid growing the file. */
const SHRUNK_QUALITY = 40

/** Creates the encoder for a frame that fits its format. */
export async function attemptFor(frame: ImageFrame, format: ImageFormat): Promise<Attempt> {
  if (format.encoder === 'sharp')
    return async (quality) =>
      encoder(withMetadata(await frame.pipeline({ isLast: true }), frame, format), format, frame, quality).toBuffer()
  const { encodeOther } = await import('./encode-other.ts')
  return (quality) => encodeOther(frame, format, quality)
}

/**
 * Encodes at this quality. If the pixels should be unchanged and the file grows, uses the best quality at which it does
 * not.
 */
export async function encodeOnce(frame: ImageFrame, format: ImageFormat, quality: number): Promise<Found<Buffer>> {
  const attempt = await attemptFor(frame, format)
  const data = await attempt(quality)
  const { target, origin } = frame
  const mayShrink = target.keepsPixels && format.lossy && isOwnFormat(frame, format) && data.length > origin.bytes
  return mayShrink
    ? await searchQuality(attempt, origin.bytes, { lowest: SHRUNK_QUALITY, highest: quality })
    : { data, quality, met: true }
}

/**
 * The smallest file at this quality, or the best one within a budget, using a palette or lossless encoding if that is
 * better.
 */
export async function encodePng(
  frame: ImageFrame,
  format: ImageFormat,
  quality: number,
  budget: number | undefined,
): Promise<WithinBudget> {
  const { canSqueeze, pngWithin, smallestPng } = await import('./smallest-png.ts')
  const byQuality = remembered(await attemptFor(frame, format))
  const search = (most: number) => encodeWithin(frame, most, format, byQuality)
  if (!canSqueeze(frame)) return budget === undefined ? encodeOnce(frame, format, quality) : search(budget)
  // The data is optimized afterwards and need not be compressed well.
  const plain = frame.withTarget({ paletteByQuality: false, thorough: false })
  const lossless = async () => (await attemptFor(plain, format))(quality)
  const attempts = { byQuality, lossless }
  return budget === undefined ? smallestPng(frame, quality, attempts) : pngWithin(frame, budget, attempts, search)
}

/**
 * Finds the best encoding within the budget; the search may also reduce the image size.
 * @param own an existing encoder for this frame, if any
 */
export async function encodeWithin(
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
