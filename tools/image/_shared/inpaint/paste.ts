import type { Samples } from '../../../../src/media/image/frame.ts'
import type { Tile } from '../../../../src/models/tiles.ts'
import { type Answer, type View, whiteOf } from './view.ts'

/**
 * The number of pixels inside a hole over which its edge is blended into the fill; more if the fill was scaled down.
 */
const FEATHER = { least: 4, most: 16 } as const

/** Reads a result at a pixel of the image, with premultiplied colours. */
type Read = (x: number, y: number, into: Float32Array) => void

/** The four pixels of a view around a pixel of the image, and their weights. */
function placesIn({ width, height }: View, { seen }: Tile) {
  const [across, down] = [width / seen.width, height / seen.height]
  return (x: number, y: number): readonly (readonly [column: number, row: number, share: number])[] => {
    const column = Math.min(width - 1, Math.max(0, (x - seen.left + 0.5) * across - 0.5))
    const row = Math.min(height - 1, Math.max(0, (y - seen.top + 0.5) * down - 0.5))
    const [left, top] = [Math.floor(column), Math.floor(row)]
    const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
    const [partX, partY] = [column - left, row - top]
    return [
      [left, top, (1 - partX) * (1 - partY)],
      [right, top, partX * (1 - partY)],
      [left, bottom, (1 - partX) * partY],
      [right, bottom, partX * partY],
    ]
  }
}

/** Interpolates the result's own pixels, which are larger than those of the image if the view was scaled down. */
function readBetween({ data }: Answer, view: View, tile: Tile): Read {
  const { width, channels } = view
  const places = placesIn(view, tile)
  return (x, y, into) => {
    into.fill(0)
    for (const [column, row, share] of places(x, y))
      for (let channel = 0; channel < channels; channel += 1)
        into[channel]! += data[(row * width + column) * channels + channel]! * share
  }
}

/**
 * Reads from the sources of the result's pixels, at the image's full size: sharp if the view was smaller. Pixels
 * without a source, or whose source is missing, are interpolated from the result.
 */
function readOrigins(samples: Samples, holes: Uint8Array, answer: Answer, view: View, tile: Tile): Read {
  const { width, channels } = view
  const [across, down] = [tile.seen.width / view.width, tile.seen.height / view.height]
  const places = placesIn(view, tile)
  const own = new Float32Array(channels)
  return (x, y, into) => {
    into.fill(0)
    for (const [column, row, share] of places(x, y)) {
      const place = row * width + column
      const origin = answer.origins![place]!
      const fromX = Math.round(x + ((origin % width) - column) * across)
      const fromY = Math.round(y + (Math.floor(origin / width) - row) * down)
      const isInside = fromX >= 0 && fromY >= 0 && fromX < samples.width && fromY < samples.height
      const from = fromY * samples.width + fromX
      const isKnown = origin >= 0 && isInside && holes[from] === 0
      if (isKnown) premultiplied(samples, from, own)
      for (let channel = 0; channel < channels; channel += 1)
        into[channel]! += (isKnown ? own[channel]! : answer.data[place * channels + channel]!) * share
    }
  }
}

/**
 * Writes a result into the holes of a tile's part, and nowhere else: known pixels stay bit-identical. The difference
 * between the result and the image next to a hole corrects the inside of the hole, decreasing with every pixel: this
 * avoids a visible seam, and nothing erased shows through, as it would with blending.
 */
export function paste(samples: Samples, holes: Uint8Array, tile: Tile, view: View, answer: Answer): void {
  const { width, channels } = samples
  const { part, seen } = tile
  const white = whiteOf(samples)
  const isCopied = answer.origins !== undefined && seen.width > view.width
  const read = isCopied ? readOrigins(samples, holes, answer, view, tile) : readBetween(answer, view, tile)
  const reach = Math.min(FEATHER.most, Math.max(FEATHER.least, Math.round((FEATHER.least * seen.width) / view.width)))
  // Content copied at full size continues its surroundings as it is.
  const offsets = isCopied ? new Map<number, Float32Array>() : offsetsOf(samples, holes, tile, read, reach)
  const pixel = new Float32Array(channels)
  for (let y = part.top; y < part.top + part.height; y += 1)
    for (let x = part.left; x < part.left + part.width; x += 1) {
      const at = y * width + x
      if (holes[at] !== 1) continue
      read(x, y, pixel)
      const offset = offsets.get(at)
      if (offset) for (let channel = 0; channel < channels; channel += 1) pixel[channel]! += offset[channel]!
      put(samples, at * channels, pixel, white)
    }
  for (let y = part.top; y < part.top + part.height; y += 1)
    holes.fill(0, y * width + part.left, y * width + part.left + part.width)
}

const unit = (value: number): number => Math.min(1, Math.max(0, value))

/** Takes premultiplied colours and stores straight ones. */
function put({ data, channels }: Samples, at: number, pixel: Float32Array, white: number): void {
  const hasAlpha = channels % 2 === 0
  const colours = hasAlpha ? channels - 1 : channels
  const alpha = hasAlpha ? unit(pixel[colours]!) : 1
  for (let colour = 0; colour < colours; colour += 1)
    data[at + colour] = alpha === 0 ? 0 : unit(pixel[colour]! / alpha) * white + 0.5
  if (hasAlpha) data[at + colours] = alpha * white + 0.5
}

/** The correction added to the result at hole pixels near an edge: spread from the edge inwards, a pixel at a time. */
function offsetsOf(
  samples: Samples,
  holes: Uint8Array,
  { part }: Tile,
  read: Read,
  reach: number,
): Map<number, Float32Array> {
  const { width, height, channels } = samples
  const differences = new Map<number, Float32Array>()
  const around = neighboursIn(width, height)
  const inPart = (at: number): boolean => {
    const [x, y] = [at % width, Math.floor(at / width)]
    return x >= part.left && x < part.left + part.width && y >= part.top && y < part.top + part.height
  }
  // Depth 0: known pixels next to a hole.
  let front = new Set<number>()
  for (let y = part.top; y < part.top + part.height; y += 1)
    for (let x = part.left; x < part.left + part.width; x += 1)
      if (holes[y * width + x] === 1)
        for (const known of around(y * width + x)) if (holes[known] === 0) front.add(known)
  for (const known of front) differences.set(known, differenceAt(samples, known, read))
  const spread = new Map<number, Float32Array>()
  for (let depth = 1; depth <= reach && front.size > 0; depth += 1) {
    const next = new Set<number>()
    for (const from of front)
      for (const at of around(from)) if (holes[at] === 1 && !differences.has(at) && inPart(at)) next.add(at)
    // Each depth is computed from the previous depths.
    const found = [...next].map((at): [number, Float32Array] => [at, meanOf(around(at), differences, channels)])
    for (const [at, difference] of found) {
      differences.set(at, difference)
      const share = 1 - depth / (reach + 1)
      spread.set(
        at,
        difference.map((value) => value * share),
      )
    }
    front = next
  }
  return spread
}

function meanOf(
  places: readonly number[],
  differences: ReadonlyMap<number, Float32Array>,
  channels: number,
): Float32Array {
  const mean = new Float32Array(channels)
  let count = 0
  for (const place of places) {
    const one = differences.get(place)
    if (!one) continue
    count += 1
    for (let channel = 0; channel < channels; channel += 1) mean[channel]! += one[channel]!
  }
  return mean.map((value) => value / count)
}

/** A pixel of the image in the view's format. */
function premultiplied(samples: Samples, at: number, into: Float32Array): void {
  const { data, channels } = samples
  const hasAlpha = channels % 2 === 0
  const scale = 1 / whiteOf(samples)
  const alpha = hasAlpha ? data[at * channels + channels - 1]! * scale : 1
  for (let channel = 0; channel < channels; channel += 1)
    into[channel] = hasAlpha && channel === channels - 1 ? alpha : data[at * channels + channel]! * scale * alpha
}

function differenceAt(samples: Samples, at: number, read: Read): Float32Array {
  const answered = new Float32Array(samples.channels)
  read(at % samples.width, Math.floor(at / samples.width), answered)
  const own = new Float32Array(samples.channels)
  premultiplied(samples, at, own)
  return own.map((value, channel) => value - answered[channel]!)
}

/** The up to eight neighbours of a pixel. */
function neighboursIn(width: number, height: number): (at: number) => number[] {
  return (at) => {
    const [x, y] = [at % width, Math.floor(at / width)]
    const found: number[] = []
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1)
        if (row !== y || column !== x) found.push(row * width + column)
    return found
  }
}
