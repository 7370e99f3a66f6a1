import sharp from 'sharp'

/** Sides of the difference hash: 16 rows of 16 comparisons. */
const HASH = { width: 17, height: 16 }
/** Blocks whose mean colours are compared. */
const BLOCKS = 8

/** Whether each pixel of a small grey copy is brighter than its left neighbour (difference hash, Krawetz 2013): 256 bits. */
async function differenceHash(picture: Buffer): Promise<boolean[]> {
  const { width, height } = HASH
  const grey = await sharp(picture)
    .flatten({ background: '#808080' })
    .greyscale()
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer()
  const bits: boolean[] = []
  for (let row = 0; row < height; row += 1)
    for (let column = 1; column < width; column += 1)
      bits.push(grey[row * width + column]! > grey[row * width + column - 1]!)
  return bits
}

const meanColours = (picture: Buffer): Promise<Buffer> =>
  sharp(picture)
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .resize(BLOCKS, BLOCKS, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer()

export interface Likeness {
  width: number
  height: number
  /** Different bits of the difference hash, of 256. */
  bits: number
  /** Maximum difference of a channel of the mean colour of a block, of 255. */
  colour: number
}

/** How different two pictures look; the size is that of the second. */
export async function likeness(stored: Buffer, fresh: Buffer): Promise<Likeness> {
  const [before, after, colours, found] = await Promise.all([
    differenceHash(stored),
    differenceHash(fresh),
    meanColours(stored),
    meanColours(fresh),
  ])
  const { width, height } = await sharp(fresh).metadata()
  return {
    width,
    height,
    bits: before.filter((bit, index) => bit !== after[index]).length,
    colour: Math.max(...colours.map((value, index) => Math.abs(value - found[index]!))),
  }
}
