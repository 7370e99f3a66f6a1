import { encodeToBuffer, formatOf } from '../../../src/media/image/encode.ts'
import type { ImageFrame, ImageTarget } from '../../../src/media/image/frame.ts'

/** What every browser shows and is quickly tried; AVIF and JPEG XL take longer to encode than the picture itself. */
const CANDIDATES = ['webp', 'png', 'jpg'] as const
const SMALLEST: readonly string[] = ['avif', 'jxl']

/** The part that is tried: at most so many pixels a side, from the middle. */
const SAMPLE_SIDE = 1024

/** Another format is worth a word below this part of the size, and where at least so many bytes would be saved. */
const FAR = 0.5
const LEAST_BYTES = 10_000

/** The middle of a picture, or all of it where it is small, and how much of it that is. */
async function sampleOf(frame: ImageFrame): Promise<{ sample: ImageFrame; share: number }> {
  const settled = await frame.settled()
  const [width, height] = [Math.min(SAMPLE_SIDE, frame.width), Math.min(SAMPLE_SIDE, frame.height)]
  const share = (width * height) / (frame.width * frame.height)
  if (share === 1) return { sample: settled, share }
  const [left, top] = [Math.floor((frame.width - width) / 2), Math.floor((frame.height - height) / 2)]
  const size = { width, height }
  const part = await settled.apply((image) => image.extract({ left, top, ...size }), { size })
  return { sample: await part.settled(), share }
}

/**
 * The format in which a picture would be far smaller at the same quality, and about how much smaller it would be. Tried
 * on a sample; animations are left alone, and so is what loses its transparency.
 * @param frame with its wishes for the encode
 */
export async function farSmallerFormat(
  frame: ImageFrame,
): Promise<{ format: string; chosen: string; percent: number } | undefined> {
  const chosen = formatOf(frame).id
  if (frame.pages > 1 || SMALLEST.includes(chosen)) return undefined
  const { sample, share } = await sampleOf(frame)
  const bare = { ...frame.target, metadata: 'none' as const }
  // A thorough JPEG is a third smaller, and takes no time; of the others it would take more than the picture itself.
  const bytesWith = async (wishes: ImageTarget): Promise<number> => {
    const thorough = (wishes.format ?? chosen) === 'jpg'
    return (await encodeToBuffer(sample.withTarget({ ...bare, ...wishes, thorough }))).length
  }
  const own = await bytesWith({})
  let best: { format: string; bytes: number } = { format: chosen, bytes: own }
  for (const format of CANDIDATES) {
    if (format === chosen || (format === 'jpg' && frame.hasAlpha)) continue
    const bytes = await bytesWith({ format, paletteByQuality: false })
    if (bytes < best.bytes) best = { format, bytes }
  }
  if (best.bytes > own * FAR || (own - best.bytes) / share < LEAST_BYTES) return undefined
  return { format: best.format, chosen, percent: Math.round(100 * (1 - best.bytes / own)) }
}
