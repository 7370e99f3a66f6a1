import type { Samples } from '../../../../src/media/image/frame.ts'
import { labOf, luminanceOf } from '../../_shared/colour/lab.ts'
import { encodedOf, linearOf } from '../../_shared/colour/srgb.ts'
import type { Eye } from './eyes.ts'

export interface RedEyeOptions {
  /** 0 to 100 each. */
  sensitivity: number
  strength: number
}

/** The catalogue's Lab values are bytes: a* plus 128, L* times 2.55; saturation of 255. */
const LEAST_A = { insensitive: 170 - 128, range: 50 } as const
const LIGHTNESS = { least: 50 / 2.55, most: 220 / 2.55 } as const
const LEAST_SATURATION = 60 / 255
/**
 * R^2 / (G^2 + B^2), encoded (Gaubatz and Ulichney, "Automatic red-eye detection and correction", ICIP 2002): skin of
 * the lids has 1 to 2, a pupil with red-eye 3 and more. At both ends of the sensitivity.
 */
const LEAST_REDNESS = { insensitive: 3, range: 1.5 } as const
/** An eye with fewer red pixels is skipped. */
const LEAST_PIXELS = 3
/** Share of the lightness that is removed at full strength. */
const DARKENING = 0.7

/** A square of bytes: the redness of each pixel, 0 to 255. */
type Mask = { data: Float32Array; side: number }

/** Computes each pixel from its neighbourhood; ignores pixels outside. */
function around({ data, side }: Mask, reach: number, combine: (values: number[]) => number): Mask {
  const result = new Float32Array(data.length)
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const values: number[] = []
      for (let row = Math.max(0, y - reach); row <= Math.min(side - 1, y + reach); row += 1)
        for (let column = Math.max(0, x - reach); column <= Math.min(side - 1, x + reach); column += 1)
          values.push(data[row * side + column]!)
      result[y * side + x] = combine(values)
    }
  return { data: result, side }
}

const largest = (values: number[]): number => Math.max(...values)
const smallest = (values: number[]): number => Math.min(...values)
const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Smaller areas (radius, px) are not opened: opening would remove everything below 3 x 3 px. */
const LEAST_OPENED = 8

/** Removes pixels with fewer than two set neighbours. */
function withoutSpecks(mask: Mask): Mask {
  const counts = around(mask, 1, (values) => values.reduce((sum, value) => sum + value, 0))
  return { ...mask, data: mask.data.map((value, at) => (counts.data[at]! >= 3 ? value : 0)) }
}

/**
 * Closes (fills the glint in a pupil), opens (removes thin parts), and softens outside the edge. Everything inside is
 * corrected fully: a soft edge inside would leave a small pupil red.
 */
function cleaned(mask: Mask, radius: number): Mask {
  const closed = around(around(mask, 1, largest), 1, smallest)
  const opened = radius < LEAST_OPENED ? withoutSpecks(closed) : around(around(closed, 1, smallest), 1, largest)
  const soft = around(opened, radius < LEAST_OPENED ? 1 : 2, mean)
  return { ...mask, data: soft.data.map((value, at) => Math.max(value, opened.data[at]!)) }
}

/** Whether a linear-light pixel has the colour of red-eye. */
function isRed(red: number, green: number, blue: number, sensitivity: number): boolean {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const [brightest, darkest] = [encodedOf(most), encodedOf(least)]
  if (most !== red || brightest === 0 || (brightest - darkest) / brightest <= LEAST_SATURATION) return false
  const redness = encodedOf(red) ** 2 / (encodedOf(green) ** 2 + encodedOf(blue) ** 2 + 1e-6)
  if (redness < LEAST_REDNESS.insensitive - (sensitivity / 100) * LEAST_REDNESS.range) return false
  const { lightness, a } = labOf(red, green, blue)
  const leastA = LEAST_A.insensitive - (sensitivity / 100) * LEAST_A.range
  return a > leastA && lightness > LIGHTNESS.least && lightness < LIGHTNESS.most
}

/**
 * Turns the red of one eye into a dark neutral, in place; sRGB samples with three or four channels.
 * @returns whether there was any red
 */
export function correctEye(samples: Samples, { x, y, radius }: Eye, { sensitivity, strength }: RedEyeOptions): boolean {
  const { data, width, height, channels } = samples
  const white = data instanceof Uint16Array ? 65535 : 255
  const reach = Math.ceil(radius)
  const side = 2 * reach + 1
  const [left, top] = [Math.round(x) - reach, Math.round(y) - reach]
  const place = (column: number, row: number): number | undefined =>
    left + column < 0 || left + column >= width || top + row < 0 || top + row >= height
      ? undefined
      : ((top + row) * width + left + column) * channels
  const linear = (at: number): [number, number, number] => [
    linearOf(data[at]! / white),
    linearOf(data[at + 1]! / white),
    linearOf(data[at + 2]! / white),
  ]
  const found: Mask = { data: new Float32Array(side * side), side }
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const at = place(column, row)
      if (at === undefined || Math.hypot(column - reach, row - reach) > radius) continue
      if (isRed(...linear(at), sensitivity)) found.data[row * side + column] = 1
    }
  const mask = cleaned(found, radius)
  if (mask.data.filter((share) => share > 0.5).length < LEAST_PIXELS) return false
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      const at = place(column, row)
      const share = mask.data[row * side + column]!
      if (at === undefined || share === 0) continue
      const { lightness } = labOf(...linear(at))
      const grey = encodedOf(luminanceOf(lightness * (1 - (strength / 100) * DARKENING))) * white
      for (let channel = 0; channel < 3; channel += 1)
        data[at + channel] = data[at + channel]! * (1 - share) + grey * share + 0.5
    }
  return true
}
