export interface SampleSize {
  width: number
  height: number
  /** Samples per pixel. */
  components: number
}

/**
 * Scales interleaved 8 bit samples down: each new pixel is the mean of the area that it covers, with pixels on its edge
 * weighted by their share. Width and height are at most those of `from`.
 */
export function averageTo(samples: Uint8Array, from: SampleSize, width: number, height: number): Uint8Array {
  const { components } = from
  const result = new Uint8Array(width * height * components)
  const columns = spans(from.width, width)
  const rows = spans(from.height, height)
  const rowLength = width * components
  const sums = new Float64Array(rowLength)
  const line = new Float64Array(rowLength)
  let lineOf = -1
  for (let y = 0; y < height; y++) {
    sums.fill(0)
    const { first, weights } = rows[y]!
    for (let step = 0; step < weights.length; step++) {
      // The last row of one pixel is often the first row of the next.
      if (lineOf !== first + step)
        averageRow(samples, (first + step) * from.width * components, columns, components, line)
      lineOf = first + step
      const weight = weights[step]!
      for (let index = 0; index < rowLength; index++) sums[index]! += line[index]! * weight
    }
    for (let index = 0; index < rowLength; index++) result[y * rowLength + index] = Math.round(sums[index]!)
  }
  return result
}

interface Span {
  first: number
  /** The weight of each pixel from `first` on; the sum is 1. */
  weights: number[]
}

function spans(from: number, to: number): Span[] {
  const step = from / to
  return Array.from({ length: to }, (_, index) => {
    const start = index * step
    const end = Math.min(from, (index + 1) * step)
    const first = Math.min(Math.floor(start), from - 1)
    const weights: number[] = []
    for (let pixel = first; pixel < end; pixel++)
      weights.push((Math.min(end, pixel + 1) - Math.max(start, pixel)) / (end - start))
    return { first, weights }
  })
}

function averageRow(
  samples: Uint8Array,
  offset: number,
  columns: readonly Span[],
  components: number,
  line: Float64Array,
): void {
  for (let x = 0; x < columns.length; x++) {
    const { first, weights } = columns[x]!
    for (let component = 0; component < components; component++) {
      let sum = 0
      let position = offset + first * components + component
      for (let step = 0; step < weights.length; step++, position += components)
        sum += samples[position]! * weights[step]!
      line[x * components + component] = sum
    }
  }
}
