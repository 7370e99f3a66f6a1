/** For every cell along a side: the pixels that it covers, and the covered share of each. */
function coverage(side: number, cells: number): { from: number; weights: number[] }[] {
  return Array.from({ length: cells }, (_, cell) => {
    const [start, end] = [(cell * side) / cells, ((cell + 1) * side) / cells]
    const from = Math.floor(start)
    const weights: number[] = []
    for (let at = from; at < Math.min(side, Math.ceil(end)); at += 1)
      weights.push(Math.min(end, at + 1) - Math.max(start, at))
    return { from, weights }
  })
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
  const across = coverage(width, grid.columns)
  const down = coverage(height, grid.rows)
  const means = new Float32Array(grid.columns * grid.rows)
  down.forEach(({ from: top, weights: rowWeights }, row) => {
    across.forEach(({ from: left, weights }, column) => {
      let sum = 0
      rowWeights.forEach((rowWeight, y) => {
        const start = (top + y) * width + left
        let line = 0
        for (let x = 0; x < weights.length; x += 1) line += data[start + x]! * weights[x]!
        sum += line * rowWeight
      })
      means[row * grid.columns + column] = (sum * grid.columns * grid.rows) / (width * height)
    })
  })
  return means
}
