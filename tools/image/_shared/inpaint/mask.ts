import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'

/** Brighter pixels are erased. */
const THRESHOLD = 127

/**
 * The pixels that a mask erases, one byte per pixel of the image: 1 where it is white. Transparent parts of the mask
 * count as black. A mask of another size is scaled by nearest neighbour, as a mixture of black and white has no
 * meaning.
 */
export async function holesOf(mask: ImageFrame, { width, height }: Size): Promise<Uint8Array> {
  const { data, channels, ...size } = await (await mask.firstPage()).pixels({ alpha: 'add' })
  const holes = new Uint8Array(width * height)
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor(((x + 0.5) * size.width) / width) * channels)
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor(((y + 0.5) * size.height) / height) * size.width * channels
    for (let x = 0; x < width; x += 1) {
      const at = row + columns[x]!
      const light = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!
      if ((light * data[at + 3]!) / 255 > THRESHOLD) holes[y * width + x] = 1
    }
  }
  return holes
}

/** The number of missing pixels. */
export const countHoles = (holes: Uint8Array): number => holes.reduce((sum, hole) => sum + hole, 0)
