import { encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame, ImageTarget } from '../../../../src/media/image/frame.ts'

type Format = NonNullable<ImageTarget['format']>

/** Formats that every browser supports and that are quick to try; AVIF and JPEG XL take longer to encode than the picture itself. */
const CANDIDATES: readonly Format[] = ['webp', 'png', 'jpg']
const SMALLEST: readonly string[] = ['avif', 'jxl']

/** Size of the sample from the centre, px per side. */
const SAMPLE_SIDE = 1024
/** A part that is tried first: a format that is no smaller there is not tried on the sample, which takes as long as the work. */
const LOOK_SIDE = 256

/** Another format is suggested below this share of the size, if at least this many bytes are saved. */
const FAR = 0.5
const LEAST_BYTES = 10_000

/** The middle of a picture, or all of it where it is small. */
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

/** Bytes of a picture in a format, without metadata. */
async function bytesAs(frame: ImageFrame, format: Format, options: ImageTarget): Promise<number> {
  // A thorough JPEG is a third smaller, and takes no time; of the others it would take more than the picture itself.
  const manner = { format, metadata: 'none', thorough: format === 'jpg' } as const
  return (await encodeToBuffer(frame.withTarget({ ...frame.target, ...options, ...manner }))).length
}

/** Those of some formats that take fewer bytes than the chosen one, with their bytes; the least first. */
async function smallerOnes(frame: ImageFrame, chosen: Format, others: readonly Format[]) {
  const own = await bytesAs(frame, chosen, {})
  const tried: { format: Format; bytes: number }[] = []
  for (const format of others) tried.push({ format, bytes: await bytesAs(frame, format, { paletteByQuality: false }) })
  return { own, found: tried.filter(({ bytes }) => bytes < own).sort((a, b) => a.bytes - b.bytes) }
}

/**
 * The format in which a picture would be far smaller at the same quality, and about how much smaller it would be. Tried
 * on a sample; animations are left alone, and so is what loses its transparency.
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
