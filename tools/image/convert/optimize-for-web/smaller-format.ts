import { encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFrame, ImageTarget, Samples, Size } from '../../../../src/media/image/frame.ts'

interface Position {
  left: number
  top: number
}

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

/** An image whose parts are taken from computed samples, if there are any. */
interface Whole {
  frame: ImageFrame
  samples?: Samples
}

/**
 * Computes the operations of an image once, for the parts and for the result. A decoded input has none: it is not kept in
 * memory. Samples of CMYK or of a profile cannot be encoded directly.
 */
async function computed(frame: ImageFrame): Promise<Whole> {
  if (frame.untouched || frame.hasOwnProfile || frame.space === 'cmyk') return { frame: await frame.settled() }
  const samples = await frame.samples()
  return { frame: await frame.withSamples(samples), samples }
}

/** A part of samples: copies its rows. */
function cutOut({ data, width, channels, pages }: Samples, { left, top }: Position, size: Size): Samples {
  const length = size.width * channels
  const part = data instanceof Uint16Array ? new Uint16Array(length * size.height) : Buffer.alloc(length * size.height)
  for (let row = 0; row < size.height; row += 1) {
    const start = ((top + row) * width + left) * channels
    part.set(data.subarray(start, start + length), row * length)
  }
  return { data: part, ...size, channels, pages }
}

/** The centre of an image, or all of it if it is small. */
async function middleOf({ frame, samples }: Whole, side: number): Promise<ImageFrame> {
  const size = { width: Math.min(side, frame.width), height: Math.min(side, frame.height) }
  if (size.width === frame.width && size.height === frame.height) return frame
  const place = {
    left: Math.floor((frame.width - size.width) / 2),
    top: Math.floor((frame.height - size.height) / 2),
  }
  if (samples) return frame.withSamples(cutOut(samples, place, size))
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

/** A format in which an image would be far smaller. */
interface Suggestion {
  format: string
  chosen: string
  percent: number
}

/**
 * The format in which an image would be far smaller at the same quality, with an estimate of the reduction. Uses a
 * sample; skips animations, and formats that would lose the transparency.
 * @param given with its encode options
 * @returns the image too, with its operations computed if the estimate needed that
 */
export async function withSuggestion(given: ImageFrame): Promise<{ frame: ImageFrame; smaller?: Suggestion }> {
  const chosen = formatOf(given).id as Format
  if (given.pages > 1 || SMALLEST.includes(chosen)) return { frame: given }
  const whole = await computed(given)
  const smaller = await farSmaller(whole, chosen)
  return { frame: whole.samples ? whole.frame : given, ...(smaller && { smaller }) }
}

async function farSmaller(whole: Whole, chosen: Format): Promise<Suggestion | undefined> {
  const { frame } = whole
  const others = CANDIDATES.filter((format) => format !== chosen && !(format === 'jpg' && frame.hasAlpha))
  const look = await middleOf(whole, LOOK_SIDE)
  const promising =
    look === frame ? others : (await smallerOnes(look, chosen, others)).found.map(({ format }) => format)
  if (promising.length === 0) return undefined
  const sample = await middleOf(whole, SAMPLE_SIDE)
  const { own, found } = await smallerOnes(sample, chosen, promising)
  const share = (sample.width * sample.height) / (frame.width * frame.height)
  const [best] = found
  if (!best || best.bytes > own * FAR || (own - best.bytes) / share < LEAST_BYTES) return undefined
  return { format: best.format, chosen, percent: Math.round(100 * (1 - best.bytes / own)) }
}
