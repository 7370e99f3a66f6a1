import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { copyOf } from './light.ts'

/** Colours are detected in a copy of at most this longest side, px. */
const LONGEST = 512

/** Maximum difference of a pixel's channels, of 255: compression and scanners leave a little colour everywhere. */
const COLOURED = 24
const MEAN = 6

/** Share of pixels that can be coloured by chance. */
const SHARE = 0.01

/**
 * Whether a single-page image has no visible colours, whatever its file format. An image with a single tint, such as
 * sepia, has.
 */
export async function isGreyscale(frame: ImageFrame): Promise<boolean> {
  if (frame.space === 'grey') return true
  const { data, channels } = await (await copyOf(frame, LONGEST)).pixels({ alpha: 'drop' })
  let [sum, coloured] = [0, 0]
  for (let at = 0; at < data.length; at += channels) {
    const apart = Math.max(data[at]!, data[at + 1]!, data[at + 2]!) - Math.min(data[at]!, data[at + 1]!, data[at + 2]!)
    sum += apart
    if (apart > COLOURED) coloured += 1
  }
  const count = data.length / channels
  return sum / count < MEAN && coloured / count < SHARE
}
