import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** The image is first scaled down to fit this many pixels, which keeps its mean. */
const SIDE = 256

/** The mean colour (red, green, blue, alpha from 0 to 255) of the first page, weighted by alpha. */
export async function meanColour(frame: ImageFrame): Promise<[number, number, number, number]> {
  const first = await frame.firstPage()
  const size = { width: Math.min(SIDE, first.width), height: Math.min(SIDE, first.height) }
  // A kernel without overshoot at edges.
  const small = await first.apply((image) => image.resize({ ...size, fit: 'fill', kernel: 'linear' }), { size })
  const { data } = await small.pixels({ alpha: 'add' })
  const sums = [0, 0, 0]
  let weight = 0
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!
    weight += alpha
    for (let channel = 0; channel < 3; channel += 1) sums[channel]! += data[at + channel]! * alpha
  }
  const [red, green, blue] = sums.map((sum) => (weight === 0 ? 0 : Math.round(sum / weight))) as [
    number,
    number,
    number,
  ]
  return [red, green, blue, Math.round(weight / (data.length / 4))]
}
