import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { linearTable } from '../../_shared/colour/srgb.ts'

/** A rectangle on the page, px; it may extend beyond it. */
interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** The mean luminance of the page in a rectangle, 0 to 1. */
export type Ground = (box: Box) => number

/** Side of the reduced picture from which the means are computed, px. */
const SIDE = 128

const LINEAR = linearTable(255)

/** The luminance of a picture, of its first frame, with transparent parts as on white paper. */
export async function groundOf(frame: ImageFrame): Promise<Ground> {
  const image = await (await frame.firstPage()).pipeline()
  const small = image.resize(SIDE, SIDE, { fit: 'fill' }).flatten({ background: '#ffffff' }).greyscale()
  const { data } = await small.toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const [across, down] = [SIDE / frame.width, SIDE / frame.height]
  const within = (value: number): number => Math.min(SIDE - 1, Math.max(0, Math.floor(value)))
  return ({ left, top, width, height }) => {
    const [from, to] = [within(left * across), within((left + width) * across)]
    const [first, last] = [within(top * down), within((top + height) * down)]
    let sum = 0
    for (let row = first; row <= last; row += 1)
      for (let column = from; column <= to; column += 1) sum += LINEAR[data[row * SIDE + column] ?? 0] ?? 0
    return sum / ((to - from + 1) * (last - first + 1))
  }
}
