import { lastOf } from '../../../lists.ts'
import { QUALITY_CURVE, type SearchOptions, searchQuality } from '../../search-quality.ts'
import type { Attempt } from '../encode/attempt.ts'
import type { ImageFrame, Samples } from '../frame.ts'

/** Strips from top to bottom, spread over the width, so that they include sky and ground, centre and edges. */
const STRIPS = 4

/** Every format's blocks fit into this one. Pixels. */
const BLOCK = 16

/** A multiple of it. Pixels. */
const STRIP_WIDTH = 64

/** From this ratio of image width to strip width on, sampling costs less than the encodes that it saves. */
const WORTH_IT = 6

/** Number of full encodes; any remaining error is a step of the encoder, not of the search. */
const ENOUGH = 4

function stripsOf({ data, width, height, channels, pages }: Samples): Samples {
  const row = STRIPS * STRIP_WIDTH * channels
  const strips = data instanceof Uint16Array ? new Uint16Array(row * height) : new Uint8Array(row * height)
  for (let strip = 0; strip < STRIPS; strip += 1) {
    const middle = ((strip + 0.5) * width) / STRIPS
    // On the grid of blocks: a JPEG compresses better along the blocks of its last encoding.
    const left = Math.floor((middle - STRIP_WIDTH / 2) / BLOCK) * BLOCK
    for (let y = 0; y < height; y += 1) {
      const from = (y * width + left) * channels
      strips.set(data.subarray(from, from + STRIP_WIDTH * channels), y * row + strip * STRIP_WIDTH * channels)
    }
  }
  return { data: strips, width: STRIPS * STRIP_WIDTH, height, channels, pages }
}

/**
 * Decodes a large image once: the whole, and a few strips of it that stand for it. Undefined if an image is too small.
 */
export async function sampled(frame: ImageFrame): Promise<{ whole: ImageFrame; strips: ImageFrame } | undefined> {
  if (frame.pages > 1 || frame.space === 'cmyk' || frame.width < WORTH_IT * STRIPS * STRIP_WIDTH) return undefined
  const samples = await frame.samples()
  return { whole: await frame.withSamples(samples), strips: await frame.withSamples(stripsOf(samples)) }
}

/**
 * Models the size in bytes of a large image by quality near a budget, from a search on a few strips of it. The actual
 * search then starts near its end and uses steps of the right size. Undefined if an image is too small.
 * @param attemptFor creates an encoder for a frame
 */
export async function sampledCurve(
  frame: ImageFrame,
  budget: number,
  attemptFor: (frame: ImageFrame) => Promise<Attempt>,
): Promise<Pick<SearchOptions, 'curve' | 'first' | 'enough'> | undefined> {
  const { strips } = (await sampled(frame)) ?? {}
  if (!strips) return undefined
  const attempt = await attemptFor(strips.withTarget({ metadata: 'none' }))
  const scale = frame.width / strips.width
  const known: { quality: number; place: number }[] = []
  const { quality: first } = await searchQuality(async (quality) => {
    const data = await attempt(quality)
    known.push({ quality, place: Math.log(data.length * scale) })
    return data
  }, budget / scale)
  known.sort((one, other) => one.quality - other.quality)
  // The positions must be monotonic for the search.
  known.forEach((one, index) => {
    one.place = Math.max(one.place, known[index - 1]?.place ?? one.place)
  })
  const { place: along, slope } = QUALITY_CURVE
  const place = (quality: number): number => {
    const next = known.findIndex((one) => one.quality >= quality)
    const [low, high] = [known[next - 1], known[next]]
    const near = high ?? lastOf(known)
    if (!low || !high) return near.place + (along(quality) - along(near.quality)) * slope
    return (
      low.place +
      ((high.place - low.place) * (along(quality) - along(low.quality))) / (along(high.quality) - along(low.quality))
    )
  }
  return { curve: { place, slope: 1 }, first, enough: ENOUGH }
}
