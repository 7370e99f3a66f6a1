import type { Sharp } from '../../../../src/engines/sharp.ts'
import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'

/** The colours without alpha; fully transparent pixels (alpha 0) take those of `elsewhere`. */
function coloursOf({ data, channels, ...shape }: Samples, elsewhere: Samples['data']): Samples {
  const colours = (channels - 1) as 1 | 3
  const count = data.length / channels
  const bare = data instanceof Uint16Array ? new Uint16Array(count * colours) : new Uint8Array(count * colours)
  for (let pixel = 0; pixel < count; pixel += 1) {
    const from = data[pixel * channels + colours] === 0 ? elsewhere : data
    for (let channel = 0; channel < colours; channel += 1)
      bare[pixel * colours + channel] = from[pixel * channels + channel]!
  }
  return { ...shape, data: bare, channels: colours }
}

/**
 * Runs a neighbourhood operation (sharpen, convolve, median) on the colours alone; keeps alpha. libvips would apply it
 * to alpha too, or premultiply, and draw halos of the invisible colours around visible areas. Therefore invisible
 * pixels first take the colour of nearby visible ones, and get their own back at the end.
 * @param reach radius of the operation, as the sigma of a blur, px
 */
export async function onColoursAlone(
  frame: ImageFrame,
  reach: number,
  operation: (image: Sharp) => Sharp,
): Promise<ImageFrame> {
  const pagewise = true
  if (!frame.hasAlpha) return frame.apply(operation, { pagewise })
  const settled = await frame.settled()
  const samples = await settled.samples()
  const { data, channels } = samples
  const alpha = channels - 1
  // Twice as far, since libvips truncates a blur where sharpening still shows it.
  const nearby = await (await settled.apply((image) => image.blur(1 + 2 * reach), { pagewise })).samples()
  const bare = await settled.withSamples(coloursOf(samples, nearby.data))
  const done = await (await bare.apply(operation, { pagewise })).samples()
  for (let pixel = 0; pixel * channels < data.length; pixel += 1) {
    if (data[pixel * channels + alpha] === 0) continue
    for (let channel = 0; channel < alpha; channel += 1)
      data[pixel * channels + channel] = done.data[pixel * done.channels + channel]!
  }
  return settled.withSamples(samples)
}

/**
 * A median filter on the colours alone. An image smaller than the window uses the largest window that fits.
 * @param window side of the window: 3, 5 or 7 px
 */
export async function withMedian(frame: ImageFrame, window: number): Promise<ImageFrame> {
  const side = Math.min(window, frame.width, frame.height)
  const fitting = side % 2 === 1 ? side : side - 1
  return fitting < 3 ? frame : onColoursAlone(frame, fitting / 2, (image) => image.median(fitting))
}
