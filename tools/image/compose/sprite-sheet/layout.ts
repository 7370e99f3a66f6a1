import { packBoxes } from '../../../../src/engines/pictures/potpack.ts'
import { firstOf, zip } from '../../../../src/lists.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { boundsOf } from '../../_shared/layout/bounds.ts'
import type { SpriteFrame } from './maps.ts'

export interface Layout {
  canvas: Size
  frames: SpriteFrame[]
  /** Only for cells of one size. */
  grid?: { cols: number; rows: number; cell: Size }
}

/** Cells of one size, row by row; the padding is only between them. */
export function gridLayout(count: number, cell: Size, columns: number, padding: number): Layout {
  const cols = Math.min(columns, count)
  const rows = Math.ceil(count / cols)
  const frames = Array.from({ length: count }, (_, index) => ({
    index,
    left: (index % cols) * (cell.width + padding),
    top: Math.floor(index / cols) * (cell.height + padding),
    ...cell,
  }))
  const canvas = {
    width: cols * cell.width + (cols - 1) * padding,
    height: rows * cell.height + (rows - 1) * padding,
  }
  return { canvas, frames, grid: { cols, rows, cell } }
}

/** A part of an image, and the size of that image, px. */
export interface Part extends Area {
  source: Size
}

/** Parts in their own sizes, with as little space between them as possible. */
export async function packedLayout(parts: readonly Part[], padding: number): Promise<Layout> {
  const packed = await packBoxes(
    parts.map(({ width, height }) => ({ width: width + padding, height: height + padding })),
  )
  const frames = zip(parts, packed.places).map(([{ width, height, left, top, source }, place], index) => {
    const isTrimmed = width !== source.width || height !== source.height
    return { index, ...place, width, height, ...(isTrimmed && { trimmed: { left, top, ...source } }) }
  })
  return { canvas: { width: packed.width - padding, height: packed.height - padding }, frames }
}

/** The part of an image that is not completely transparent; one pixel of an image without any. */
export async function visiblePart(frame: ImageFrame): Promise<Area> {
  const whole = { left: 0, top: 0, width: frame.width, height: frame.height }
  if (!frame.hasAlpha) return whole
  const { data, width, height, channels } = await frame.pixels({ alpha: 'add' })
  const visible = boundsOf({ width, height }, (at) => data[(at + 1) * channels - 1] !== 0)
  return visible ?? { ...whole, width: 1, height: 1 }
}

/** The size of the first image, which all cells have. */
export const cellOf = (pictures: readonly Size[]): Size => {
  const { width, height } = firstOf(pictures)
  return { width, height }
}
