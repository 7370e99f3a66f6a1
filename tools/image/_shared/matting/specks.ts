import type { Size } from '../../../../src/media/image/frame.ts'

/** Less is not visible, of 1. */
const FAINT = 0.04
/** A network is certain of more, of 1. */
const CERTAIN = 0.5
/** Separate parts of less than this share of the largest one are specks. */
const SPECK = 0.004
/** Separate parts without a certain core, such as a pattern of the background, are removed up to this share. */
const GHOST = 0.1
/** A part has a core if at least this share of it is certain. */
const CORE = 0.1
/** Enclosed areas that are less opaque are holes, and those nowhere less opaque than the second are doubts. */
const HOLE = [0.95, 0.25] as const
/** Doubts of up to this share of the largest part are filled. */
const DOUBT = 0.002

/** A connected group of pixels. */
interface Part {
  pixels: Int32Array
  /** Sum of the values. */
  mass: number
  isAtBorder: boolean
}

/** Groups of pixels of a kind that touch each other, by sides and corners. */
function* partsOf(values: Float32Array, { width, height }: Size, isIn: (value: number) => boolean): Generator<Part> {
  const seen = new Uint8Array(values.length)
  const queue = new Int32Array(values.length)
  for (let start = 0; start < values.length; start += 1) {
    if (seen[start] === 1 || !isIn(values[start] as number)) continue
    let [count, mass, isAtBorder] = [1, 0, false]
    queue[0] = start
    seen[start] = 1
    for (let next = 0; next < count; next += 1) {
      const at = queue[next] as number
      const [x, y] = [at % width, Math.floor(at / width)]
      mass += values[at] as number
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) isAtBorder = true
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
        for (let to = row * width + Math.max(0, x - 1); to <= row * width + Math.min(width - 1, x + 1); to += 1) {
          if (seen[to] === 1 || !isIn(values[to] as number)) continue
          seen[to] = 1
          queue[count] = to
          count += 1
        }
    }
    yield { pixels: queue.slice(0, count), mass, isAtBorder }
  }
}

/**
 * Removes what is separate from the subjects of a matte, in place: specks, and parts that the network is not certain
 * of. Fills small enclosed areas that it doubts. A second subject of a few percent of the first remains.
 * @param matte 0 to 1
 */
export function removeSpecks(matte: Float32Array, size: Size): void {
  const parts = [...partsOf(matte, size, (value) => value > FAINT)]
  const most = parts.reduce((largest, { mass }) => Math.max(largest, mass), 0)
  for (const { pixels, mass } of parts) {
    const core = pixels.reduce((count, at) => count + Number((matte[at] as number) > CERTAIN), 0)
    if (mass < SPECK * most || (mass < GHOST * most && core < CORE * pixels.length))
      for (const at of pixels) matte[at] = 0
  }
  for (const { pixels, isAtBorder } of partsOf(matte, size, (value) => value < HOLE[0])) {
    if (isAtBorder || pixels.length > DOUBT * most) continue
    if (pixels.every((at) => (matte[at] as number) > HOLE[1])) for (const at of pixels) matte[at] = 1
  }
}
