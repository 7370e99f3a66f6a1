/**
 * Enlarges drawings without soft edges. A tracer follows pixel corners, so curves of small images wobble. The soft
 * pixels on an edge define its position between pixels, but would become areas of their own. Each pixel of the enlarged
 * image takes the nearest of the unmixed colours around it: the edge keeps its position and becomes hard.
 */

/** RGBA samples, row by row. */
interface Rgba {
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
/**
 * Search radius for the colours on both sides of an edge, px: edges are two or three pixels wide, with slight ringing.
 */
const REACH = 3
/** A pixel in flat colour is preferred over others that may be ringing, by this distance in RGBA; of 255. */
const RINGING = 40

const isNear = ({ data }: Rgba, one: number, other: number): boolean =>
  Math.abs(data[one]! - data[other]!) <= FLAT &&
  Math.abs(data[one + 1]! - data[other + 1]!) <= FLAT &&
  Math.abs(data[one + 2]! - data[other + 2]!) <= FLAT &&
  Math.abs(data[one + 3]! - data[other + 3]!) <= FLAT

/** Marks pixels that equal all four neighbours. */
function flatOnes(picture: Rgba): Uint8Array {
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
function pureOnes(picture: Rgba): Uint8Array {
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

function distance(one: Uint8Array, at: number, other: Uint8Array, place: number): number {
  let sum = 0
  for (let channel = 0; channel < 4; channel += 1) sum += (one[at + channel]! - other[place + channel]!) ** 2
  return sum
}

/**
 * Hardens the edges of an enlarged drawing, in place.
 * @param drawing the original
 * @param enlarged the same, softly enlarged `times`
 */
export function makeCrisp(drawing: Rgba, enlarged: Rgba, times: number): void {
  const { width, height, data } = drawing
  const [flat, pure] = [flatOnes(drawing), pureOnes(drawing)]
  const colours = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const made = new Uint32Array(enlarged.data.buffer, enlarged.data.byteOffset, enlarged.width * enlarged.height)
  for (let y = 0, at = 0; y < enlarged.height; y += 1) {
    const row = Math.min(height - 1, Math.floor(y / times))
    const [top, bottom] = [Math.max(0, row - REACH), Math.min(height - 1, row + REACH)]
    for (let x = 0; x < enlarged.width; x += 1, at += 1) {
      const column = Math.min(width - 1, Math.floor(x / times))
      let best = row * width + column
      if (!flat[best]) {
        let least = Number.POSITIVE_INFINITY
        const [left, right] = [Math.max(0, column - REACH), Math.min(width - 1, column + REACH)]
        for (let down = top; down <= bottom; down += 1)
          for (let across = left; across <= right; across += 1) {
            const place = down * width + across
            if (!pure[place]) continue
            const ringing = flat[place] ? 0 : RINGING * RINGING
            const far = distance(enlarged.data, at * 4, data, place * 4) + ringing
            if (far < least) [least, best] = [far, place]
          }
      }
      made[at] = colours[best]!
    }
  }
}
