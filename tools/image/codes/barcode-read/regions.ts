/**
 * Regions that may contain bars, and the bars' direction: many parallel edges side by side. Expensive
 * rotation, cleaning and sharpening is limited to these regions.
 */
import { firstOf } from '../../../../src/lists.ts'
import type { Grey } from './rows.ts'

/** A part of a picture, of its width and height: 0 is left and top, 1 right and bottom. */
export interface Part {
  left: number
  top: number
  right: number
  bottom: number
}

const WHOLE: Part = { left: 0, top: 0, right: 1, bottom: 1 }

/** Bars that are so far off an angle belong to it, degrees: what is read two looks away is read by chance, but it is. */
const TOLERANCE = 24
/** Edges are summed up in squares, and judged in windows of three by three of them, px. */
const SQUARE = 16
/** The fewest windows of bars that touch each other: a code of modules that can be read has more. */
const LEAST_WINDOWS = 20
/** Pictures of fewer windows are small: all of such is one place. */
const SMALL = 400
/** Around bars, for the quiet zone and for ends that are blurred or in glare: squares, and a part of the place's longer side. */
const MARGIN = { squares: 4, part: 1 / 3 }
/** A region that is at least this fraction of the picture is treated as all of it. */
const MOST_OF_IT = 3 / 4

/** Thresholds for bars in a window: contrast of the edges in one direction, and their share of all edges. */
const LEAST_ENERGY = 40
const LEAST_COHERENCE = 0.5
/** Edges from dark to light and from light to dark are as many; one edge alone, as of a roof, has but one of them. */
const MOST_STEP = 0.3

/** Sums over squares or windows: of the squares and products of slopes, of the slopes, and of their steepness. */
type Sums = Record<'xx' | 'yy' | 'xy' | 'x' | 'y' | 'steep', Float32Array> & { columns: number; rows: number }

const sumsOf = (columns: number, rows: number): Sums => {
  const made = (): Float32Array => new Float32Array(columns * rows)
  return { columns, rows, xx: made(), yy: made(), xy: made(), x: made(), y: made(), steep: made() }
}

/** Gradients (Sobel, which is robust to noise) of all inner pixels, summed in squares. */
function slopesOf({ data, width, height }: Grey): Sums {
  const sums = sumsOf(Math.ceil(width / SQUARE), Math.ceil(height / SQUARE))
  for (let row = 1; row < height - 1; row += 1) {
    const squares = Math.floor(row / SQUARE) * sums.columns
    for (let column = 0; column < sums.columns; column += 1) {
      let [xx, yy, xy, x, y, steep] = [0, 0, 0, 0, 0, 0]
      const end = row * width + Math.min(width - 1, (column + 1) * SQUARE)
      for (let at = row * width + Math.max(1, column * SQUARE); at < end; at += 1) {
        const falling = data[at + width + 1]! - data[at - width - 1]!
        const rising = data[at - width + 1]! - data[at + width - 1]!
        const across = (falling + rising) / 4 + (data[at + 1]! - data[at - 1]!) / 2
        const down = (falling - rising) / 4 + (data[at + width]! - data[at - width]!) / 2
        xx += across * across
        yy += down * down
        xy += across * down
        x += across
        y += down
        steep += Math.sqrt(across * across + down * down)
      }
      const at = squares + column
      sums.xx[at]! += xx
      sums.yy[at]! += yy
      sums.xy[at]! += xy
      sums.x[at]! += x
      sums.y[at]! += y
      sums.steep[at]! += steep
    }
  }
  return sums
}

/** Direction across the bars of each window, in degrees from 0 to 180; -1 for none. */
function directionsOf(squares: Sums): Float32Array {
  const { columns, rows } = squares
  const directions = new Float32Array(columns * rows)
  for (let at = 0; at < directions.length; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    let [xx, yy, xy, x, y, steep, count] = [0, 0, 0, 0, 0, 0, 0]
    for (let v = Math.max(0, row - 1); v <= Math.min(rows - 1, row + 1); v += 1)
      for (let u = Math.max(0, column - 1); u <= Math.min(columns - 1, column + 1); u += 1) {
        const near = v * columns + u
        xx += squares.xx[near]!
        yy += squares.yy[near]!
        xy += squares.xy[near]!
        x += squares.x[near]!
        y += squares.y[near]!
        steep += squares.steep[near]!
        count += SQUARE * SQUARE
      }
    // The structure tensor: how much more of the gradients is in one direction than across it.
    const directed = Math.hypot(xx - yy, 2 * xy)
    const isBars =
      directed > LEAST_ENERGY * count && directed > LEAST_COHERENCE * (xx + yy) && Math.hypot(x, y) < MOST_STEP * steep
    directions[at] = isBars ? ((Math.atan2(2 * xy, xx - yy) * 90) / Math.PI + 180) % 180 : -1
  }
  return directions
}

/** Columns and rows of squares, both ends included. */
type Span = Record<'left' | 'top' | 'right' | 'bottom', number>

/** Groups of windows that touch each other, as far as they reach; small ones are left out. */
function groupsOf(isIn: Uint8Array, columns: number): Span[] {
  const groups: Span[] = []
  const rows = isIn.length / columns
  for (let first = 0; first < isIn.length; first += 1) {
    if (!isIn[first]) continue
    const span: Span = { left: columns, top: rows, right: 0, bottom: 0 }
    const open = [first]
    isIn[first] = 0
    let count = 0
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [column, row] = [at % columns, Math.floor(at / columns)]
      count += 1
      span.left = Math.min(span.left, column)
      span.right = Math.max(span.right, column)
      span.top = Math.min(span.top, row)
      span.bottom = Math.max(span.bottom, row)
      for (const [near, isThere] of [
        [at - 1, column > 0],
        [at + 1, column + 1 < columns],
        [at - columns, row > 0],
        [at + columns, row + 1 < rows],
      ] as const) {
        if (!isThere || !isIn[near]) continue
        isIn[near] = 0
        open.push(near)
      }
    }
    if (count >= LEAST_WINDOWS) groups.push(span)
  }
  return groups
}

const joined = (one: Span, other: Span): Span => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
})
const touches = (one: Span, other: Span): boolean =>
  one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom

/** Spans of which none touches another: those that do are joined, so that nothing is looked at twice. */
function apart(spans: readonly Span[]): Span[] {
  const made: Span[] = []
  for (let span of spans) {
    for (
      let at = made.findIndex((one) => touches(one, span));
      at >= 0;
      at = made.findIndex((one) => touches(one, span))
    )
      span = joined(span, firstOf(made.splice(at, 1)))
    made.push(span)
  }
  return made
}

function widened(span: Span, { columns, rows }: Sums): Span {
  const longer = Math.max(span.right - span.left, span.bottom - span.top) + 1
  const margin = Math.max(MARGIN.squares, Math.ceil(longer * MARGIN.part))
  return {
    left: Math.max(0, span.left - margin),
    top: Math.max(0, span.top - margin),
    right: Math.min(columns - 1, span.right + margin),
    bottom: Math.min(rows - 1, span.bottom + margin),
  }
}

/**
 * Regions of bars that are upright, or nearly so, when a picture is rotated by an angle (degrees, clockwise).
 * With a period of 90 degrees also those of horizontal bars.
 */
export type PlacesOfBars = (angle: number, period: 90 | 180) => Part[]

/** Looks through a picture for places where bars can be. */
export function placesOfBars(picture: Grey): PlacesOfBars {
  const squares = slopesOf(picture)
  const { columns, rows } = squares
  const { width, height } = picture
  if (columns * rows < SMALL) return () => [WHOLE]
  const directions = directionsOf(squares)
  return (angle, period) => {
    const isIn = new Uint8Array(directions.length)
    for (let at = 0; at < isIn.length; at += 1) {
      const off = (directions[at]! + angle) % period
      if (directions[at]! >= 0 && Math.min(off, period - off) <= TOLERANCE) isIn[at] = 1
    }
    const spans = apart(groupsOf(isIn, columns).map((span) => widened(span, squares)))
    const parts = spans.map(({ left, top, right, bottom }) => ({
      left: (left * SQUARE) / width,
      top: (top * SQUARE) / height,
      right: Math.min(1, ((right + 1) * SQUARE) / width),
      bottom: Math.min(1, ((bottom + 1) * SQUARE) / height),
    }))
    return parts.some((part) => (part.right - part.left) * (part.bottom - part.top) > MOST_OF_IT) ? [WHOLE] : parts
  }
}
