import { CLOSE_ENOUGH, type Curve, searchQuality } from '../../search-quality.ts'
import { sampledCurve } from '../decode/sampled-curve.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Attempt } from './attempt.ts'

/** Below this, artefacts show more than a smaller picture would; where it may be scaled, it is. */
const READABLE_QUALITY = 40

/** How bytes follow the longer side at one quality: a little less than the number of pixels. */
const SIDE_CURVE: Curve = { place: Math.log, slope: 1.7 }

/** The quality of the picture once it is scaled: what it loses there, it need not lose again. */
const SCALED_QUALITY = 60

/** The size with this longer side; the other follows. */
function sizeWith({ width, height }: Size, longer: number): Size {
  const side = (length: number): number => Math.max(1, Math.round((length * longer) / Math.max(width, height)))
  return { width: side(width), height: side(height) }
}

/**
 * The best encoding within a budget of bytes, or the smallest there is: by quality, and where the target allows it and
 * quality alone would spoil the picture, by size.
 * @param attemptFor opens an encoder for a frame
 */
export async function searchEncoding(
  frame: ImageFrame,
  budget: number,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
): Promise<{ data: Buffer; quality: number; size?: Size }> {
  const longest = Math.max(frame.width, frame.height)
  const attempt = await attemptFor(frame)
  // A picture is encoded in moments: a step of the quality that still fits is worth a few more.
  const known = { ...(await sampledCurve(frame, budget, attemptFor)), nearly: CLOSE_ENOUGH }
  if (!frame.target.allowResize || longest < 2) return searchQuality(attempt, budget, known)
  const whole = await searchQuality(attempt, budget, { ...known, lowest: READABLE_QUALITY })
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
