import { type Found, searchQuality } from '../../search-quality.ts'
import type { ImageFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { encoder } from './encode-sharp.ts'
import { withMetadata } from './keep-metadata.ts'
import { isOwnFormat } from './losses-of-format.ts'
import type { WithinBudget } from './target-bytes.ts'

/** Below this a picture is not spoilt only to be no larger than it was. */
const SHRUNK_QUALITY = 40

/** The encoder of a frame that fits its format. */
export async function attemptFor(frame: ImageFrame, format: ImageFormat): Promise<Attempt> {
  if (format.encoder === 'sharp')
    return async (quality) =>
      encoder(withMetadata(await frame.pipeline({ isLast: true }), frame, format), format, frame, quality).toBuffer()
  const { encodeOther } = await import('./encode-other.ts')
  return (quality) => encodeOther(frame, format, quality)
}

/** At this quality, or where pixels should have stayed and the file grows, at the best of which it does not. */
export async function encodeOnce(frame: ImageFrame, format: ImageFormat, quality: number): Promise<Found<Buffer>> {
  const attempt = await attemptFor(frame, format)
  const data = await attempt(quality)
  const { target, origin } = frame
  const mayShrink = target.keepsPixels && format.lossy && isOwnFormat(frame, format) && data.length > origin.bytes
  return mayShrink
    ? await searchQuality(attempt, origin.bytes, { lowest: SHRUNK_QUALITY, highest: quality })
    : { data, quality, met: true }
}

/** The smallest at this quality, or the best within a budget: with a palette, or without loss where that is better. */
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
