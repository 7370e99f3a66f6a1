import type { ImageLevers } from '../../../src/media/pdf/reencode-images.ts'

/** Resolution of images and factor of JPEG's quantisation for a quality from 1 to 100 (formulas: catalogue, compress-pdf). */
export function leversOf(quality: number): ImageLevers {
  return {
    dpi: quality >= 50 ? 300 : Math.round(20 + (280 * quality) / 50),
    quantisation: 0.1 + 2.4 * ((100 - quality) / 99) ** 1.5,
  }
}

/** At most so many passes of a search, and none more when a result lies in the upper tenth of the budget. */
const PASSES = 8
const CLOSE_ENOUGH = 0.9

/** The largest result within the budget (bytes) that a search over the quality finds, or the smallest there is. */
export async function searchQuality(
  encode: (quality: number) => Promise<Uint8Array>,
  budget: number,
  onProgress: (fraction: number) => void,
): Promise<Uint8Array> {
  let low = 1
  let high = 100
  let best: Uint8Array | undefined
  let smallest: Uint8Array | undefined
  for (let pass = 0; pass < PASSES && low <= high; pass += 1) {
    const quality = Math.floor((low + high) / 2)
    const result = await encode(quality)
    onProgress((pass + 1) / PASSES)
    if (!smallest || result.length < smallest.length) smallest = result
    if (result.length > budget) high = quality - 1
    else {
      if (!best || result.length > best.length) best = result
      low = quality + 1
      if (result.length >= budget * CLOSE_ENOUGH) break
    }
  }
  return best ?? smallest!
}
