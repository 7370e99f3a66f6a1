/** Fits lines and curves to an outline: straight runs stay straight, turns stay sharp, the rest becomes curves. */
import { type Cubic, cubicThrough, type Point } from './cubic.ts'
import { get, type Points, STRIDE } from './plane.ts'
import { breaksOf, LINE_PRICE, type Line, lineOf, sumsOf } from './polygon.ts'

/** A piece of a closed path, from the end of the previous one. */
export type Piece = { to: Point; one?: Point; two?: Point }

export interface FitOptions {
  /** Lines only, or lines and curves. */
  curves: boolean
  /** Minimum angle of a corner, degrees. */
  cornerThreshold: number
  /** Standard deviation of the points, px. */
  noise: number
}

/** Prices in squared deviations, as LINE_PRICE: a curve has three times as many numbers as a line. */
const CURVE_PRICE = 3 * LINE_PRICE
/** A turn without a corner between two lines is visible as a facet. */
const FACET_PRICE = 2 * LINE_PRICE
/** Points of a curve that are compared while searching for the best division. */
const SAMPLES = 40
/** A corner is blunt by less than this in an image, px. */
const BLUNT = 2
/** An arc is divided into lines whose turn, radians, is about TURN * noise / length ** 1.5; larger turns are corners. */
const TURN = 37.7
const CLEAR = 1.7
/** Points at both ends of a line that hardly count, px. */
const BLUNT_ENDS = 3
/** Radius of the curve that replaces a corner, px. */
const ROUNDING = 2

interface Vertex {
  /** Index of its point. */
  index: number
  at: Point
  isCorner: boolean
  /** Signed turn, radians. */
  turn: number
}

const pointAt = (points: Points, index: number): Point => {
  const at = (index % (points.length / STRIDE)) * STRIDE
  return { x: get(points, at), y: get(points, at + 1), weight: get(points, at + 2) }
}

const distance = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y)

function crossingOf(one: Line, other: Line): Point | undefined {
  const across = one.dx * other.dy - one.dy * other.dx
  if (Math.abs(across) < 0.05) return undefined
  const part = ((other.x - one.x) * other.dy - (other.y - one.y) * other.dx) / across
  return { x: one.x + part * one.dx, y: one.y + part * one.dy }
}

/** The position on a curve at one of its points: of a parabola through its neighbours. */
function smoothed(points: Points, index: number, reach: number): Point {
  const count = points.length / STRIDE
  const here = pointAt(points, index)
  if (reach < 2) return here
  const sum = { w: 0, tt: 0, tttt: 0, x: 0, y: 0, xtt: 0, ytt: 0 }
  for (let step = -reach; step <= reach; step += 1) {
    const { x, y } = pointAt(points, index + step + count)
    const tt = step * step
    sum.w += 1
    sum.tt += tt
    sum.tttt += tt * tt
    sum.x += x
    sum.y += y
    sum.xtt += x * tt
    sum.ytt += y * tt
  }
  const determinant = sum.w * sum.tttt - sum.tt * sum.tt
  return {
    x: (sum.x * sum.tttt - sum.xtt * sum.tt) / determinant,
    y: (sum.y * sum.tttt - sum.ytt * sum.tt) / determinant,
  }
}

const project = ({ x, y }: Point, line: Line): Point => {
  const part = (x - line.x) * line.dx + (y - line.y) * line.dy
  return { x: line.x + part * line.dx, y: line.y + part * line.dy }
}

function verticesOf(points: Points, breaks: readonly number[], lines: readonly Line[], options: FitOptions): Vertex[] {
  const count = points.length / STRIDE
  const size = breaks.length
  const lengthOf = (edge: number): number => {
    const from = get(breaks, edge)
    return distance(pointAt(points, from), pointAt(points, get(breaks, (edge + 1) % size)))
  }
  const least = ((options.cornerThreshold / 180) ** 2 * 180 * Math.PI) / 180
  return breaks.map((index, at) => {
    const before = (at + size - 1) % size
    const [one, other] = [lines[before] as Line, lines[at] as Line]
    const turn = Math.atan2(one.dx * other.dy - one.dy * other.dx, one.dx * other.dx + one.dy * other.dy)
    const gaps = [index - get(breaks, before), get(breaks, (at + 1) % size) - index].map((gap) => (gap + count) % count)
    const arm = Math.min(...gaps, lengthOf(before), lengthOf(at))
    const clear =
      CLEAR * Math.min(1, options.cornerThreshold / 60) * TURN * options.noise * Math.max(1, arm - BLUNT_ENDS) ** -1.5
    const isCorner = !options.curves || Math.abs(turn) >= Math.max(least, clear)
    const here = pointAt(points, index)
    const crossing = crossingOf(one, other)
    const reach = Math.min(8, Math.floor(Math.min(...gaps) / 2))
    const isSharp = crossing && distance(crossing, here) < BLUNT
    return { index, turn, isCorner, at: isCorner ? (isSharp ? crossing : here) : smoothed(points, index, reach) }
  })
}

/** At most `most` points strictly between two breaks; those next to blunt corners do not count. */
function between(points: Points, from: number, to: number, most: number): Point[] {
  const trim = to - from >= 10 ? 2 : 1
  const room = to - from - 2 * trim + 1
  const step = Math.max(1, room / most)
  const found: Point[] = []
  for (let at = 0; at < room; at += step) found.push(pointAt(points, from + trim + Math.floor(at)))
  return found
}

interface Run {
  /** Vertex numbers, from the first to the last. */
  from: number
  to: number
  isLine: boolean
}

/** The cheapest division of a run between two corners, vertices `first` to `last`; they count beyond one turn. */
function divideRun(
  points: Points,
  vertices: readonly Vertex[],
  lines: readonly Line[],
  first: number,
  last: number,
  noise: number,
): Run[] {
  const [size, count] = [vertices.length, points.length / STRIDE]
  const vertex = (at: number): Vertex => vertices[at % size] as Vertex
  const indexOf = (at: number): number => vertex(at).index + Math.floor(at / size) * count
  /** By vertex and by the kind of the piece that ends there: 0 a line, 1 a curve. */
  const best = Array.from({ length: last - first + 1 }, () => [
    { cost: Number.POSITIVE_INFINITY, from: 0, kind: 0 },
    { cost: Number.POSITIVE_INFINITY, from: 0, kind: 0 },
  ])
  const cell = (at: number, kind: number) => best[at - first]?.[kind] as { cost: number; from: number; kind: number }
  cell(first, 1).cost = 0
  const offer = (at: number, kind: number, cost: number, from: number, previous: number): void => {
    const here = cell(at, kind)
    if (cost < here.cost) Object.assign(here, { cost, from, kind: previous })
  }
  for (let from = first; from < last; from += 1) {
    const start = indexOf(from)
    const line = lines[from % size] as Line
    const span = between(points, start, indexOf(from + 1), Number.POSITIVE_INFINITY)
    const off = span.reduce(
      (sum, { x, y, weight = 1 }) => sum + weight * ((x - line.x) * line.dy - (y - line.y) * line.dx) ** 2,
      0,
    )
    const isFirst = from === first
    offer(from + 1, 0, cell(from, 0).cost + LINE_PRICE + off / noise ** 2 + (isFirst ? 0 : FACET_PRICE), from, 0)
    offer(from + 1, 0, cell(from, 1).cost + LINE_PRICE + off / noise ** 2, from, 1)
    const kind = cell(from, 0).cost <= cell(from, 1).cost ? 0 : 1
    const base = cell(from, kind).cost + CURVE_PRICE
    for (let to = from + 1; to <= last; to += 1) {
      const end = indexOf(to)
      const inside = between(points, start, end, SAMPLES)
      if (inside.length < 4 && to > from + 1) continue
      const curve = cubicThrough(inside, vertex(from).at, vertex(to).at)
      const weight = inside.length === 0 ? 0 : Math.max(1, (end - start - 3) / inside.length)
      const misfit = (curve.off * weight) / noise ** 2
      offer(to, 1, base + misfit, from, kind)
      if (misfit > 6 * CURVE_PRICE) break
    }
  }
  const runs: Run[] = []
  let [at, kind] = [last, cell(last, 0).cost <= cell(last, 1).cost ? 0 : 1]
  while (at > first) {
    const { from, kind: previous } = cell(at, kind)
    runs.push({ from, to: at, isLine: kind === 0 })
    at = from
    kind = previous
  }
  return runs.reverse()
}

const unit = ({ x, y }: Point): Point | undefined => {
  const length = Math.hypot(x, y)
  return length < 1e-9 ? undefined : { x: x / length, y: y / length }
}

/** The pieces of a closed path along the points. */
export function fitOutline(points: Points, options: FitOptions): Piece[] {
  const count = points.length / STRIDE
  const sums = sumsOf(points)
  const breaks = breaksOf(points, sums, options.noise)
  const size = breaks.length
  if (size < 3) return breaks.map((index) => ({ to: pointAt(points, index) }))
  const lines = breaks.map((from, at) => {
    const to = get(breaks, (at + 1) % size)
    return lineOf(sums, points, from, to > from ? to : to + count)
  })
  const vertices = verticesOf(points, breaks, lines, options)
  const vertex = (at: number): Vertex => vertices[at % size] as Vertex
  if (!options.curves) return vertices.map(({ at }) => ({ to: at }))
  const corners = vertices.flatMap(({ isCorner }, at) => (isCorner ? [at] : []))
  const stops = corners.length > 0 ? corners : [longestStart(vertices)]
  const runs = stops.flatMap((first, at) => {
    const next = stops[at + 1] ?? (stops[0] as number) + size
    return divideRun(points, vertices, lines, first, next, options.noise)
  })
  return piecesOf(points, vertices, lines, runs, vertex, options)
}

/** The vertex where the longest line of a closed curve starts. */
function longestStart(vertices: readonly Vertex[]): number {
  let [best, most] = [0, 0]
  vertices.forEach(({ at }, index) => {
    const length = distance(at, (vertices[(index + 1) % vertices.length] as Vertex).at)
    if (length > most) [best, most] = [index, length]
  })
  return best
}

function piecesOf(
  points: Points,
  vertices: readonly Vertex[],
  lines: readonly Line[],
  runs: readonly Run[],
  vertex: (at: number) => Vertex,
  { cornerThreshold, noise }: FitOptions,
): Piece[] {
  const [size, count] = [vertices.length, points.length / STRIDE]
  const indexOf = (at: number): number => vertex(at).index + Math.floor(at / size) * count
  const lineAt = (at: number): Line => lines[at % size] as Line
  const before = (at: number): Run => runs[(at + runs.length - 1) % runs.length] as Run
  const after = (at: number): Run => runs[(at + 1) % runs.length] as Run
  // Where each run starts: smooth joints with a line are on it.
  const starts = runs.map((run, at) => {
    const { at: place, isCorner } = vertex(run.from)
    const previous = before(at)
    if (isCorner || (run.isLine && previous.isLine)) {
      if (!run.isLine || !previous.isLine || isCorner) return place
      const crossing = crossingOf(lineAt(previous.from), lineAt(run.from))
      return crossing && distance(crossing, place) < BLUNT ? crossing : place
    }
    if (run.isLine) return project(place, lineAt(run.from))
    return previous.isLine ? project(place, lineAt(previous.from)) : place
  })
  const startOf = (at: number): Point => starts[at % runs.length] as Point
  const inside = runs.map((run) => between(points, indexOf(run.from), indexOf(run.to), 200))
  const free = runs.map((run, at): Cubic | undefined =>
    run.isLine ? undefined : cubicThrough(inside[at] as Point[], startOf(at), startOf(at + 1)),
  )
  /** The direction at the start of a run, where it is smooth. */
  const directions = runs.map((run, at): Point | undefined => {
    if (vertex(run.from).isCorner) return undefined
    if (run.isLine) return { x: lineAt(run.from).dx, y: lineAt(run.from).dy }
    const previous = before(at)
    if (previous.isLine) return { x: lineAt(previous.from).dx, y: lineAt(previous.from).dy }
    const [one, other] = [free[(at + runs.length - 1) % runs.length], free[at]]
    const here = startOf(at)
    const arriving = one && unit({ x: here.x - one.two.x, y: here.y - one.two.y })
    const leaving = other && unit({ x: other.one.x - here.x, y: other.one.y - here.y })
    return arriving && leaving && unit({ x: arriving.x + leaving.x, y: arriving.y + leaving.y })
  })
  const pieces = runs.map((run, at): Piece => {
    const to = startOf(at + 1)
    if (run.isLine) return { to }
    const [leaving, arriving] = [directions[at], directions[(at + 1) % runs.length]]
    const known = free[at] as Cubic
    // A direction that the points contradict would bend the whole curve.
    const limit = 1.5 * known.off + LINE_PRICE * noise ** 2
    const choices: [Point | undefined, Point | undefined][] = [
      [leaving, arriving],
      [leaving, undefined],
      [undefined, arriving],
    ]
    const fitted = choices.map(([one, other]) => cubicThrough(inside[at] as Point[], startOf(at), to, one, other))
    const { one, two } = fitted.find(({ off }) => off <= limit) ?? known
    return { to, one, two }
  })
  return cornerThreshold > 90
    ? rounded(
        pieces,
        runs.map((run, at) => run.isLine && after(at).isLine && !vertex(run.to).isCorner),
      )
    : pieces
}

/** Replaces turns between two lines by small curves. */
function rounded(pieces: readonly Piece[], isTurn: readonly boolean[]): Piece[] {
  const size = pieces.length
  return pieces.flatMap((piece, at) => {
    if (!isTurn[at]) return [piece]
    const [from, next] = [(pieces[(at + size - 1) % size] as Piece).to, (pieces[(at + 1) % size] as Piece).to]
    const towards = (other: Point): Point => {
      const part = Math.min(0.4, ROUNDING / distance(piece.to, other))
      return { x: piece.to.x + part * (other.x - piece.to.x), y: piece.to.y + part * (other.y - piece.to.y) }
    }
    const middle = (end: Point): Point => ({ x: (end.x + 2 * piece.to.x) / 3, y: (end.y + 2 * piece.to.y) / 3 })
    const [start, end] = [towards(from), towards(next)]
    return [{ to: start }, { to: end, one: middle(start), two: middle(end) }]
  })
}
