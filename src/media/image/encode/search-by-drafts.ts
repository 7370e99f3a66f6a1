import { CLOSE_ENOUGH, type Found, searchQuality } from '../../search-quality.ts'
import { sampled } from '../decode/sampled-curve.ts'
import { keptFormat } from '../formats.ts'
import type { ImageFrame } from '../frame.ts'
import { type Attempt, remembered } from './attempt.ts'

/** Size of a thorough JPEG relative to its draft, from seven photographs and scans: 0.75 to 0.95. */
const USUAL_RATIO = 0.86

/** Strips compress worse than the whole, because they do not continue each other: the mean of the same images. */
const STRIPS_BIAS = 1.0065

/** Most thorough encodes. Each corrects the prediction: the first is nearly always the last. */
const MOST_ENCODES = 4

/** Whether a fast encoding predicts the size of the final one. */
export const hasDrafts = ({ target, origin, hasAlpha }: ImageFrame): boolean =>
  target.thorough === true && (target.format ?? keptFormat(origin.type.id, hasAlpha)) === 'jpg'

/**
 * Finds the best quality of a large JPEG by its drafts: a thorough encode takes six times as long. The ratio of the two
 * sizes comes from strips of the image, where it differs from that of the whole by 2 % at most (the same seven images,
 * qualities 30 to 88). Undefined if an image is too small for that, or if the prediction fails.
 * @param attemptFor creates an encoder for a frame
 * @param range of qualities; 1 to 100 by default
 */
export async function searchByDrafts(
  frame: ImageFrame,
  budget: number,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
  range: { lowest?: number; highest?: number } = {},
): Promise<Found<Buffer> | undefined> {
  const samples = await sampled(frame)
  if (!samples) return undefined
  const bare = { metadata: 'none' } as const
  const sizesOf = async (
    one: ImageFrame,
    target: ImageFrame['target'],
  ): Promise<(quality: number) => Promise<number>> => {
    const encode = await attemptFor(one.withTarget(target))
    return remembered(async (quality) => (await encode(quality)).length)
  }
  const draft = await sizesOf(samples.whole, { ...bare, isDraft: true })
  const draftOfStrips = await sizesOf(samples.strips, { ...bare, isDraft: true })
  const strips = await sizesOf(samples.strips, bare)
  const { quality: first } = await searchQuality(
    async (quality) => ({ length: (await draft(quality)) * USUAL_RATIO }),
    budget,
    range,
  )
  const withMetadata = await sizesOf(samples.strips, { isDraft: true })
  const metadata = (await withMetadata(first)) - (await draftOfStrips(first))
  let correction = 1 / STRIPS_BIAS
  const predicted = async (quality: number): Promise<{ length: number }> => ({
    length: metadata + ((await draft(quality)) * (await strips(quality)) * correction) / (await draftOfStrips(quality)),
  })

  const attempt = await attemptFor(frame)
  const made = new Map<number, Buffer>()
  let { quality } = await searchQuality(predicted, budget, { ...range, first, nearly: CLOSE_ENOUGH })
  while (!made.has(quality) && made.size < MOST_ENCODES) {
    const data = await attempt(quality)
    made.set(quality, data)
    if (data.length <= budget && data.length >= budget * CLOSE_ENOUGH) break
    correction *= (data.length - metadata) / ((await predicted(quality)).length - metadata)
    quality = (await searchQuality(predicted, budget, { ...range, first: quality, nearly: CLOSE_ENOUGH })).quality
  }
  const found = [...made]
    .map(([quality, data]) => ({ quality, data }))
    .sort((one, other) => one.data.length - other.data.length)
  const best = found.findLast(({ data }) => data.length <= budget)
  if (best) return { ...best, met: true }
  const [smallest] = found
  // Without the lowest quality, the budget may be within reach: the prediction was wrong.
  return smallest?.quality === (range.lowest ?? 1) ? { ...smallest, met: false } : undefined
}
