/** The window of the paper: a Gaussian of 1.5 px, truncated at 11 px. */
const RADIUS = 5
const WINDOW = Array.from({ length: 2 * RADIUS + 1 }, (_, at) => Math.exp(-((at - RADIUS) ** 2) / (2 * 1.5 ** 2)))

/** (0.01 L)^2 and (0.03 L)^2 for L = 255: they keep dark and flat windows stable. */
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

/** Weighted sums of both images, their squares and their product in one column of a window's rows. */
const SUMS = 5

interface Size {
  width: number
  height: number
}

/** Columns from `start` up to `end`. */
interface Span {
  start: number
  end: number
}

/**
 * The mean structural similarity index (Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality
 * assessment: from error visibility to structural similarity", IEEE Transactions on Image Processing 13(4), 2004): 1
 * for equal images. At the edges the window is truncated and renormalised. Where both images are equal in the whole
 * window the index is 1, and nothing is computed.
 * @param one luma of every pixel, 0 to 255
 */
export function structuralSimilarity(one: Float32Array, other: Float32Array, size: Size): number {
  const { width, height } = size
  const spans = differentSpans(one, other, size)
  const columns = new Float64Array(width * SUMS)
  let total = 0
  for (let y = 0; y < height; y += 1) {
    const { start, end } = widened(spans, y, width)
    total += width - (end - start)
    if (start === end) continue
    const rowWeight = sumColumns(columns, one, other, { width, height, y })
    for (let x = start; x < end; x += 1) total += indexAt(columns, width, x, rowWeight)
  }
  return total / (width * height)
}

/** In each row, from the first pixel that differs to the last; empty where the rows are equal. */
function differentSpans(one: Float32Array, other: Float32Array, { width, height }: Size): Span[] {
  return Array.from({ length: height }, (_, row) => {
    let [start, end] = [row * width, (row + 1) * width]
    while (start < end && one[start] === other[start]) start += 1
    while (end > start && one[end - 1] === other[end - 1]) end -= 1
    return { start: start - row * width, end: end - row * width }
  })
}

/** The columns of a row whose windows contain a pixel that differs. */
function widened(spans: readonly Span[], y: number, width: number): Span {
  const near = spans.slice(Math.max(0, y - RADIUS), y + RADIUS + 1).filter(({ start, end }) => end > start)
  if (near.length === 0) return { start: 0, end: 0 }
  return {
    start: Math.max(0, Math.min(...near.map(({ start }) => start)) - RADIUS),
    end: Math.min(width, Math.max(...near.map(({ end }) => end)) + RADIUS),
  }
}

/** Fills the sums of every column for the window's rows around `y`; returns the weight of the existing rows. */
function sumColumns(
  columns: Float64Array,
  one: Float32Array,
  other: Float32Array,
  { width, height, y }: { width: number; height: number; y: number },
): number {
  columns.fill(0)
  let weights = 0
  for (let row = Math.max(0, y - RADIUS); row <= Math.min(height - 1, y + RADIUS); row += 1) {
    const weight = WINDOW[row - y + RADIUS]!
    weights += weight
    for (let x = 0, at = row * width, to = 0; x < width; x += 1, at += 1, to += SUMS) {
      const [a, b] = [one[at]!, other[at]!]
      columns[to]! += weight * a
      columns[to + 1]! += weight * b
      columns[to + 2]! += weight * a * a
      columns[to + 3]! += weight * b * b
      columns[to + 4]! += weight * a * b
    }
  }
  return weights
}

/** The index of the window around one pixel of the row whose sums are given. */
function indexAt(columns: Float64Array, width: number, x: number, rowWeight: number): number {
  let [a, b, aa, bb, ab, weights] = [0, 0, 0, 0, 0, 0]
  for (let column = Math.max(0, x - RADIUS); column <= Math.min(width - 1, x + RADIUS); column += 1) {
    const weight = WINDOW[column - x + RADIUS]!
    const from = column * SUMS
    weights += weight
    a += weight * columns[from]!
    b += weight * columns[from + 1]!
    aa += weight * columns[from + 2]!
    bb += weight * columns[from + 3]!
    ab += weight * columns[from + 4]!
  }
  const whole = weights * rowWeight
  const [meanA, meanB] = [a / whole, b / whole]
  const varianceA = aa / whole - meanA * meanA
  const varianceB = bb / whole - meanB * meanB
  const covariance = ab / whole - meanA * meanB
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
    ((meanA * meanA + meanB * meanB + C1) * (varianceA + varianceB + C2))
  )
}
