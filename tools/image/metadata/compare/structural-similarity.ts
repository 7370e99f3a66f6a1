/** The window of the paper: a Gaussian of 1.5 px, truncated at 11 px. Weights by distance from the middle. */
const RADIUS = 5
const WEIGHTS = Array.from({ length: RADIUS + 1 }, (_, distance) => Math.exp(-(distance ** 2) / (2 * 1.5 ** 2)))
const WINDOW = 2 * RADIUS + 1

/** (0.01 L)^2 and (0.03 L)^2 for L = 255: they keep dark and flat windows stable. */
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

/** Sums of a window: of either image, of the squares of both, and of the products. */
const SUMS = 4

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
  const across = coveredWeights(width)
  const down = coveredWeights(height)
  const rows = windowRows(one, other, size)
  const sums = new Float64Array(SUMS * width)
  let total = 0
  for (let y = 0; y < height; y += 1) {
    const span = widened(spans, y, width)
    total += width - (span.end - span.start)
    if (span.start === span.end) continue
    rows.sum(y, span, sums)
    total += indexes(sums, span, across, down[y]!)
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

/** For each place along a side, the weight of the part of its window that is inside the image. */
function coveredWeights(side: number): Float64Array {
  return Float64Array.from({ length: side }, (_, at) => {
    let weight = 0
    for (let place = Math.max(0, at - RADIUS); place <= Math.min(side - 1, at + RADIUS); place += 1)
      weight += WEIGHTS[Math.abs(place - at)]!
    return weight
  })
}

/**
 * The weighted sums of windows, first along rows, which are kept while a window contains them, then down. Rows outside
 * of the image count nothing.
 */
function windowRows(one: Float32Array, other: Float32Array, { width, height }: Size) {
  const samples = Array.from({ length: SUMS }, () => new Float64Array(width + 2 * RADIUS))
  const kept = Array.from({ length: WINDOW }, () => new Float64Array(SUMS * width))
  const outside = new Float64Array(SUMS * width)
  const keptSpans = Array.from({ length: WINDOW }, () => ({ row: -1, start: 0, end: 0 }))

  /** The sums of one row along it, at least of the columns of the span. */
  function rowOf(row: number, { start, end }: Span): Float64Array {
    if (row < 0 || row >= height) return outside
    const slot = row % WINDOW
    const [sums, has] = [kept[slot]!, keptSpans[slot]!]
    if (has.row === row && has.start <= start && has.end >= end) return sums
    keptSpans[slot] = { row, start, end }
    fillSamples(row * width, Math.max(0, start - RADIUS), Math.min(width, end + RADIUS))
    samples.forEach((line, which) => {
      sumAlong(line, sums.subarray(which * width, (which + 1) * width), start, end)
    })
    return sums
  }

  function fillSamples(from: number, start: number, end: number): void {
    const [ones, others, squares, products] = samples as [Float64Array, Float64Array, Float64Array, Float64Array]
    for (let x = start; x < end; x += 1) {
      const [a, b] = [one[from + x]!, other[from + x]!]
      ones[x + RADIUS] = a
      others[x + RADIUS] = b
      squares[x + RADIUS] = a * a + b * b
      products[x + RADIUS] = a * b
    }
  }

  /** Fills the sums of the windows around row `y`, in the columns of the span. */
  function sum(y: number, span: Span, sums: Float64Array): void {
    const around = Array.from({ length: WINDOW }, (_, row) => rowOf(y + row - RADIUS, span))
    for (let which = 0; which < SUMS; which += 1)
      sumDown(around, sums, which * width + span.start, which * width + span.end)
  }
  return { sum }
}

/** @param line with RADIUS zeros at either end */
function sumAlong(line: Float64Array, sums: Float64Array, start: number, end: number): void {
  const [w0, w1, w2, w3, w4, w5] = WEIGHTS as [number, number, number, number, number, number]
  for (let x = start; x < end; x += 1)
    sums[x] =
      w0 * line[x + 5]! +
      w1 * (line[x + 4]! + line[x + 6]!) +
      w2 * (line[x + 3]! + line[x + 7]!) +
      w3 * (line[x + 2]! + line[x + 8]!) +
      w4 * (line[x + 1]! + line[x + 9]!) +
      w5 * (line[x]! + line[x + 10]!)
}

function sumDown(rows: readonly Float64Array[], sums: Float64Array, start: number, end: number): void {
  const [w0, w1, w2, w3, w4, w5] = WEIGHTS as [number, number, number, number, number, number]
  const [r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10] = rows as Rows
  for (let at = start; at < end; at += 1)
    sums[at] =
      w0 * r5[at]! +
      w1 * (r4[at]! + r6[at]!) +
      w2 * (r3[at]! + r7[at]!) +
      w3 * (r2[at]! + r8[at]!) +
      w4 * (r1[at]! + r9[at]!) +
      w5 * (r0[at]! + r10[at]!)
}

type Row = Float64Array
type Rows = readonly [Row, Row, Row, Row, Row, Row, Row, Row, Row, Row, Row]

/** The sum of the indexes of a row's windows in a span. */
function indexes(sums: Float64Array, { start, end }: Span, across: Float64Array, rowWeight: number): number {
  const width = across.length
  let total = 0
  for (let x = start; x < end; x += 1) {
    const part = 1 / (across[x]! * rowWeight)
    const [meanA, meanB] = [sums[x]! * part, sums[width + x]! * part]
    const product = meanA * meanB
    const squares = meanA * meanA + meanB * meanB
    const variances = sums[2 * width + x]! * part - squares
    const covariance = sums[3 * width + x]! * part - product
    total += ((2 * product + C1) * (2 * covariance + C2)) / ((squares + C1) * (variances + C2))
  }
  return total
}
