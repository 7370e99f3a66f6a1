import { boundsOf } from '../layout/bounds.ts'
import type { Textured } from './texture.ts'

/** A position in a length that begins at `start`, mirrored beyond its ends. */
function mirrored(at: number, start: number, length: number): number {
  const period = 2 * length
  const place = (((at - start) % period) + period) % period
  return start + (place < length ? place : period - 1 - place)
}

/** For every pixel, its position in the mirror image of the known area, which is a rectangle. */
export function mirrorOf({ holes, width, height }: Pick<Textured, 'holes' | 'width' | 'height'>): Int32Array {
  const known = boundsOf({ width, height }, (at) => holes[at] !== 1)
  const mirror = new Int32Array(holes.length)
  if (!known) return mirror
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1)
      mirror[at] = mirrored(y, known.top, known.height) * width + mirrored(x, known.left, known.width)
  return mirror
}

/** A first guess for the area around an image, in place: its mirror image, which continues the image at the border. */
export function fillByMirror({ data, holes, channels }: Textured, mirror: Int32Array): void {
  for (let at = 0; at < holes.length; at += 1)
    if (holes[at] === 1)
      for (let channel = 0; channel < channels; channel += 1)
        data[at * channels + channel] = data[mirror[at]! * channels + channel]!
}
