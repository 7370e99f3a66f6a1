import type { RawPixels } from '../../../engines/sharp.ts'

/** Alpha below this is noise of antialiased edges, of 255. */
const FAINT = 8
const FAR = 1e6

/**
 * Distance from every pixel's centre to the edge of the ink in its column, in px; inside the ink it is less than half a
 * pixel, depending on the pixel's coverage.
 */
function columnDistances({ data, width, height }: RawPixels): Float32Array {
  const distances = new Float32Array(width * height)
  for (let index = 0; index < distances.length; index++) {
    const alpha = data[index * 4 + 3]!
    distances[index] = alpha < FAINT ? FAR : 0.5 - alpha / 255
  }
  for (let index = width; index < distances.length; index++)
    distances[index] = Math.min(distances[index]!, distances[index - width]! + 1)
  for (let index = distances.length - width - 1; index >= 0; index--)
    distances[index] = Math.min(distances[index]!, distances[index + width]! + 1)
  return distances
}

/** Coverage of every pixel by an outline of `radius` px, 0 to 1, with round corners and antialiased edges. */
function coverage(picture: RawPixels, radius: number): Float32Array {
  const { width, height } = picture
  const columns = columnDistances(picture)
  const reach = Math.ceil(radius + 1)
  const covered = new Float32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let nearest = FAR
      for (let across = Math.max(-reach, -x); across <= Math.min(reach, width - 1 - x); across++) {
        const down = columns[y * width + x + across]!
        if (down > reach) continue
        // The ink is in this row: use its own edge instead of the pixel's centre.
        const distance = down <= 0.5 ? Math.abs(across) + down : Math.sqrt(across * across + down * down)
        if (distance < nearest) nearest = distance
      }
      covered[y * width + x] = Math.max(0, Math.min(1, radius + 0.5 - nearest))
    }
  return covered
}

/**
 * Draws an outline under the ink of an image, on the existing canvas: leave room for it.
 * @param picture RGBA
 * @param colour 0 to 255 each
 * @param radius width of the outline, px
 */
export function withOutline(picture: RawPixels, colour: readonly [number, number, number], radius: number): RawPixels {
  const covered = coverage(picture, radius)
  const data = Buffer.alloc(picture.data.length)
  for (let index = 0; index < covered.length; index++) {
    const at = index * 4
    const ink = picture.data[at + 3]! / 255
    const line = covered[index]! * (1 - ink)
    const alpha = ink + line
    if (alpha === 0) continue
    for (let channel = 0; channel < 3; channel++)
      data[at + channel] = Math.round((picture.data[at + channel]! * ink + colour[channel]! * line) / alpha)
    data[at + 3] = Math.round(alpha * 255)
  }
  return { ...picture, data }
}
