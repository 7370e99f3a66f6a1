import type { Raster } from './raster.ts'

/** Share of the pixels that may become brighter than white, such as sun discs and glints. */
const CLIPPED_SHARE = 0.005
/** An image whose bright end is in this range is treated as display-ready and keeps its exposure. */
const FINISHED_RANGE = [0.05, 1.0001] as const
/** Maximum number of pixels sampled for the percentile. */
const SAMPLED_PIXELS = 1 << 18

/** Bright end of the image: the 99.5th percentile of the largest colour of each pixel, in linear light. */
function brightEnd({ data, channels }: Raster): number {
  const colours = channels - (channels % 2 === 0 ? 1 : 0)
  const pixels = data.length / channels
  // A prime-like odd step avoids aliasing with the columns of the image.
  const step = Math.max(1, Math.floor(pixels / SAMPLED_PIXELS)) | 1
  const samples = new Float32Array(Math.ceil(pixels / step))
  let count = 0
  for (let pixel = 0; pixel < pixels; pixel += step) {
    let largest = 0
    for (let colour = 0; colour < colours; colour++) {
      const value = data[pixel * channels + colour]!
      if (value > largest && value < Number.POSITIVE_INFINITY) largest = value
    }
    if (largest > 0) samples[count++] = largest
  }
  const sorted = samples.subarray(0, count).sort()
  return sorted[Math.min(count - 1, Math.floor(count * (1 - CLIPPED_SHARE)))] ?? 0
}

/**
 * Exposure factor used by `floatToSrgb8`: 1 for a display-ready image, otherwise the factor that maps the bright end to
 * white.
 */
export function exposureOf(raster: Raster): number {
  const bright = brightEnd(raster)
  if (bright === 0 || (bright >= FINISHED_RANGE[0] && bright <= FINISHED_RANGE[1])) return 1
  return 1 / bright
}

/** Transfer function of IEC 61966-2-1 (sRGB), linear 0-1 to 0-1. */
function encodeSrgb(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055
}

let table: Uint8Array | undefined

/** sRGB bytes for linear light in steps of 1/65535: at most 0.05 of a byte off, where the curve is steepest. */
function srgbTable(): Uint8Array {
  table ??= Uint8Array.from({ length: 65536 }, (_, index) => Math.round(encodeSrgb(index / 65535) * 255))
  return table
}

/**
 * Converts linear floating point to 8-bit sRGB, for displaying HDR and EXR images.
 *
 * Uses one linear exposure for the whole image, no local or curved tone mapping, so that hues and contrasts are
 * preserved. The exposure maps the 99.5th percentile to white: highlights keep their detail and only the brightest 0.5
 * % clip. An image that is already scaled for display (its bright end is between 0.05 and 1) keeps exposure 1, so that
 * 8-bit content stored as EXR is unchanged. Negative values and NaN become 0; alpha is linear and is not exposed.
 */
export function floatToSrgb8(raster: Raster): Raster & { depth: 8; data: Uint8Array } {
  const { data, channels } = raster
  const scale = exposureOf(raster) * 65535
  const curve = srgbTable()
  const alphaAt = channels % 2 === 0 ? channels - 1 : -1
  const result = new Uint8Array(data.length)
  for (let index = 0, channel = 0; index < data.length; index++) {
    const value = data[index]!
    if (channel === alphaAt) result[index] = Math.round(Math.min(1, Math.max(0, value || 0)) * 255)
    else result[index] = value > 0 ? curve[Math.min(65535, Math.round(value * scale))]! : 0
    channel = channel + 1 === channels ? 0 : channel + 1
  }
  return { ...raster, depth: 8, data: result }
}
