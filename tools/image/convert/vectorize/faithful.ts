import { openSharp } from '../../../../src/engines/sharp.ts'
import { get, type Plane } from './plane.ts'

/** A pixel is lost if no rendered one beside it is within this in every channel; of 255. */
const ALIKE = 64
/** Lost pixels that do not matter: single ones at corners, and some along the edges of a large picture. */
const FEW = { any: 4, perSide: 0.02 } as const

/** Pixels with colours multiplied by alpha: the colour of a transparent one does not matter. */
function premultiplied(data: Uint8Array): Uint8Array {
  const made = Uint8Array.from(data)
  for (let at = 0; at < made.length; at += 4) {
    const alpha = get(made, at + 3) / 255
    for (let channel = at; channel < at + 3; channel += 1) made[channel] = Math.round(get(made, channel) * alpha)
  }
  return made
}

/**
 * Whether a drawing shows what its picture shows: the tracer of drawings loses details of few pixels, such as small text.
 * Edges may move by a pixel.
 * @param picture RGBA samples
 */
export async function isFaithful(svg: string, picture: Plane<Uint8Array>): Promise<boolean> {
  const { width, height } = picture
  const size = { width, height, fit: 'fill' } as const
  const rendered = await (await openSharp(Buffer.from(svg))).ensureAlpha().resize(size).raw().toBuffer()
  const [wanted, shown] = [premultiplied(picture.data), premultiplied(rendered)]
  const isAlike = (at: number, place: number): boolean => {
    for (let channel = 0; channel < 4; channel += 1)
      if (Math.abs(get(wanted, at * 4 + channel) - get(shown, place * 4 + channel)) > ALIKE) return false
    return true
  }
  const isNear = (x: number, y: number): boolean => {
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1)
        if (isAlike(y * width + x, row * width + column)) return true
    return false
  }
  const most = FEW.any + FEW.perSide * Math.sqrt(width * height)
  let lost = 0
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      if (!isAlike(at, at) && !isNear(x, y)) {
        lost += 1
        if (lost > most) return false
      }
  return true
}
