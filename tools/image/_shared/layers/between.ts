/** Interleaved values of an image; one channel for a plane. */
interface Raster {
  data: ArrayLike<number>
  width: number
  height: number
  channels: number
}

/** A channel at a position between pixels, whose centres are whole numbers: bilinear, clamped at the edges. */
export function between({ data, width, height, channels }: Raster, channel: number, x: number, y: number): number {
  const column = Math.min(width - 1, Math.max(0, x))
  const row = Math.min(height - 1, Math.max(0, y))
  const [left, top] = [Math.floor(column), Math.floor(row)]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const at = (across: number, down: number): number => data[(down * width + across) * channels + channel]!
  const upper = at(left, top) + (at(right, top) - at(left, top)) * (column - left)
  const lower = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * (column - left)
  return upper + (lower - upper) * (row - top)
}
