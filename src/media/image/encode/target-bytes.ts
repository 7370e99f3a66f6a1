import { squeezedPng } from '../../../engines/workers/pixels-thread.ts'
import { CLOSE_ENOUGH } from '../../search-quality.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { FULL_CHROMA_QUALITY } from './encode-sharp.ts'
import { searchWhole } from './search-encoding.ts'

/** Result of a search within a byte budget. */
export interface WithinBudget {
  data: Buffer
  quality: number
  /** The image was scaled to this size, in pixels. */
  size?: Size
}

/** Qualities of a JPEG with half chroma resolution, above those that have it by default. */
const HALF_CHROMA = { lowest: FULL_CHROMA_QUALITY, highest: 100 }

/**
 * Bridges the gap between half and full chroma resolution in JPEG, which is a fifth of the bytes: if the highest
 * quality with half chroma leaves room, and the lowest with full chroma does not fit, tries higher qualities with half
 * chroma.
 * @param found the result of the search over all qualities
 * @param attemptFor creates an encoder for a frame
 */
export async function withinChromaStep(
  frame: ImageFrame,
  budget: number,
  found: WithinBudget,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
): Promise<WithinBudget> {
  const isAtStep = found.quality === FULL_CHROMA_QUALITY - 1 && !found.size
  if (!isAtStep || found.data.length >= budget * CLOSE_ENOUGH) return found
  const finer = await searchWhole(frame.withTarget({ chroma: '4:2:0' }), budget, attemptFor, HALF_CHROMA)
  return finer.met ? finer : found
}

/** Searches per PNG: more change little, and each one optimizes the image once. */
const ROUNDS = 3

/** Safety factor for the budget of an optimized PNG: the savings vary slightly between qualities. */
const SAFE = 0.995

/**
 * Searches for a PNG by its optimized size. Optimizing removes a tenth or more, so a search by the sizes before it
 * would end at a lower quality than necessary. Each round corrects the budget with the result of the previous one.
 * @param search finds the best PNG within a byte budget before optimization
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
