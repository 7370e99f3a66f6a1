/** Finds flat colours in drawings, and the pixels of their soft edges. */

/** RGBA samples, row by row. */
export interface Rgba {
  data: Uint8Array
  width: number
  height: number
}

/** Two pixels that differ by less than this in every channel belong to one area: JPEG noise in flat colour. Of 255. */
const FLAT = 3
/** At least this share of a drawing is flat; photos have hardly any flat area. */
const DRAWN = 0.5
/** Minimum difference of the two sides of an edge, as a distance in RGBA; of 255. */
const EDGE = 24
/** A pixel is a mixture of its two sides if it is at least this far from each, as a share of their distance. */
const MIXED = 0.08
const isNear = ({ data }: Rgba, one: number, other: number): boolean =>
  Math.abs(data[one]! - data[other]!) <= FLAT &&
  Math.abs(data[one + 1]! - data[other + 1]!) <= FLAT &&
  Math.abs(data[one + 2]! - data[other + 2]!) <= FLAT &&
  Math.abs(data[one + 3]! - data[other + 3]!) <= FLAT

/** Marks pixels that equal all four neighbours. */
export function flatOnes(picture: Rgba): Uint8Array {
  const { width, height } = picture
  const flat = new Uint8Array(width * height)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      const here = at * 4
      const isFlat =
        (x === 0 || isNear(picture, here, here - 4)) &&
        (x === width - 1 || isNear(picture, here, here + 4)) &&
        (y === 0 || isNear(picture, here, here - width * 4)) &&
        (y === height - 1 || isNear(picture, here, here + width * 4))
      flat[at] = isFlat ? 1 : 0
    }
  return flat
}

/** Whether most of an image is flat colour. */
export function isDrawing(picture: Rgba): boolean {
  const flat = flatOnes(picture)
  return flat.reduce((sum, one) => sum + one, 0) >= flat.length * DRAWN
}

/** Whether a pixel's colour is between those on its two sides, both given as indexes into `data`. */
function isBetween({ data }: Rgba, here: number, one: number, other: number): boolean {
  let [span, part] = [0, 0]
  for (let channel = 0; channel < 4; channel += 1) {
    const across = data[other + channel]! - data[one + channel]!
    span += across * across
    part += across * (data[here + channel]! - data[one + channel]!)
  }
  return span > EDGE * EDGE && part > MIXED * span && part < (1 - MIXED) * span
}

/**
 * Marks pixels that are not a mixture of their neighbours: left and right, above and below, and along both diagonals.
 */
export function pureOnes(picture: Rgba): Uint8Array {
  const { width, height } = picture
  const pure = new Uint8Array(width * height).fill(1)
  const sides = [4, width * 4, (width + 1) * 4, (width - 1) * 4]
  for (let y = 1; y < height - 1; y += 1)
    for (let x = 1; x < width - 1; x += 1) {
      const here = (y * width + x) * 4
      if (sides.some((side) => isBetween(picture, here, here - side, here + side))) pure[y * width + x] = 0
    }
  return pure
}
