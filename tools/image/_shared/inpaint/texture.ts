import type { View } from './view.ts'

/** The weight of texture differences relative to colour differences. */
const WEIGHT = 1.5

/** A view with more values per pixel than an image has. */
export type Textured = Omit<View, 'channels'> & { channels: number }

/**
 * A view with two more values per pixel: its horizontal and vertical change. Smaller copies keep the means of these,
 * which distinguishes a lawn from a wall of the same colour after both have become smooth; otherwise smooth areas
 * spread in holes (A. Newson et al., "Video Inpainting of Complex Scenes", SIAM Journal on Imaging Sciences, 2014).
 */
export function withTexture({ data, holes, width, height, channels, barred }: View): Textured {
  const count = channels + 2
  const result: Textured = {
    data: new Float32Array(width * height * count),
    ...{ holes, width, height, channels: count, ...(barred && { barred }) },
  }
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      for (let channel = 0; channel < channels; channel += 1)
        result.data[at * count + channel] = data[at * channels + channel]!
      if (holes[at] === 1) continue
      const change = (other: number): number => {
        if (holes[other] === 1) return 0
        let sum = 0
        for (let channel = 0; channel < channels; channel += 1)
          sum += Math.abs(data[at * channels + channel]! - data[other * channels + channel]!)
        return (sum / channels) * WEIGHT
      }
      result.data[at * count + channels] = change(x + 1 < width ? at + 1 : at - (x > 0 ? 1 : 0))
      result.data[at * count + channels + 1] = change(y + 1 < height ? at + width : at - (y > 0 ? width : 0))
    }
  return result
}

/** The image alone. */
export function withoutTexture({ data, holes, channels }: Textured): Float32Array {
  const count = channels - 2
  const colours = new Float32Array(holes.length * count)
  for (let at = 0; at < holes.length; at += 1)
    for (let channel = 0; channel < count; channel += 1) colours[at * count + channel] = data[at * channels + channel]!
  return colours
}
