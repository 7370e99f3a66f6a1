import { jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import type { Size } from '../frame.ts'

/** Frame headers are C0 to CF, except Huffman tables, a reserved marker and arithmetic tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * The size of the blocks that can only be moved as a whole, px: 8 times the largest sampling factor (ITU T.81, A.2).
 * Those of a picture with one component are always 8 x 8.
 */
export function blocksOf(jpeg: Buffer): Size {
  const frame = jpegSegments(jpeg)?.find(({ marker }) => isFrame(marker))
  const components = frame && frame.at + 10 <= frame.end ? (jpeg[frame.at + 9] as number) : 0
  if (!frame || components < 2) return { width: 8, height: 8 }
  const factors = Array.from({ length: components }, (_, index) => jpeg[frame.at + 11 + index * 3] ?? 0x11)
  return {
    width: 8 * Math.max(1, ...factors.map((both) => both >> 4)),
    height: 8 * Math.max(1, ...factors.map((both) => both & 15)),
  }
}
