import { CLOSE_ENOUGH, type Curve, type Found, searchQuality } from '../../search-quality.ts'
import { sampledCurve } from '../decode/sampled-curve.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { hasDrafts, searchByDrafts } from './search-by-drafts.ts'

/**
 * Below this quality, artefacts are more visible than a smaller image would be; the image is then scaled down if
 * allowed.
 */
const READABLE_QUALITY = 40

/** Growth of the size in bytes with the longer side at a constant quality: slightly less than the number of pixels. */
const SIDE_CURVE: Curve = { place: Math.log, slope: 1.7 }

/** Quality of the image once it is scaled down: scaling already loses detail. */
const SCALED_QUALITY = 60

/** The size with this longer side, keeping the aspect ratio. */
function sizeWith({ width, height }: Size, longer: number): Size {
  const side = (length: number): number => Math.max(1, Math.round((length * longer) / Math.max(width, height)))
  return { width: side(width), height: side(height) }
}

/** Finds the best quality for a frame within a byte budget. @param range of qualities; 1 to 100 by default */
export async function searchWhole(
  frame: ImageFrame,
  budget: number,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
  range: { lowest?: number; highest?: number } = {},
): Promise<Found<Buffer>> {
  const byDrafts = hasDrafts(frame) && (await searchByDrafts(frame, budget, attemptFor, range))
  if (byDrafts) return byDrafts
  // Encoding an image is fast: a higher quality step that still fits is worth a few more encodes.
  const known = { ...(await sampledCurve(frame, budget, attemptFor)), nearly: CLOSE_ENOUGH }
  return searchQuality(await attemptFor(frame), budget, { ...known, ...range })
}

/**
 * Finds the best encoding within a byte budget, or the smallest possible one: by quality, and, if the target allows it
 * and quality alone would degrade the image, by size.
 * @param attemptFor creates an encoder for a frame
 */
export async function searchEncoding(
  frame: ImageFrame,
  budget: number,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
): Promise<{ data: Buffer; quality: number; size?: Size }> {
  const longest = Math.max(frame.width, frame.height)
  if (!frame.target.allowResize || longest < 2) return searchWhole(frame, budget, attemptFor)
  const whole = await searchWhole(frame, budget, attemptFor, { lowest: READABLE_QUALITY })
  if (whole.met) return whole
  const base = await frame.settled()
  const encode = async (longer: number): Promise<Buffer> => {
    const size = sizeWith(base, longer)
    const options = { size, pagewise: true }
    const smaller = await base.apply((image) => image.resize({ ...size, fit: 'fill' }), options)
    return (await attemptFor(smaller))(SCALED_QUALITY)
  }
  const guess = Math.round(longest * (budget / whole.data.length) ** (1 / SIDE_CURVE.slope))
  const range = { lowest: 1, highest: longest - 1, first: guess, curve: SIDE_CURVE }
  const { data, quality: longer } = await searchQuality(encode, budget, range)
  return { data, quality: SCALED_QUALITY, size: sizeWith(base, longer) }
}
