import { squeezedPng } from '../../../engines/workers/pixels-thread.ts'
import type { Found } from '../../search-quality.ts'
import type { ImageFrame } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { hasFewColours } from './few-colours.ts'
import { squeezedWithin, type WithinBudget } from './target-bytes.ts'

/** Larger images would need more memory to optimize than WebAssembly has, and minutes. Bytes of pixels. */
const MOST_BYTES = 2 ** 28

/**
 * Maximum share that optimization removes from the better of two quick encodes: a third for images with few colours,
 * less for others.
 */
const MOST_SQUEEZED = 1 / 2

/**
 * Maximum number of palette colours: for images with no more, a palette can be lossless and larger than grey or fewer
 * bits.
 */
const PALETTE = 256

/** Encodes a PNG with a palette by quality, or losslessly. */
export interface PngAttempts {
  byQuality: Attempt
  lossless: () => Promise<Buffer>
}

export function canSqueeze({ width, height, bits, pages }: ImageFrame): boolean {
  return width * height * pages * 4 * (bits / 8) <= MOST_BYTES
}

/** The lossless image before optimization, and its estimated optimized size in bytes. */
async function plainPng(frame: ImageFrame, { lossless }: PngAttempts): Promise<{ data: Buffer; expected: number }> {
  const data = await lossless()
  // Drawings are smaller without filters, gradients and photographs are smaller with them.
  const filtered = (await frame.pipeline({ isLast: true })).png({ compressionLevel: 2, adaptiveFiltering: true })
  const { length } = await filtered.toBuffer()
  return { data, expected: Math.min(data.length, length) * MOST_SQUEEZED }
}

/** The smallest PNG at a quality: with a palette, or lossless if that is smaller. */
export async function smallestPng(frame: ImageFrame, quality: number, attempts: PngAttempts): Promise<Found<Buffer>> {
  const palette = await attempts.byQuality(quality)
  const plain = await plainPng(frame, attempts)
  const isWorthIt = plain.expected <= palette.length || hasFewColours(await frame.pixels(), PALETTE)
  const data = await squeezedPng(isWorthIt ? [palette, plain.data] : [palette])
  return { data: data.bytes, quality: data.index === 1 ? 100 : quality, met: true }
}

/** Lossless if that fits the byte budget; otherwise the result of `search` within the budget, optimized. */
export async function pngWithin(
  frame: ImageFrame,
  budget: number,
  attempts: PngAttempts,
  search: (budget: number) => Promise<WithinBudget>,
): Promise<WithinBudget> {
  const plain = await plainPng(frame, attempts)
  if (plain.expected <= budget) {
    const { bytes } = await squeezedPng([plain.data])
    if (bytes.length <= budget) return { data: bytes, quality: 100 }
  }
  return squeezedWithin(budget, search)
}
