import { boundsOf } from '../layout/bounds.ts'
import type { Edges } from '../layout/edges.ts'
import type { Textured } from './texture.ts'

/** How much of an image can be mirrored at each side, as shares of its width and height. */
export type MirrorDepths = Edges

/** A position in a length that begins at `start`, mirrored to and fro beyond its ends in the given parts of it. */
function mirrored(at: number, start: number, length: number, before: number, after: number): number {
  const beyond = at < start ? start - at - 1 : at - start - length
  if (beyond < 0) return at
  const depth = Math.min(length, Math.max(1, Math.round(length * (at < start ? before : after))))
  const place = beyond % (2 * depth)
  const inside = place < depth ? place : 2 * depth - 1 - place
  return at < start ? start + inside : start + length - 1 - inside
}

/** For every pixel, its position in the mirror image of the known area, which is a rectangle. */
export function mirrorOf(
  { holes, width, height }: Pick<Textured, 'holes' | 'width' | 'height'>,
  { left, top, right, bottom }: MirrorDepths,
): Int32Array {
  const known = boundsOf({ width, height }, (at) => holes[at] !== 1)
  const mirror = new Int32Array(holes.length)
  if (!known) return mirror
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      mirror[at] =
        mirrored(y, known.top, known.height, top, bottom) * width + mirrored(x, known.left, known.width, left, right)
  return mirror
}

/** A first guess for the area around an image, in place: its mirror image, which continues the image at the border. */
export function fillByMirror({ data, holes, channels }: Textured, mirror: Int32Array): void {
  for (let at = 0; at < holes.length; at += 1)
    if (holes[at] === 1)
      for (let channel = 0; channel < channels; channel += 1)
        data[at * channels + channel] = data[mirror[at]! * channels + channel]!
}
