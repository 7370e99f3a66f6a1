/** Block compression of textures: BC1 (DXT1), BC2 (DXT3) and BC3 (DXT5), 4 × 4 pixels a block. */

export type BlockKind = 'BC1' | 'BC2' | 'BC3'

/** Bytes of a picture of this size. */
export const blockBytes = (kind: BlockKind, width: number, height: number): number =>
  Math.ceil(width / 4) * Math.ceil(height / 4) * (kind === 'BC1' ? 8 : 16)

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0
const word = (bytes: Uint8Array, at: number): number => byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8)

/** Five, six and five bits as 0 to 255. */
function colourOf(packed: number): [number, number, number] {
  const [red, green, blue] = [packed >> 11, (packed >> 5) & 63, packed & 31]
  return [(red << 3) | (red >> 2), (green << 2) | (green >> 4), (blue << 3) | (blue >> 2)]
}

/** The four colours of a block, as RGBA; three and transparent black for BC1 when the first is not greater. */
function colours(bytes: Uint8Array, at: number, isBc1: boolean): readonly (readonly number[])[] {
  const [first, second] = [word(bytes, at), word(bytes, at + 2)]
  const [one, other] = [colourOf(first), colourOf(second)]
  const mix = (weight: number, of: number): number[] =>
    one.map((value, index) => Math.floor((value * weight + (other[index] ?? 0) * (of - weight)) / of))
  if (isBc1 && first <= second)
    return [
      [...one, 255],
      [...other, 255],
      [...mix(1, 2), 255],
      [0, 0, 0, 0],
    ]
  return [
    [...one, 255],
    [...other, 255],
    [...mix(2, 3), 255],
    [...mix(1, 3), 255],
  ]
}

/** The eight alphas of a BC3 block. */
function alphas(bytes: Uint8Array, at: number): readonly number[] {
  const [first, second] = [byteAt(bytes, at), byteAt(bytes, at + 1)]
  const steps = first > second ? 7 : 5
  const mixed = Array.from({ length: steps - 1 }, (_, index) =>
    Math.floor((first * (steps - 1 - index) + second * (index + 1)) / steps),
  )
  return [first, second, ...mixed, ...(steps === 5 ? [0, 255] : [])]
}

function alphaOf(kind: BlockKind, bytes: Uint8Array, at: number, levels: readonly number[], pixel: number): number {
  if (kind === 'BC2') return ((byteAt(bytes, at + (pixel >> 1)) >> ((pixel & 1) * 4)) & 15) * 17
  const bit = pixel * 3
  const pair = word(bytes, at + 2 + (bit >> 3))
  return levels[(pair >> (bit & 7)) & 7] ?? 0
}

/** Unpacks to RGBA. @param bytes at least `blockBytes` long */
export function unpackBlocks(kind: BlockKind, bytes: Uint8Array, width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 4)
  const isBc1 = kind === 'BC1'
  let at = 0
  for (let top = 0; top < height; top += 4)
    for (let left = 0; left < width; left += 4, at += isBc1 ? 8 : 16) {
      const start = isBc1 ? at : at + 8
      const table = colours(bytes, start, isBc1)
      const levels = kind === 'BC3' ? alphas(bytes, at) : []
      for (let pixel = 0; pixel < 16; pixel += 1) {
        const [x, y] = [left + (pixel & 3), top + (pixel >> 2)]
        if (x >= width || y >= height) continue
        const index = (byteAt(bytes, start + 4 + (pixel >> 2)) >> ((pixel & 3) * 2)) & 3
        const to = (y * width + x) * 4
        pixels.set(table[index] ?? [], to)
        if (!isBc1) pixels[to + 3] = alphaOf(kind, bytes, at, levels, pixel)
      }
    }
  return pixels
}

/** RGB without the alpha channel. */
export function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) rgb.set(rgba.subarray(from, from + 3), to)
  return rgb
}
