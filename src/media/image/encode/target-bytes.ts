import { squeezedPng } from '../../../engines/workers/pixels-thread.ts'
import { CLOSE_ENOUGH, searchQuality } from '../../search-quality.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { FULL_CHROMA_QUALITY } from './encode-sharp.ts'

/** What a search within a budget of bytes found. */
export interface WithinBudget {
  data: Buffer
  quality: number
  /** The picture was scaled to this, in pixels. */
  size?: Size
}

/** Qualities of a JPEG with colour at half resolution, above those that have it anyway. */
const HALF_CHROMA = { lowest: FULL_CHROMA_QUALITY, highest: 100 }

/**
 * Fills the step of a JPEG between half and full resolution of colour, which is a fifth of the bytes: where the highest
 * quality with half of it leaves room, and the lowest with all of it does not fit, higher qualities with half of it do.
 * @param found the result of the search over all qualities
 * @param attemptFor opens an encoder for a frame
 */
export async function withinChromaStep(
  frame: ImageFrame,
  budget: number,
  found: WithinBudget,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
): Promise<WithinBudget> {
  const isAtStep = found.quality === FULL_CHROMA_QUALITY - 1 && !found.size
  if (!isAtStep || found.data.length >= budget * CLOSE_ENOUGH) return found
  const attempt = await attemptFor(frame.withTarget({ chroma: '4:2:0' }))
  const finer = await searchQuality(attempt, budget, {
    ...HALF_CHROMA,
    first: FULL_CHROMA_QUALITY + 1,
    nearly: CLOSE_ENOUGH,
  })
  return finer.met ? finer : found
}

/** Searches for a PNG: more change little, and each squeezes the picture once. */
const ROUNDS = 3

/** How near the budget a squeezed PNG is aimed at: squeezing takes off a little more or less from one quality to the next. */
const SAFE = 0.995

/**
 * Searches a PNG whose size counts after squeezing, which takes off a tenth or more: a search by the sizes before it would
 * end at a poorer quality than fits. Each round corrects the budget by what the round before saw.
 * @param search finds the best PNG before squeezing within so many bytes
 */
export async function squeezedWithin(
  budget: number,
  search: (budget: number) => Promise<WithinBudget>,
): Promise<WithinBudget> {
  let limit = budget
  let best: WithinBudget | undefined
  let seen: WithinBudget | undefined
  for (let round = 1; round <= ROUNDS; round += 1) {
    const found = await search(limit)
    if (seen && found.quality === seen.quality && found.size?.width === seen.size?.width) break
    seen = found
    const squeezed = { ...found, data: (await squeezedPng([found.data])).bytes }
    const { length } = squeezed.data
    if (!best || (length <= budget && (best.data.length > budget || length > best.data.length))) best = squeezed
    if (length <= budget && length >= budget * CLOSE_ENOUGH) break
    limit = Math.floor(((budget * found.data.length) / length) * SAFE)
  }
  return best!
}
