/** Planes of one size that are compared and averaged together, such as the two colour planes of an image. */
export interface Planes {
  data: readonly Float32Array[]
  width: number
  height: number
}

export interface NonLocalMeansOptions {
  /** How different patches may be and still count as similar, in the planes' own units. */
  strength: number
  /** Radius of the search, px: its window is 2 * reach + 1. */
  search: number
  /** Radius of the compared patches, px. */
  patch: number
}

/** Weights below this are ignored: e^-16. */
const LEAST_WEIGHT_EXPONENT = 16
const STEPS = 4096
const WEIGHTS = Float32Array.from({ length: STEPS + 1 }, (_, step) => Math.exp((-step * LEAST_WEIGHT_EXPONENT) / STEPS))

/**
 * Replaces every pixel with the mean of the pixels in its search window whose surroundings look alike: removes noise
 * and keeps edges and texture. A. Buades, B. Coll, J.-M. Morel, "A non-local algorithm for image denoising" (CVPR
 * 2005). Processes one offset of the window at a time: the differences of all pixels at that offset are summed over the
 * patch by running sums (J. Darbon et al., ISBI 2008), and count for both ends of the offset.
 */
export function nonLocalMeans(
  { data, width, height }: Planes,
  { strength, search, patch }: NonLocalMeansOptions,
): Float32Array[] {
  const count = width * height
  const sums = data.map(() => new Float32Array(count))
  const weights = new Float32Array(count)
  const largest = new Float32Array(count)
  const rows = new Float32Array(count)
  const scale = STEPS / LEAST_WEIGHT_EXPONENT / (strength * strength * (2 * patch + 1) ** 2 * data.length)
  for (let dy = 0; dy <= search; dy += 1)
    for (let dx = dy === 0 ? 1 : -search; dx <= search; dx += 1) {
      if (dy >= height || Math.abs(dx) >= width) continue
      const from = Math.max(0, -dx)
      const to = Math.min(width, width - dx)
      const down = height - dy
      const offset = dy * width + dx
      sumAcross(data, rows, { width, from, to, down, offset, patch })
      addAlike(data, sums, { weights, largest }, rows, { width, from, to, down, offset, patch, scale })
    }
  // A pixel matches itself in any noise, so its weight is that of the best other match; without any match it counts
  // alone.
  return sums.map((sum, plane) =>
    sum.map((value, at) => {
      const own = largest[at]! || 1
      return (value + own * data[plane]![at]!) / (weights[at]! + own)
    }),
  )
}

interface Overlap {
  width: number
  /** Columns and rows where both ends of the offset are inside the image. */
  from: number
  to: number
  down: number
  offset: number
  patch: number
}

/** Squared differences at an offset, summed over the width of the patch. */
function sumAcross(
  data: readonly Float32Array[],
  rows: Float32Array,
  { width, from, to, down, offset, patch }: Overlap,
): void {
  const differences = new Float32Array(to)
  for (let y = 0; y < down; y += 1) {
    const start = y * width
    differences.fill(0)
    for (const plane of data)
      for (let x = from; x < to; x += 1) {
        const difference = plane[start + x]! - plane[start + x + offset]!
        differences[x] = differences[x]! + difference * difference
      }
    // Beyond the borders, the border pixel is repeated.
    let sum = differences[from]! * patch
    for (let x = from; x <= from + patch; x += 1) sum += differences[Math.min(to - 1, x)]!
    for (let x = from; x < to; x += 1) {
      rows[start + x] = sum
      sum += differences[Math.min(to - 1, x + patch + 1)]! - differences[Math.max(from, x - patch)]!
    }
  }
}

/** Adds similar pixels at an offset, in both directions. */
function addAlike(
  data: readonly Float32Array[],
  sums: readonly Float32Array[],
  { weights, largest }: { weights: Float32Array; largest: Float32Array },
  rows: Float32Array,
  { width, from, to, down, offset, patch, scale }: Overlap & { scale: number },
): void {
  const columns = new Float64Array(width)
  const add = (y: number, sign: 1 | -1): void => {
    const start = Math.min(down - 1, Math.max(0, y)) * width
    for (let x = from; x < to; x += 1) columns[x]! += sign * rows[start + x]!
  }
  for (let y = -patch; y <= patch; y += 1) add(y, 1)
  for (let y = 0; y < down; y += 1) {
    const start = y * width
    for (let x = from; x < to; x += 1) {
      const step = columns[x]! * scale
      if (step >= STEPS) continue
      const weight = WEIGHTS[step > 0 ? step | 0 : 0]!
      const [here, there] = [start + x, start + x + offset]
      weights[here]! += weight
      weights[there]! += weight
      if (weight > largest[here]!) largest[here] = weight
      if (weight > largest[there]!) largest[there] = weight
      for (let plane = 0; plane < data.length; plane += 1) {
        const values = data[plane]!
        const sum = sums[plane]!
        sum[here]! += weight * values[there]!
        sum[there]! += weight * values[here]!
      }
    }
    add(y + patch + 1, 1)
    add(y - patch, -1)
  }
}
