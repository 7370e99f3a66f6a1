import type { Samples, Size } from '../../../src/media/image/frame.ts'

/** A rectangle, px. */
export interface Region extends Size {
  left: number
  top: number
}

/** Which of `cells` cells every pixel of a side belongs to: the nearest when the cells are enlarged to `side` pixels. */
function cellsOf(side: number, blockSize: number): { cells: number; cellOf: Uint32Array } {
  const cells = Math.max(1, Math.round(side / blockSize))
  return { cells, cellOf: Uint32Array.from({ length: side }, (_, at) => Math.floor(((at + 0.5) * cells) / side)) }
}

/**
 * Gives every block of a rectangle, which lies within the picture, the mean of the pixels that it covers; on every page,
 * in place. A clear pixel's colour counts as much as it is seen, so nothing of it is left.
 * @param blockSize px
 */
export function coarsen(samples: Samples, blockSize: number, region: Region): void {
  const { data, width, height, channels, pages } = samples
  const columns = cellsOf(region.width, blockSize)
  const rows = cellsOf(region.height, blockSize)
  const hasAlpha = channels % 2 === 0
  const colours = channels - (hasAlpha ? 1 : 0)
  const sums = new Float64Array(columns.cells * channels)
  const counts = new Uint32Array(columns.cells)
  for (let page = 0; page < pages; page += 1) {
    const start = (page * height + region.top) * width + region.left
    let first = 0
    while (first < region.height) {
      let end = first + 1
      while (end < region.height && rows.cellOf[end] === rows.cellOf[first]) end += 1
      sums.fill(0)
      counts.fill(0)
      for (let row = first; row < end; row += 1) addRow((start + row * width) * channels)
      for (let cell = 0; cell < columns.cells; cell += 1) average(cell)
      const written = (start + first * width) * channels
      writeRow(written)
      for (let row = first + 1; row < end; row += 1)
        data.copyWithin((start + row * width) * channels, written, written + region.width * channels)
      first = end
    }
  }

  function addRow(from: number): void {
    for (let column = 0, at = from; column < region.width; column += 1, at += channels) {
      const cell = columns.cellOf[column]!
      const sum = cell * channels
      const weight = hasAlpha ? data[at + colours]! : 1
      counts[cell]! += 1
      for (let channel = 0; channel < colours; channel += 1) sums[sum + channel]! += data[at + channel]! * weight
      if (hasAlpha) sums[sum + colours]! += weight
    }
  }

  /** Sums become means, with half a step more, since typed arrays cut off the fraction. */
  function average(cell: number): void {
    const sum = cell * channels
    const weight = hasAlpha ? sums[sum + colours]! : counts[cell]!
    for (let channel = 0; channel < colours; channel += 1)
      sums[sum + channel] = weight === 0 ? 0 : sums[sum + channel]! / weight + 0.5
    if (hasAlpha) sums[sum + colours] = weight / counts[cell]! + 0.5
  }

  function writeRow(from: number): void {
    for (let column = 0, at = from; column < region.width; column += 1, at += channels) {
      const sum = columns.cellOf[column]! * channels
      for (let channel = 0; channel < channels; channel += 1) data[at + channel] = sums[sum + channel]!
    }
  }
}
