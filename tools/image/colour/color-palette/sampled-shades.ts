import type { Pixels } from '../../../../src/media/image/frame.ts'
import type { Shades } from './median-cut.ts'

/** Maximum number of columns and rows sampled: original pixels, since a smaller copy would mix colours. */
const SIDE = 200

/** Offset of each row of samples, as a share of the sampling distance: avoids hitting stripes always or never. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * The colours of an image with their visible amounts: half-transparent pixels count half, transparent ones not at all.
 * @returns in the order in which the image shows them, which decides between equally typical colours
 */
export function sampledShades({ data, width, height, channels }: Omit<Pixels, 'pageHeight'>): Shades {
  const [columns, rows] = [Math.min(SIDE, width), Math.min(SIDE, height)]
  const [colours, weights] = [new Uint32Array(columns * rows), new Uint32Array(columns * rows)]
  const places = new Map<number, number>()
  for (let row = 0; row < rows; row += 1) {
    const y = Math.floor(((row + 0.5) * height) / rows)
    const offset = columns === width ? 0.5 : (row * GOLDEN) % 1
    for (let column = 0; column < columns; column += 1) {
      const at = (y * width + Math.floor(((column + offset) * width) / columns)) * channels
      const alpha = channels === 4 ? data[at + 3]! : 255
      if (alpha === 0) continue
      const colour = data.readUIntBE(at, 3)
      const place = places.get(colour) ?? places.size
      if (place === places.size) {
        places.set(colour, place)
        colours[place] = colour
      }
      weights[place]! += alpha
    }
  }
  return { colours: colours.subarray(0, places.size), weights: weights.subarray(0, places.size) }
}
