import type { Column } from './peaks.ts'

/** Opacity of the colour where only the loudest samples reach; it is full within the mean. */
const PEAK_SHARE = 0.5

/** The share of the row from `row` to `row + 1` that is between two heights. */
const covered = (row: number, top: number, bottom: number): number =>
  Math.max(0, Math.min(row + 1, bottom) - Math.max(row, top))

/** Opacity of a channel's colour in a row, 0 to 1: full scale spans the first row to the last. */
function densityOf({ max, min, rms }: Column, row: number, middle: number): number {
  // Silence is drawn as a line.
  const top = Math.min(middle * (1 - max), middle - 0.5)
  const bottom = Math.max(middle * (1 - min), middle + 0.5)
  const inner = covered(row, Math.max(top, middle * (1 - rms) - 0.5), Math.min(bottom, middle * (1 + rms) + 0.5))
  return PEAK_SHARE * covered(row, top, bottom) + (1 - PEAK_SHARE) * inner
}

/** Overlays channels: where only one of several reaches, the colour is half transparent. */
function opacityOf(densities: number, channels: number): number {
  if (channels === 1) return densities
  return densities <= 1 ? densities / 2 : 0.5 + (densities - 1) / (channels - 1) / 2
}

/**
 * Draws a waveform as pixels with alpha: each column spans its positive to its negative peak, and is denser up to the
 * root mean square.
 * @param colour `#rrggbb`
 */
export function drawWave(columns: readonly Column[][], height: number, colour: string): Uint8Array {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  const width = columns.length
  const data = new Uint8Array(width * height * 4)
  for (const [x, channels] of columns.entries())
    for (let row = 0; row < height; row += 1) {
      let density = 0
      for (const channel of channels) density += densityOf(channel, row, height / 2)
      const alpha = Math.round(255 * opacityOf(density, channels.length))
      if (alpha === 0) continue
      const at = (row * width + x) * 4
      data[at] = red!
      data[at + 1] = green!
      data[at + 2] = blue!
      data[at + 3] = alpha
    }
  return data
}
