import type { Raster } from './raster.ts'
import { floatToSrgb8 } from './tonemap.ts'

type EightBit = Raster & { depth: 8; data: Uint8Array }
type IntegerData = Uint8Array | Uint16Array

function like(raster: Raster, samples: number): Raster['data'] {
  if (raster.depth === 32) return new Float32Array(samples)
  return raster.depth === 16 ? new Uint16Array(samples) : new Uint8Array(samples)
}

/** The value of white and of full opacity. */
export function whiteOf(raster: Raster): number {
  return raster.depth === 32 ? 1 : raster.depth === 16 ? 65535 : 255
}

/** Converts to 8 bits per sample: 16 bits are divided by 257 and rounded, floating point is tone-mapped. */
export function toEightBit(raster: Raster): EightBit {
  if (raster.depth === 32) return floatToSrgb8(raster)
  if (raster.depth === 8) return raster as EightBit
  const data = new Uint8Array(raster.data.length)
  for (let index = 0; index < data.length; index++) data[index] = Math.round(raster.data[index]! / 257)
  return { ...raster, depth: 8, data }
}

/** Grey as three equal channels (alpha kept); colour unchanged. */
export function expandGrey(raster: Raster): Raster {
  if (raster.channels > 2) return raster
  const { data, channels } = raster
  const step = channels + 2
  const result = like(raster, (data.length / channels) * step)
  for (let source = 0, target = 0; source < data.length; source += channels, target += step) {
    const grey = data[source]!
    result[target] = grey
    result[target + 1] = grey
    result[target + 2] = grey
    if (channels === 2) result[target + 3] = data[source + 1]!
  }
  return { ...raster, channels: channels === 2 ? 4 : 3, data: result }
}

/** Flattens alpha onto white, for formats without alpha. */
export function flattenOnWhite(raster: Raster): Raster {
  if (raster.channels % 2 === 1) return raster
  const { data, channels } = raster
  const white = whiteOf(raster)
  const colours = channels - 1
  const result = like(raster, (data.length / channels) * colours)
  const half = raster.depth === 32 ? 0 : 0.5
  for (let source = 0, target = 0; source < data.length; source += channels, target += colours) {
    const alpha = data[source + colours]! / white
    for (let colour = 0; colour < colours; colour++) {
      result[target + colour] = data[source + colour]! * alpha + white * (1 - alpha) + half
    }
  }
  return { ...raster, channels: colours as 1 | 3, data: result }
}

/** Removes the alpha channel and keeps the colours: for files whose alpha turns out to be meaningless. */
export function dropAlpha<Kind extends Raster>(raster: Kind): Kind {
  if (raster.channels % 2 === 1) return raster
  const { data, channels } = raster
  const colours = channels - 1
  const result = like(raster, (data.length / channels) * colours)
  for (let source = 0, target = 0; source < data.length; source += channels, target += colours) {
    for (let colour = 0; colour < colours; colour++) result[target + colour] = data[source + colour]!
  }
  return { ...raster, channels: colours, data: result }
}

/** Whether every pixel has exactly this alpha (in the raster's own range). False without alpha. */
export function hasUniformAlpha(raster: Raster, alpha: number): boolean {
  const { data, channels } = raster
  if (channels % 2 === 1) return false
  for (let index = channels - 1; index < data.length; index += channels) if (data[index] !== alpha) return false
  return true
}

/** Divides colours by alpha, in place, for files that store premultiplied alpha. */
export function unpremultiply(raster: Raster & { data: IntegerData }): void {
  const { data, channels } = raster
  const white = whiteOf(raster)
  for (let pixel = 0; pixel < data.length; pixel += channels) {
    const alpha = data[pixel + channels - 1]!
    if (alpha === 0 || alpha === white) continue
    for (let index = pixel; index < pixel + channels - 1; index++) {
      data[index] = Math.min(white, Math.round((data[index]! * white) / alpha))
    }
  }
}

/** Row order of a file: column by column, from the right, from the bottom. */
export interface ScanOrder {
  /** The fast axis of the file is vertical. */
  transposed: boolean
  fromRight: boolean
  fromBottom: boolean
}

/** Reorders pixels from file order to rows starting at the top left. `raster` has the displayed size. */
export function reorder<Kind extends Raster>(raster: Kind, order: ScanOrder): Kind {
  if (!order.transposed && !order.fromRight && !order.fromBottom) return raster
  const { width, height, channels, data } = raster
  const result = like(raster, data.length)
  for (let y = 0; y < height; y++) {
    const fileY = order.fromBottom ? height - 1 - y : y
    for (let x = 0; x < width; x++) {
      const fileX = order.fromRight ? width - 1 - x : x
      const source = (order.transposed ? fileX * height + fileY : fileY * width + fileX) * channels
      const target = (y * width + x) * channels
      for (let channel = 0; channel < channels; channel++) result[target + channel] = data[source + channel]!
    }
  }
  return { ...raster, data: result }
}
