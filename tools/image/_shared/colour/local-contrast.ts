import { lastOf } from '../../../../src/lists.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import { LUMINANCE } from './srgb.ts'

const BINS = 256

/** Luminance of every pixel of one page from 0 to 255, with fractions for 16-bit samples. */
export function luminanceOf({ data, width, height, channels }: Samples, page: number): Float32Array {
  const scale = data instanceof Uint16Array ? 257 : 1
  const light = new Float32Array(width * height)
  const [red, green, blue] = LUMINANCE.map((weight) => weight / scale) as [number, number, number]
  const start = page * width * height * channels
  for (let pixel = 0, at = start; pixel < light.length; pixel += 1, at += channels)
    light[pixel] = channels < 3 ? data[at]! / scale : red * data[at]! + green * data[at + 1]! + blue * data[at + 2]!
  return light
}

/** The position of a row or column of pixels between the centres of two tiles. */
interface Place {
  before: number
  after: number
  share: number
}

function placesOf(side: number, tiles: number): Place[] {
  return Array.from({ length: side }, (_, at) => {
    const place = Math.min(tiles - 1, Math.max(0, ((at + 0.5) * tiles) / side - 0.5))
    const before = Math.floor(place)
    return { before, after: Math.min(tiles - 1, before + 1), share: place - before }
  })
}

/** Tiles of an eighth of the side, 8 to 256 pixels (catalogue: image-enhancement). */
const tilesOf = (side: number): number => Math.max(1, Math.round(side / Math.min(256, Math.max(8, side / 8))))

/**
 * A tile's tone curve from its histogram: cumulative, with no slope above `slope`; the excess is spread evenly. Has
 * BINS + 1 points, at the bin edges, on the scale of the bins.
 */
function curveOf(counts: Uint32Array, slope: number): Float32Array {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const limit = (slope * total) / BINS
  const excess = counts.reduce((sum, count) => sum + Math.max(0, count - limit), 0)
  const curve = new Float32Array(BINS + 1)
  let sum = 0
  for (let bin = 0; bin < BINS; bin += 1) {
    sum += Math.min(counts[bin]!, limit) + excess / BINS
    curve[bin + 1] = (sum / total) * BINS
  }
  return curve
}

/** Curves of all tiles, row by row. */
function curvesOf(
  light: Float32Array,
  columns: readonly number[],
  rows: readonly number[],
  slope: number,
): Float32Array[] {
  const across = lastOf(columns) + 1
  const counts = Array.from({ length: across * (lastOf(rows) + 1) }, () => new Uint32Array(BINS))
  const width = columns.length
  rows.forEach((row, y) => {
    for (let x = 0; x < width; x += 1) counts[row * across + columns[x]!]![(light[y * width + x]! + 0.5) | 0]! += 1
  })
  return counts.map((tile) => curveOf(tile, slope))
}

/** A pixel has texture if its luminance differs by more than this from one 2 px away, 0 to 255. */
const TEXTURE = 3
/** Shares of such pixels up to which a tile is plain, and from which it is all texture. */
const TEXTURED = [0.05, 0.4] as const
/** Share of such pixels below which an image is a drawing or a gradient. */
const PLAIN = 0.03

/** Whether an image has hardly any texture: a gradient or a drawing, whose tones are chosen. */
export function isPlain(samples: Samples): boolean {
  const one = (side: number) => new Array<number>(side).fill(0)
  const { width, height } = samples
  return (textureOf(luminanceOf(samples, 0), one(width), one(height))[0] ?? 0) < PLAIN
}

/** Share of the pixels of each tile that have texture, 0 to 1. */
function textureOf(light: Float32Array, columns: readonly number[], rows: readonly number[]): Float32Array {
  const across = lastOf(columns) + 1
  const found = new Uint32Array(across * (lastOf(rows) + 1))
  const counts = new Uint32Array(found.length)
  const width = columns.length
  const lightAt = (place: number): number => light[place] as number
  for (let y = 0; y < rows.length - 2; y += 1)
    for (let x = 0; x < width - 2; x += 1) {
      const at = y * width + x
      const tile = (rows[y] as number) * across + (columns[x] as number)
      const value = lightAt(at)
      counts[tile] = (counts[tile] as number) + 1
      if (Math.abs(lightAt(at + 2) - value) > TEXTURE || Math.abs(lightAt(at + 2 * width) - value) > TEXTURE)
        found[tile] = (found[tile] as number) + 1
    }
  return Float32Array.from(found, (many, tile) => many / Math.max(1, counts[tile] as number))
}

/** How much local contrast suits a tile, 0 to 1: plain ones, as a sky, only get halos, spots and bands of it. */
const roomForContrast = (texture: number): number =>
  Math.min(1, Math.max(0, (texture - TEXTURED[0]) / (TEXTURED[1] - TEXTURED[0])))

/** A curve between no change (0) and the whole curve (1). */
const partOf = (curve: Float32Array, part: number): Float32Array =>
  curve.map((value, bin) => bin + (value - bin) * part)

/**
 * Contrast-limited adaptive histogram equalisation of luminance, in place: K. Zuiderveld, "Contrast Limited Adaptive
 * Histogram Equalization", Graphics Gems IV, 1994. Adds the change of luminance to all channels alike, which keeps
 * hues. libvips supports it for 8 bits only, channel by channel, and counts a window for every pixel: minutes for a
 * large photo.
 * @param slope steepest slope of the tone curve, at least 1
 * @param options.most part of the change that areas full of texture get, 0 to 1; plain areas keep their tones. By
 *   default all areas get the whole change
 */
export function raiseLocalContrast(samples: Samples, slope: number, { most }: { most?: number } = {}): void {
  const { data, width, height, channels, pages } = samples
  const [across, down] = [tilesOf(width), tilesOf(height)]
  const columns = placesOf(width, across)
  const rows = placesOf(height, down)
  const tileOf = (side: number, tiles: number): number[] =>
    Array.from({ length: side }, (_, at) => Math.floor((at * tiles) / side))
  const white = data instanceof Uint16Array ? 65535 : 255
  const colours = channels - (channels % 2 === 0 ? 1 : 0)
  for (let page = 0; page < pages; page += 1) {
    const light = luminanceOf(samples, page)
    const places = [tileOf(width, across), tileOf(height, down)] as const
    const whole = curvesOf(light, ...places, slope)
    const texture = most === undefined ? undefined : textureOf(light, ...places)
    const curves = texture
      ? whole.map((curve, tile) => partOf(curve, roomForContrast(texture[tile] ?? 0) * (most ?? 1)))
      : whole
    let at = page * width * height * channels
    for (let y = 0, pixel = 0; y < height; y += 1) {
      const row = rows[y]!
      for (let x = 0; x < width; x += 1, pixel += 1, at += channels) {
        const column = columns[x]!
        const value = light[pixel]! + 0.5
        const bin = value | 0
        const part = value - bin
        const on = (tile: number): number => {
          const curve = curves[tile]!
          return curve[bin]! + (curve[bin + 1]! - curve[bin]!) * part
        }
        const top = row.before * across
        const bottom = row.after * across
        const above = on(top + column.before) * (1 - column.share) + on(top + column.after) * column.share
        const below = on(bottom + column.before) * (1 - column.share) + on(bottom + column.after) * column.share
        const change = ((above * (1 - row.share) + below * row.share - value) * white) / 255
        for (let channel = 0; channel < colours; channel += 1) {
          const changed = data[at + channel]! + change
          data[at + channel] = changed < 0 ? 0 : changed > white ? white : changed + 0.5
        }
      }
    }
  }
}

/** Limits the stretch: in an image that is nearly one tone, a steeper one would only amplify noise. */
const STEEPEST = 4

/**
 * The two values, 0 to 1, below and above which `clip` percent of the colour values are, over all pages. Undefined for
 * an image of one tone.
 * @param steepest limit of the slope, at least 1
 */
export function levelsOf(
  samples: Samples,
  clip: number,
  steepest = STEEPEST,
): { low: number; high: number } | undefined {
  const counts = new Uint32Array(BINS)
  const { data, channels } = samples
  const scale = data instanceof Uint16Array ? 257 : 1
  const colours = channels - (channels % 2 === 0 ? 1 : 0)
  // Per channel: a colour clips long before its luminance does.
  for (let at = 0; at < data.length; at += channels)
    for (let channel = 0; channel < colours; channel += 1) counts[(data[at + channel]! / scale + 0.5) | 0]! += 1
  const share = ((data.length / channels) * colours * clip) / 100
  const reach = (bins: Uint32Array): number => {
    let sum = 0
    return bins.findIndex((count) => {
      sum += count
      return sum > share
    })
  }
  const low = reach(counts) / (BINS - 1)
  const high = 1 - reach(counts.toReversed()) / (BINS - 1)
  if (high <= low) return undefined
  const range = Math.max(high - low, 1 / steepest)
  const start = Math.min(1 - range, Math.max(0, (low + high - range) / 2))
  return { low: start, high: start + range }
}
