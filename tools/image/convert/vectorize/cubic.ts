/** Least-squares Bézier curves. */
export interface Point {
  x: number
  y: number
  /** Of a measured point; 1 by default. */
  weight?: number
}

export interface Cubic {
  one: Point
  two: Point
  /** Sum of the squared distances of the points. */
  off: number
}

/** Improvements of the parameters of the points. */
const ROUNDS = 4

/** Solves a small symmetric system, in place; undefined if it is singular. */
function solve(matrix: number[][], values: number[]): number[] | undefined {
  const size = values.length
  const cell = (row: number, column: number): number => matrix[row]?.[column] as number
  for (let pivot = 0; pivot < size; pivot += 1) {
    if (Math.abs(cell(pivot, pivot)) < 1e-9) return undefined
    for (let row = pivot + 1; row < size; row += 1) {
      const factor = cell(row, pivot) / cell(pivot, pivot)
      const line = matrix[row] as number[]
      for (let column = pivot; column < size; column += 1)
        line[column] = cell(row, column) - factor * cell(pivot, column)
      values[row] = (values[row] as number) - factor * (values[pivot] as number)
    }
  }
  const found: number[] = []
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = values[row] as number
    for (let column = row + 1; column < size; column += 1) sum -= cell(row, column) * (found[column] as number)
    found[row] = sum / cell(row, row)
  }
  return found
}

/** The parameters of points by the distance along them. */
function parametersOf(points: readonly Point[], from: Point, to: Point): number[] {
  const lengths: number[] = []
  let [sum, last] = [0, from]
  for (const point of points) {
    sum += Math.hypot(point.x - last.x, point.y - last.y)
    lengths.push(sum)
    last = point
  }
  sum += Math.hypot(to.x - last.x, to.y - last.y)
  return lengths.map((length) => (sum === 0 ? 0 : length / sum))
}

/** Moves a parameter towards the nearest position on the curve. */
function nearer(t: number, point: Point, from: Point, { one, two }: Pick<Cubic, 'one' | 'two'>, to: Point): number {
  const s = 1 - t
  const at = (axis: 'x' | 'y') =>
    s * s * s * from[axis] + 3 * s * s * t * one[axis] + 3 * s * t * t * two[axis] + t * t * t * to[axis] - point[axis]
  const first = (axis: 'x' | 'y') =>
    3 * (s * s * (one[axis] - from[axis]) + 2 * s * t * (two[axis] - one[axis]) + t * t * (to[axis] - two[axis]))
  const second = (axis: 'x' | 'y') =>
    6 * (s * (two[axis] - 2 * one[axis] + from[axis]) + t * (to[axis] - 2 * two[axis] + one[axis]))
  const [x, y, dx, dy] = [at('x'), at('y'), first('x'), first('y')]
  const slope = dx * dx + dy * dy + x * second('x') + y * second('y')
  return slope <= 0 ? t : Math.min(1, Math.max(0, t - (x * dx + y * dy) / slope))
}

/**
 * The curve from one point to another that is nearest to the points between them.
 * @param leaving direction in which it leaves `from`, a unit vector; any by default
 * @param arriving direction in which it arrives at `to`
 */
export function cubicThrough(
  points: readonly Point[],
  from: Point,
  to: Point,
  leaving?: Point,
  arriving?: Point,
): Cubic {
  const chord = Math.hypot(to.x - from.x, to.y - from.y)
  const along = { x: (to.x - from.x) / 3, y: (to.y - from.y) / 3 }
  // A direction that the points do not define is that of the chord, or a third of it along the given one.
  const start = leaving ? { x: leaving.x * (chord / 3), y: leaving.y * (chord / 3) } : along
  const end = arriving ? { x: -arriving.x * (chord / 3), y: -arriving.y * (chord / 3) } : { x: -along.x, y: -along.y }
  let curve: Cubic = {
    one: { x: from.x + start.x, y: from.y + start.y },
    two: { x: to.x + end.x, y: to.y + end.y },
    off: 0,
  }
  const heads = leaving
    ? [leaving]
    : [
        { x: 1, y: 0 },
        { x: 0, y: 1 },
      ]
  const tails = arriving
    ? [{ x: -arriving.x, y: -arriving.y }]
    : [
        { x: 1, y: 0 },
        { x: 0, y: 1 },
      ]
  const ways = [...heads, ...tails]
  const size = ways.length
  let parameters = parametersOf(points, from, to)
  for (let round = 0; round < ROUNDS && points.length >= 2; round += 1) {
    const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0))
    const values = new Array<number>(size).fill(0)
    for (const [index, point] of points.entries()) {
      const t = parameters[index] as number
      const s = 1 - t
      const [head, tail] = [3 * s * s * t, 3 * s * t * t]
      const left = s * s * s + head
      const [x, y] = [point.x - left * from.x - (1 - left) * to.x, point.y - left * from.y - (1 - left) * to.y]
      for (let row = 0; row < size; row += 1) {
        const [way, share] = [ways[row] as Point, (row < heads.length ? head : tail) * (point.weight ?? 1)]
        values[row] = (values[row] as number) + share * (way.x * x + way.y * y)
        const line = matrix[row] as number[]
        for (let column = 0; column < size; column += 1) {
          const other = ways[column] as Point
          const factor = share * (column < heads.length ? head : tail)
          line[column] = (line[column] as number) + factor * (way.x * other.x + way.y * other.y)
        }
      }
    }
    const found = solve(matrix, values)
    if (!found) break
    const handle = (basis: readonly Point[], factors: readonly number[], base: Point, fallback: Point): Point => {
      // A negative length along a given direction would be a loop.
      if (basis.length === 1 && (factors[0] as number) <= 0)
        return { x: base.x + fallback.x / 3, y: base.y + fallback.y / 3 }
      return {
        x: base.x + basis.reduce((sum, way, index) => sum + way.x * (factors[index] as number), 0),
        y: base.y + basis.reduce((sum, way, index) => sum + way.y * (factors[index] as number), 0),
      }
    }
    const [one, two] = [
      handle(heads, found.slice(0, heads.length), from, start),
      handle(tails, found.slice(heads.length), to, end),
    ]
    curve = { one, two, off: 0 }
    parameters = parameters.map((t, index) => nearer(t, points[index] as Point, from, curve, to))
  }
  let off = 0
  points.forEach((point, index) => {
    const t = parameters[index] as number
    const s = 1 - t
    const at = (axis: 'x' | 'y') =>
      s * s * s * from[axis] + 3 * s * s * t * curve.one[axis] + 3 * s * t * t * curve.two[axis] + t * t * t * to[axis]
    off += (point.weight ?? 1) * ((at('x') - point.x) ** 2 + (at('y') - point.y) ** 2)
  })
  return { ...curve, off }
}
