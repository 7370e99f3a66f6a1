import type { Point } from './landmarks.ts'

/** A rotation, a scale and a translation: x' = a x - b y + c, y' = b x + a y + d. */
export interface Similarity {
  a: number
  b: number
  c: number
  d: number
}

/** The least-squares similarity transform between two sets of points. */
export function similarity(from: readonly Point[], to: readonly Point[]): Similarity {
  const mean = (points: readonly Point[]): Point => ({
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  })
  const [centre, target] = [mean(from), mean(to)]
  let [along, across, size] = [0, 0, 0]
  for (const [index, point] of from.entries()) {
    const [x, y] = [point.x - centre.x, point.y - centre.y]
    const [u, v] = [to[index]!.x - target.x, to[index]!.y - target.y]
    along += x * u + y * v
    across += x * v - y * u
    size += x * x + y * y
  }
  const [a, b] = size === 0 ? [1, 0] : [along / size, across / size]
  return { a, b, c: target.x - a * centre.x + b * centre.y, d: target.y - b * centre.x - a * centre.y }
}

export const applied = ({ a, b, c, d }: Similarity, x: number, y: number): Point => ({
  x: a * x - b * y + c,
  y: b * x + a * y + d,
})

export function inverse({ a, b, c, d }: Similarity): Similarity {
  const size = a * a + b * b
  const [turn, scale] = [-b / size, a / size]
  return { a: scale, b: turn, c: -(scale * c - turn * d), d: -(turn * c + scale * d) }
}
