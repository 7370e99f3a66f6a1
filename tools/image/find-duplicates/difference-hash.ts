import type { ImageFrame } from '../../../src/media/image/frame.ts'

/** Bits of a hash: 64 of rows, 64 of columns. */
export const HASH_BITS = 128

/** Grey values of a picture shrunk to exactly this size; clear pixels count as white. */
async function greys(frame: ImageFrame, width: number, height: number): Promise<Uint8Array> {
  const image = (await frame.pipeline()).flatten({ background: '#ffffff' }).greyscale()
  const { data } = await image
    .resize(width, height, { fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return data
}

/**
 * The difference hash (N. Krawetz, "Kind of Like That", 2013) in both directions: whether each pixel of an 8 x 8 grid is
 * brighter than its right neighbour, then than the one below. One byte per bit.
 * @param frame of one page, in sRGB
 */
export async function differenceHash(frame: ImageFrame): Promise<Uint8Array> {
  const settled = await frame.settled()
  const [rows, columns] = [await greys(settled, 9, 8), await greys(settled, 8, 9)]
  const bits = new Uint8Array(HASH_BITS)
  for (let y = 0; y < 8; y += 1)
    for (let x = 0; x < 8; x += 1) {
      bits[y * 8 + x] = rows[y * 9 + x]! > rows[y * 9 + x + 1]! ? 1 : 0
      bits[64 + y * 8 + x] = columns[y * 8 + x]! > columns[(y + 1) * 8 + x]! ? 1 : 0
    }
  return bits
}

/** In how many bits two hashes differ (Hamming distance). */
export function hashDistance(a: Uint8Array, b: Uint8Array): number {
  let distance = 0
  for (let index = 0; index < HASH_BITS; index += 1) if (a[index] !== b[index]) distance += 1
  return distance
}
