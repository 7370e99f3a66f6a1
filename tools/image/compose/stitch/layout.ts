import type { Size } from '../../../../src/media/image/frame.ts'

export interface StitchOptions {
  direction: 'horizontal' | 'vertical' | 'grid'
  gridColumns: number
  resizeMode: 'fit' | 'original' | 'stretch' | 'crop' | 'justify'
  alignment: 'start' | 'center' | 'end'
  gap: number
  border: number
}

/** One image on the canvas: its target size and position. */
export interface Place extends Size {
  left: number
  top: number
}

/** The median; for an even number, the rounded mean of the two middle values. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = sorted.length / 2
  return Math.round((sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2)
}

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
})

const ratio = ({ width, height }: Size): number => width / height

/**
 * Sizes with which all rows of a grid are equally wide and each image of a row is equally high, without cropping. The
 * width is that of `gridColumns` images of median size. An incomplete last row is as high as the others are on average.
 */
function justified(sizes: readonly Size[], { gridColumns, gap }: StitchOptions): Size[] {
  const columns = Math.min(gridColumns, sizes.length)
  const inner = (count: number): number => width - (count - 1) * Math.round(gap)
  const width = columns * median(sizes.map((size) => size.width)) + (columns - 1) * Math.round(gap)
  const rows = Array.from({ length: Math.ceil(sizes.length / columns) }, (_, row) =>
    sizes.slice(row * columns, (row + 1) * columns),
  )
  const heights = rows.map((row) => inner(row.length) / row.reduce((sum, size) => sum + ratio(size), 0))
  const full = heights.filter((_, row) => rows[row]?.length === columns)
  const mean = full.reduce((sum, height) => sum + height, 0) / full.length
  return rows.flatMap((row, index) => {
    const isFull = row.length === columns
    const exact = isFull ? (heights[index] ?? mean) : Math.min(mean, heights[index] ?? mean)
    const height = Math.max(1, Math.round(exact))
    // Rounded at the edges, so that the row is exactly as wide as the others.
    const edges = row.map((_, last) => row.slice(0, last + 1).reduce((sum, size) => sum + ratio(size) * exact, 0))
    return row.map((_, at) => ({
      width: Math.max(1, Math.round(edges[at] ?? 0) - Math.round(edges[at - 1] ?? 0)),
      height,
    }))
  })
}

/** Target sizes of the images (catalogue: stitch). `crop` crops to them, the other modes scale. */
export function preparedSizes(sizes: readonly Size[], options: StitchOptions): Size[] {
  const { direction, resizeMode } = options
  if (resizeMode === 'original') return [...sizes]
  if (direction === 'grid') {
    if (resizeMode === 'justify') return justified(sizes, options)
    const cell = { width: median(sizes.map(({ width }) => width)), height: median(sizes.map(({ height }) => height)) }
    if (resizeMode !== 'fit') return sizes.map(() => cell)
    return sizes.map((size) => scaled(size, Math.min(1, cell.width / size.width, cell.height / size.height)))
  }
  const side = direction === 'horizontal' ? 'height' : 'width'
  const least = Math.min(...sizes.map((size) => size[side]))
  return sizes.map((size) =>
    resizeMode === 'fit' || resizeMode === 'justify'
      ? { ...scaled(size, least / size[side]), [side]: least }
      : { ...size, [side]: least },
  )
}

/** The start of an item of `length` in `room`. */
function aligned(room: number, length: number, alignment: StitchOptions['alignment']): number {
  if (alignment === 'start') return 0
  return alignment === 'end' ? room - length : Math.floor((room - length) / 2)
}

const largest = (sizes: readonly Size[]): Size => ({
  width: Math.max(...sizes.map(({ width }) => width)),
  height: Math.max(...sizes.map(({ height }) => height)),
})

/** Rows of images of one height each. */
function rowsLayout(sizes: readonly Size[], options: StitchOptions): { canvas: Size; places: Place[] } {
  const gap = Math.round(options.gap)
  const border = Math.round(options.border)
  const columns = Math.min(options.gridColumns, sizes.length)
  const widthOf = (row: readonly Size[]): number => row.reduce((sum, { width }) => sum + width + gap, -gap)
  const width = widthOf(sizes.slice(0, columns))
  const places: Place[] = []
  let top = border
  for (let start = 0; start < sizes.length; start += columns) {
    const row = sizes.slice(start, start + columns)
    let left = border + aligned(width, widthOf(row), options.alignment)
    for (const size of row) {
      places.push({ ...size, left, top })
      left += size.width + gap
    }
    top += largest(row).height + gap
  }
  return { canvas: { width: width + 2 * border, height: top - gap + border }, places }
}

/** Positions and canvas for images of these prepared sizes. In a grid every cell has the size of the largest image. */
export function stitchLayout(sizes: readonly Size[], options: StitchOptions): { canvas: Size; places: Place[] } {
  const { direction, alignment } = options
  const gap = Math.round(options.gap)
  const border = Math.round(options.border)
  const cell = largest(sizes)
  if (direction === 'grid' && options.resizeMode === 'justify') return rowsLayout(sizes, options)
  if (direction === 'grid') {
    const columns = Math.min(options.gridColumns, sizes.length)
    const rows = Math.ceil(sizes.length / columns)
    const places = sizes.map((size, index) => ({
      ...size,
      left: border + (index % columns) * (cell.width + gap) + aligned(cell.width, size.width, alignment),
      top: border + Math.floor(index / columns) * (cell.height + gap) + aligned(cell.height, size.height, alignment),
    }))
    const width = columns * cell.width + (columns - 1) * gap + 2 * border
    return { canvas: { width, height: rows * cell.height + (rows - 1) * gap + 2 * border }, places }
  }
  let along = border
  const places = sizes.map((size) => {
    const place =
      direction === 'horizontal'
        ? { ...size, left: along, top: border + aligned(cell.height, size.height, alignment) }
        : { ...size, left: border + aligned(cell.width, size.width, alignment), top: along }
    along += (direction === 'horizontal' ? size.width : size.height) + gap
    return place
  })
  const length = along - gap + border
  const canvas =
    direction === 'horizontal'
      ? { width: length, height: cell.height + 2 * border }
      : { width: cell.width + 2 * border, height: length }
  return { canvas, places }
}
