import type { Samples } from '../../../../src/media/image/frame.ts'
import type { Tile } from '../../../../src/models/tiles.ts'
import { type View, whiteOf } from './view.ts'

/** Over so many pixels inside of a hole its edge passes into what was filled in; more where that was made smaller. */
const FEATHER = { least: 4, most: 16 } as const

/** Reads an answer at a pixel of the picture, between its own pixels. */
function reader(answer: Float32Array, { width, height, channels }: View, { seen }: Tile) {
  const [across, down] = [width / seen.width, height / seen.height]
  return (x: number, y: number, into: Float32Array): void => {
    const column = Math.min(width - 1, Math.max(0, (x - seen.left + 0.5) * across - 0.5))
    const row = Math.min(height - 1, Math.max(0, (y - seen.top + 0.5) * down - 0.5))
    const [left, top] = [Math.floor(column), Math.floor(row)]
    const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
    const [partX, partY] = [column - left, row - top]
    for (let channel = 0; channel < channels; channel += 1) {
      const at = (place: number, line: number): number => answer[(line * width + place) * channels + channel]!
      const upper = at(left, top) * (1 - partX) + at(right, top) * partX
      const lower = at(left, bottom) * (1 - partX) + at(right, bottom) * partX
      into[channel] = upper * (1 - partY) + lower * partY
    }
  }
}

/**
 * Writes an answer into the holes of a tile's part, and into nothing else: what is known stays bit for bit. By what the
 * answer differs from the picture beside a hole it is corrected inside of it, less with every pixel: so no seam is seen, and
 * nothing of what was erased shines through, as it would in a blend.
 * @param answer of a method, as the view's data
 */
export function paste(samples: Samples, holes: Uint8Array, tile: Tile, view: View, answer: Float32Array): void {
  const { width, channels } = samples
  const { part } = tile
  const white = whiteOf(samples)
  const read = reader(answer, view, tile)
  const reach = Math.min(
    FEATHER.most,
    Math.max(FEATHER.least, Math.round((FEATHER.least * tile.seen.width) / view.width)),
  )
  const offsets = offsetsOf(samples, holes, tile, read, reach)
  const filled: number[] = []
  const pixel = new Float32Array(channels)
  for (let y = part.top; y < part.top + part.height; y += 1)
    for (let x = part.left; x < part.left + part.width; x += 1) {
      const at = y * width + x
      if (holes[at] !== 1) continue
      read(x, y, pixel)
      const offset = offsets.get(at)
      if (offset) for (let channel = 0; channel < channels; channel += 1) pixel[channel]! += offset[channel]!
      put(samples, at * channels, pixel, white)
      filled.push(at)
    }
  for (const at of filled) holes[at] = 0
}

const unit = (value: number): number => Math.min(1, Math.max(0, value))

/** Colours come multiplied by their alpha, and are stored as they are. */
function put({ data, channels }: Samples, at: number, pixel: Float32Array, white: number): void {
  const hasAlpha = channels % 2 === 0
  const colours = hasAlpha ? channels - 1 : channels
  const alpha = hasAlpha ? unit(pixel[colours]!) : 1
  for (let colour = 0; colour < colours; colour += 1)
    data[at + colour] = alpha === 0 ? 0 : unit(pixel[colour]! / alpha) * white + 0.5
  if (hasAlpha) data[at + colours] = alpha * white + 0.5
}

type Read = ReturnType<typeof reader>

/** What is added to the answer at pixels of holes near an edge: spread from the edge inwards, a pixel at a time. */
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
  // Depth 0: what is known beside a hole.
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
    // All of a depth from the depths before it.
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

function differenceAt(samples: Samples, at: number, read: Read): Float32Array {
  const { data, width, channels } = samples
  const hasAlpha = channels % 2 === 0
  const scale = 1 / whiteOf(samples)
  const alpha = hasAlpha ? data[at * channels + channels - 1]! * scale : 1
  const difference = new Float32Array(channels)
  read(at % width, Math.floor(at / width), difference)
  for (let channel = 0; channel < channels; channel += 1) {
    const isAlpha = hasAlpha && channel === channels - 1
    const own = isAlpha ? alpha : data[at * channels + channel]! * scale * alpha
    difference[channel] = own - difference[channel]!
  }
  return difference
}

/** The up to eight pixels around one. */
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
