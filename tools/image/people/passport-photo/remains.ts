import type { Coverage } from './landmarks.ts'

/** Alpha of pixels that are neither the person nor transparent. */
const PARTLY = { from: 24, to: 232 } as const
/**
 * Hair and edges are partly covered in thin lines; wider areas are background that was not removed. As a share of the
 * photo's height.
 */
const WIDTH = 0.02

/**
 * The share of a cut-out that consists of partly covered patches, as in the matte of a background that could not be
 * separated from the person.
 * @param photo the person as shown in the photo
 * @returns the share of its pixels in such patches, from 0 to 1
 */
export function patchyPart(photo: Coverage): number {
  const { width, height } = photo
  const isPartly = (x: number, y: number): boolean => {
    const alpha = photo.at(x, y)
    return alpha >= PARTLY.from && alpha < PARTLY.to
  }
  const reach = Math.max(1, Math.round((WIDTH * height) / 2))
  // Above each pixel, the number of partly covered rows of a square that ends at it: a square exists where all rows
  // are.
  let inside = 0
  const side = 2 * reach + 1
  const full = new Uint32Array(width)
  for (let y = 0; y < height; y += 1) {
    let run = 0
    for (let x = 0; x < width; x += 1) {
      run = isPartly(x, y) ? run + 1 : 0
      full[x] = run >= side ? full[x]! + 1 : 0
      if (full[x]! >= side) inside += 1
    }
  }
  return inside / (width * height)
}
