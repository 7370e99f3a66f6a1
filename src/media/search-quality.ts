/** How far and how long a search goes; qualities are whole numbers. */
export interface SearchOptions {
  /** The lowest quality that is tried; default 1. */
  lowest?: number
  /** The highest quality that is tried; default 100. */
  highest?: number
  /** Told after every try: 0 to 1. */
  onProgress?: (fraction: number) => void
}

export interface Found<Result> {
  data: Result
  quality: number
  /** Whether the result is within the budget; else it is the smallest there was. */
  met: boolean
}

/** At most so many encodes, enough to tell 100 qualities apart (catalogue: compress, compress-pdf, image-to-pdf). */
const TRIES = 8

/** From this part of the budget on nothing visible is left to gain. */
const CLOSE_ENOUGH = 0.95

/**
 * The largest result within a budget that a binary search over the quality finds, or the smallest there is. It stops
 * early when a result lies within 5 % below the budget.
 * @param encode makes a result at a quality; the search takes it that sizes hardly ever fall as the quality grows
 * @param budget the largest `length` that is wanted, in bytes
 */
export async function searchQuality<Result extends { readonly length: number }>(
  encode: (quality: number) => Promise<Result>,
  budget: number,
  { lowest = 1, highest = 100, onProgress }: SearchOptions = {},
): Promise<Found<Result>> {
  let low = lowest
  let high = highest
  let best: { data: Result; quality: number } | undefined
  let smallest: { data: Result; quality: number } | undefined
  for (let step = 0; step < TRIES && low <= high; step += 1) {
    const quality = Math.floor((low + high) / 2)
    const data = await encode(quality)
    onProgress?.((step + 1) / TRIES)
    if (!smallest || data.length < smallest.data.length) smallest = { data, quality }
    if (data.length > budget) {
      high = quality - 1
      continue
    }
    if (!best || data.length > best.data.length) best = { data, quality }
    if (data.length >= budget * CLOSE_ENOUGH) break
    low = quality + 1
  }
  return best ? { ...best, met: true } : { ...smallest!, met: false }
}
