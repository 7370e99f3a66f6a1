/** Converts images to planar float tensors for models, and back. */

/** The channel order: models trained with OpenCV expect blue first. */
export type ChannelOrder = 'rgb' | 'bgr'

/** Sample normalisation: (sample - mean) / deviation, per channel in model order. */
export interface Scaling {
  order: ChannelOrder
  mean: readonly [number, number, number]
  deviation: readonly [number, number, number]
}

/** A position in interleaved samples; grey (with or without alpha) counts as three equal channels. */
export interface Place {
  data: Uint8Array | Uint16Array
  /** Of the image, px. */
  width: number
  channels: 1 | 2 | 3 | 4
  left: number
  top: number
}

/** The offset of a colour in a sample: always 0 for grey. */
const offset = (colour: number, channels: number): number => (channels < 3 ? 0 : colour)

/** Converts interleaved samples to planes (channel, row, column), without alpha. */
export function toPlanes(
  { data, width, channels, left, top, across, down }: Place & { across: number; down: number },
  { order, mean, deviation }: Scaling,
): Float32Array {
  const area = across * down
  const planes = new Float32Array(3 * area)
  for (let plane = 0; plane < 3; plane += 1) {
    const from = offset(order === 'rgb' ? plane : 2 - plane, channels)
    const factor = 1 / deviation[plane]!
    const shift = mean[plane]!
    let to = plane * area
    for (let row = 0; row < down; row += 1) {
      let at = ((top + row) * width + left) * channels + from
      for (let column = 0; column < across; column += 1, at += channels, to += 1)
        planes[to] = (data[at]! - shift) * factor
    }
  }
  return planes
}

/** Source and target of a rectangle of planes. */
export interface PlaneCut {
  /** Size of the planes, px. */
  width: number
  height: number
  /** The part to copy. */
  left: number
  top: number
  across: number
  down: number
}

/**
 * Writes a part of RGB planes (0 to 1) into interleaved samples; grey takes the mean of the three. Alpha is unchanged.
 * @param white the maximum sample value, 255 or 65535
 */
export function putPlanes(
  planes: Float32Array,
  { width, height, left, top, across, down }: PlaneCut,
  into: Place,
  white: number,
): void {
  const area = width * height
  const { data, channels } = into
  const clamp = (value: number): number => Math.min(white, Math.max(0, value * white)) + 0.5
  for (let row = 0; row < down; row += 1) {
    let from = (top + row) * width + left
    let to = ((into.top + row) * into.width + into.left) * channels
    for (let column = 0; column < across; column += 1, from += 1, to += channels) {
      const red = planes[from]!
      const green = planes[from + area]!
      const blue = planes[from + 2 * area]!
      if (channels < 3) data[to] = clamp((red + green + blue) / 3)
      else {
        data[to] = clamp(red)
        data[to + 1] = clamp(green)
        data[to + 2] = clamp(blue)
      }
    }
  }
}
