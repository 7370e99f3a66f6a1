import type { Samples, Size } from '../../../../src/media/image/frame.ts'

/** A rectangle, px. */
export interface Region extends Size {
  left: number
  top: number
}

/**
 * The start of each cell along a side, and its end: each pixel belongs to the nearest cell when cells are enlarged to
 * `side`.
 */
function edgesOf(side: number, blockSize: number): Uint32Array {
  const cells = Math.max(1, Math.round(side / blockSize))
  return Uint32Array.from({ length: cells + 1 }, (_, cell) => Math.ceil((cell * side) / cells - 0.5))
}

/**
 * Fills every block of a rectangle inside the image with the mean of the pixels it covers; on every page, in place.
 * Colours are weighted by alpha, so nothing of hidden colours remains.
 * @param blockSize px
 */
export function coarsen(samples: Samples, blockSize: number, region: Region): void {
  const { data, width, height, channels, pages } = samples
  const columns = edgesOf(region.width, blockSize)
  const rows = edgesOf(region.height, blockSize)
  const cells = columns.length - 1
  const hasAlpha = channels % 2 === 0
  const colours = channels - (hasAlpha ? 1 : 0)
  const sums = new Float64Array(cells * channels)
  for (let page = 0; page < pages; page += 1) {
    const start = (page * height + region.top) * width + region.left
    for (let band = 0; band + 1 < rows.length; band += 1) {
      const [first, end] = [rows[band]!, rows[band + 1]!]
      sums.fill(0)
      for (let row = first; row < end; row += 1) addRow((start + row * width) * channels)
      for (let cell = 0; cell < cells; cell += 1)
        average(cell * channels, (end - first) * (columns[cell + 1]! - columns[cell]!))
      const written = (start + first * width) * channels
      writeRow(written)
      for (let row = first + 1; row < end; row += 1)
        data.copyWithin((start + row * width) * channels, written, written + region.width * channels)
    }
  }

  function addRow(from: number): void {
    for (let cell = 0; cell < cells; cell += 1) {
      const begin = from + columns[cell]! * channels
      const end = from + columns[cell + 1]! * channels
      if (channels === 3) addColours(cell * 3, begin, end)
      else addWeighted(cell * channels, begin, end)
    }
  }

  /** The common case: three sums in variables take a quarter of the time. */
  function addColours(sum: number, begin: number, end: number): void {
    let [red, green, blue] = [0, 0, 0]
    for (let at = begin; at < end; at += 3) {
      red += data[at]!
      green += data[at + 1]!
      blue += data[at + 2]!
    }
    sums[sum]! += red
    sums[sum + 1]! += green
    sums[sum + 2]! += blue
  }

  function addWeighted(sum: number, begin: number, end: number): void {
    for (let at = begin; at < end; at += channels) {
      const weight = hasAlpha ? data[at + colours]! : 1
      for (let channel = 0; channel < colours; channel += 1) sums[sum + channel]! += data[at + channel]! * weight
      if (hasAlpha) sums[sum + colours]! += weight
    }
  }

  /** Converts sums to means; adds half a step, since typed arrays truncate. */
  function average(sum: number, count: number): void {
    const weight = hasAlpha ? sums[sum + colours]! : count
    for (let channel = 0; channel < colours; channel += 1)
      sums[sum + channel] = weight === 0 ? 0 : sums[sum + channel]! / weight + 0.5
    if (hasAlpha) sums[sum + colours] = weight / count + 0.5
  }

  function writeRow(from: number): void {
    for (let cell = 0; cell < cells; cell += 1)
      for (let column = columns[cell]!; column < columns[cell + 1]!; column += 1)
        for (let channel = 0; channel < channels; channel += 1)
          data[from + column * channels + channel] = sums[cell * channels + channel]!
  }
}
