import { squeezedPng } from '../../../engines/workers/pixels-thread.ts'
import type { Found } from '../../search-quality.ts'
import type { ImageFrame } from '../frame.ts'
import type { Attempt } from './attempt.ts'
import { hasFewColours } from './few-colours.ts'
import { squeezedWithin, type WithinBudget } from './target-bytes.ts'

/** Larger ones would take more memory to squeeze than WebAssembly has, and minutes. Bytes of pixels. */
const MOST_BYTES = 2 ** 28

/** What squeezing takes off the better of two quick encodes, at most: a third in pictures of few colours, less in others. */
const MOST_SQUEEZED = 1 / 2

/** A palette holds so many colours: of pictures with no more, it may be without loss, and larger than grey or fewer bits. */
const PALETTE = 256

/** Encodes a PNG: with a palette by quality, and without loss. */
export interface PngAttempts {
  byQuality: Attempt
  lossless: () => Promise<Buffer>
}

export function canSqueeze({ width, height, bits, pages }: ImageFrame): boolean {
  return width * height * pages * 4 * (bits / 8) <= MOST_BYTES
}

/** The picture without loss and not squeezed yet, and about how many bytes it might have. */
async function plainPng(frame: ImageFrame, { lossless }: PngAttempts): Promise<{ data: Buffer; expected: number }> {
  const data = await lossless()
  // Drawings are smaller without filters, gradients and photographs with them.
  const filtered = (await frame.pipeline({ isLast: true })).png({ compressionLevel: 2, adaptiveFiltering: true })
  const { length } = await filtered.toBuffer()
  return { data, expected: Math.min(data.length, length) * MOST_SQUEEZED }
}

/** The smallest PNG at a quality: a palette, or no loss at all where that is smaller. */
export async function smallestPng(frame: ImageFrame, quality: number, attempts: PngAttempts): Promise<Found<Buffer>> {
  const palette = await attempts.byQuality(quality)
  const plain = await plainPng(frame, attempts)
  const isWorthIt = plain.expected <= palette.length || hasFewColours(await frame.pixels(), PALETTE)
  const data = await squeezedPng(isWorthIt ? [palette, plain.data] : [palette])
  return { data: data.bytes, quality: data.index === 1 ? 100 : quality, met: true }
}

/** Without loss where that is within a budget of bytes; else what `search` finds within so many bytes, squeezed. */
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
