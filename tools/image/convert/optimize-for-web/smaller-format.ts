import { encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame, ImageTarget } from '../../../../src/media/image/frame.ts'

type Format = NonNullable<ImageTarget['format']>

/**
 * Formats that every browser displays and that are fast to try; AVIF and JPEG XL take longer to encode than the image
 * itself.
 */
const CANDIDATES: readonly Format[] = ['webp', 'png', 'jpg']
const SMALLEST: readonly string[] = ['avif', 'jxl']

/** The sample: at most this many pixels per side, from the centre. */
const SAMPLE_SIDE = 1024
/**
 * A smaller part that is tried first: a format that is not smaller there is not tried on the sample, which takes as
 * long as the job itself.
 */
const LOOK_SIDE = 256

/** Another format is suggested only below this share of the size, and if it saves at least this many bytes. */
const FAR = 0.5
const LEAST_BYTES = 10_000

/** The centre of an image, or all of it if it is small. */
async function middleOf(frame: ImageFrame, side: number): Promise<ImageFrame> {
  const size = { width: Math.min(side, frame.width), height: Math.min(side, frame.height) }
  if (size.width === frame.width && size.height === frame.height) return frame
  const place = {
    left: Math.floor((frame.width - size.width) / 2),
    top: Math.floor((frame.height - size.height) / 2),
  }
  const part = await frame.apply((image) => image.extract({ ...place, ...size }), { size })
  return part.settled()
}

/** The size of an image in a format, without metadata, in bytes. */
async function bytesAs(frame: ImageFrame, format: Format, options: ImageTarget): Promise<number> {
  // A thorough JPEG is a third smaller at no cost; for the others it would take longer than the image itself.
  const manner = { format, metadata: 'none', thorough: format === 'jpg' } as const
  return (await encodeToBuffer(frame.withTarget({ ...frame.target, ...options, ...manner }))).length
}

/** The formats that take fewer bytes than the chosen one, with their sizes; the smallest first. */
async function smallerOnes(frame: ImageFrame, chosen: Format, others: readonly Format[]) {
  const own = await bytesAs(frame, chosen, {})
  const tried: { format: Format; bytes: number }[] = []
  for (const format of others) tried.push({ format, bytes: await bytesAs(frame, format, { paletteByQuality: false }) })
  return { own, found: tried.filter(({ bytes }) => bytes < own).sort((a, b) => a.bytes - b.bytes) }
}

/**
 * The format in which an image would be far smaller at the same quality, with an estimate of the reduction. Uses a
 * sample; skips animations, and formats that would lose the transparency.
 * @param frame with its encode options
 */
export async function farSmallerFormat(
  frame: ImageFrame,
): Promise<{ format: string; chosen: string; percent: number } | undefined> {
  const chosen = formatOf(frame).id as Format
  if (frame.pages > 1 || SMALLEST.includes(chosen)) return undefined
  const others = CANDIDATES.filter((format) => format !== chosen && !(format === 'jpg' && frame.hasAlpha))
  const whole = await frame.settled()
  const look = await middleOf(whole, LOOK_SIDE)
  const promising =
    look === whole ? others : (await smallerOnes(look, chosen, others)).found.map(({ format }) => format)
  if (promising.length === 0) return undefined
  const sample = await middleOf(whole, SAMPLE_SIDE)
  const { own, found } = await smallerOnes(sample, chosen, promising)
  const share = (sample.width * sample.height) / (frame.width * frame.height)
  const [best] = found
  if (!best || best.bytes > own * FAR || (own - best.bytes) / share < LEAST_BYTES) return undefined
  return { format: best.format, chosen, percent: Math.round(100 * (1 - best.bytes / own)) }
}
