import type { Size } from '../../../../src/media/image/frame.ts'

export interface StitchOptions {
  direction: 'horizontal' | 'vertical' | 'grid'
  gridColumns: number
  resizeMode: 'fit' | 'original' | 'stretch' | 'crop'
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

/** Target sizes of the images (catalogue: stitch). `crop` crops to them, the other modes scale. */
export function preparedSizes(sizes: readonly Size[], { direction, resizeMode }: StitchOptions): Size[] {
  if (resizeMode === 'original') return [...sizes]
  if (direction === 'grid') {
    const cell = { width: median(sizes.map(({ width }) => width)), height: median(sizes.map(({ height }) => height)) }
    if (resizeMode !== 'fit') return sizes.map(() => cell)
    return sizes.map((size) => scaled(size, Math.min(1, cell.width / size.width, cell.height / size.height)))
  }
  const side = direction === 'horizontal' ? 'height' : 'width'
  const least = Math.min(...sizes.map((size) => size[side]))
  return sizes.map((size) =>
    resizeMode === 'fit' ? { ...scaled(size, least / size[side]), [side]: least } : { ...size, [side]: least },
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

/** Positions and canvas for images of these prepared sizes. In a grid every cell has the size of the largest image. */
export function stitchLayout(sizes: readonly Size[], options: StitchOptions): { canvas: Size; places: Place[] } {
  const { direction, alignment } = options
  const gap = Math.round(options.gap)
  const border = Math.round(options.border)
  const cell = largest(sizes)
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
