import type { ImageFrame } from '../../../src/media/image/frame.ts'

/** Colours are looked for in a copy of at most this longest side, px. */
const LONGEST = 512

/** How far channels of a pixel may be apart, of 255: compression and scanners leave a little colour everywhere. */
const COLOURED = 24
const MEAN = 6

/** So many of the pixels may be coloured by chance. */
const SHARE = 0.01

/** Whether a picture of one page shows no colours, whatever its file says. One in a single tint, such as sepia, does. */
export async function isGreyscale(frame: ImageFrame): Promise<boolean> {
  if (frame.space === 'grey') return true
  const factor = Math.min(1, LONGEST / Math.max(frame.width, frame.height))
  const size = {
    width: Math.max(1, Math.round(frame.width * factor)),
    height: Math.max(1, Math.round(frame.height * factor)),
  }
  const copy = factor === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const { data, channels } = await copy.pixels({ alpha: 'drop' })
  let [sum, coloured] = [0, 0]
  for (let at = 0; at < data.length; at += channels) {
    const apart = Math.max(data[at]!, data[at + 1]!, data[at + 2]!) - Math.min(data[at]!, data[at + 1]!, data[at + 2]!)
    sum += apart
    if (apart > COLOURED) coloured += 1
  }
  const count = data.length / channels
  return sum / count < MEAN && coloured / count < SHARE
}
