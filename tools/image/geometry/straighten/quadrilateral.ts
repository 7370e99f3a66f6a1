import type { Size } from '../../../../src/media/image/frame.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'

export interface Point {
  x: number
  y: number
}

/** Corners from the top left one, clockwise. */
export type Corners = readonly [Point, Point, Point, Point]

const EXAMPLE = 'For example: "12%,8% 88%,10% 93%,95% 6%,92%"'

/**
 * Reads four corners in px or percent of the image, in any order.
 * @throws MediaprocError INVALID_SETTINGS for another number of points, points far outside, or a shape that is not convex
 */
export function readCorners(text: string, image: Size): Corners {
  const points = text
    .trim()
    .split(/[\s;]+/)
    .map((pair): Point => {
      const [, x, xPercent, y, yPercent] = /^(-?[\d.]+)(%?),(-?[\d.]+)(%?)$/.exec(pair) ?? []
      if (!Number.isFinite(Number(x)) || !Number.isFinite(Number(y)))
        throw invalidSettings(`corners: "${pair}" is not a point`, EXAMPLE)
      return {
        x: xPercent ? (Number(x) * image.width) / 100 : Number(x),
        y: yPercent ? (Number(y) * image.height) / 100 : Number(y),
      }
    })
  if (points.length !== 4) throw invalidSettings(`corners: ${points.length} points instead of 4`, EXAMPLE)
  const outside = points.find(
    ({ x, y }) => x < -image.width / 2 || y < -image.height / 2 || x > image.width * 1.5 || y > image.height * 1.5,
  )
  if (outside)
    throw invalidSettings(
      `The corner ${outside.x},${outside.y} is far outside the image of ${image.width} x ${image.height} pixels`,
      'Pixels are counted from the top left corner of the upright image.',
    )
  return ordered(points)
}

/** Corners sorted clockwise around their centre, the one nearest to the top left first. */
function ordered(points: readonly Point[]): Corners {
  const centre = {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  }
  const angle = ({ x, y }: Point): number => Math.atan2(y - centre.y, x - centre.x)
  const around = points.toSorted((one, other) => angle(one) - angle(other))
  const sums = around.map(({ x, y }) => x + y)
  const first = sums.indexOf(Math.min(...sums))
  const corners = [...around.slice(first), ...around.slice(0, first)] as unknown as Corners
  if (corners.some((corner, at) => turn(corner, corners[((at + 1) % 4) as 0], corners[((at + 2) % 4) as 0]) <= 1))
    throw invalidSettings('The corners are not those of a convex quadrilateral', EXAMPLE)
  return corners
}

/** Twice the area of a triangle; positive when it turns clockwise on screen. */
function turn(one: Point, two: Point, three: Point): number {
  return (two.x - one.x) * (three.y - two.y) - (two.y - one.y) * (three.x - two.x)
}

/** Focal lengths in units of the image's longer side: of wide angles, phones (26 mm on 36 mm) and telephoto lenses. */
const FOCAL = { least: 0.28, usual: 0.75, most: 11 }

type Vector = readonly [number, number, number]

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

/**
 * Width / height of a rectangle in space, from its picture by a camera with square pixels whose axis is the centre of
 * the image (Zhang and He, Whiteboard scanning and image enhancement, 2006, section 3.2).
 */
function ratioInSpace([topLeft, topRight, bottomRight, bottomLeft]: Corners, image: Size): number {
  const scale = Math.max(image.width, image.height)
  const vector = ({ x, y }: Point): Vector => [(x - image.width / 2) / scale, (y - image.height / 2) / scale, 1]
  const [m1, m2, m3, m4] = [vector(topLeft), vector(topRight), vector(bottomLeft), vector(bottomRight)]
  const k2 = dot(cross(m1, m4), m3) / dot(cross(m2, m4), m3)
  const k3 = dot(cross(m1, m4), m2) / dot(cross(m3, m4), m2)
  const difference = (k: number, m: Vector): Vector => [k * m[0] - m1[0], k * m[1] - m1[1], k * m[2] - m1[2]]
  const [across, down] = [difference(k2, m2), difference(k3, m3)]
  const own = -(across[0] * down[0] + across[1] * down[1]) / (across[2] * down[2])
  // Without perspective along one of the sides, the focal length cannot be known.
  const isKnown =
    Math.abs(across[2]) > 0.02 && Math.abs(down[2]) > 0.02 && own > FOCAL.least ** 2 && own < FOCAL.most ** 2
  const focal2 = isKnown ? own : FOCAL.usual ** 2
  const length = ([x, y, z]: Vector): number => Math.sqrt((x * x + y * y) / focal2 + z * z)
  return length(across) / length(down)
}

/** The size of the straightened rectangle, px: no side loses resolution. */
export function straightSize(corners: Corners, image: Size): Size {
  const [topLeft, topRight, bottomRight, bottomLeft] = corners
  const side = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y)
  const across = Math.max(side(topLeft, topRight), side(bottomLeft, bottomRight))
  const down = Math.max(side(topLeft, bottomLeft), side(topRight, bottomRight))
  const ratio = ratioInSpace(corners, image)
  const width = Math.max(across, down * ratio)
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(width / ratio)) }
}

/**
 * The projective map of a rectangle onto corners: coefficients of `x = (a u + b v + c) / (g u + h v + 1)` and the same
 * for y with d, e and f; u and v from 0 to 1 (Heckbert, Fundamentals of Texture Mapping and Image Warping, 1989).
 */
export function projection([p0, p1, p2, p3]: Corners) {
  const [sumX, sumY] = [p0.x - p1.x + p2.x - p3.x, p0.y - p1.y + p2.y - p3.y]
  const [dx1, dx2, dy1, dy2] = [p1.x - p2.x, p3.x - p2.x, p1.y - p2.y, p3.y - p2.y]
  const determinant = dx1 * dy2 - dx2 * dy1
  const g = (sumX * dy2 - dx2 * sumY) / determinant
  const h = (dx1 * sumY - sumX * dy1) / determinant
  return {
    ...{ a: p1.x - p0.x + g * p1.x, b: p3.x - p0.x + h * p3.x, c: p0.x },
    ...{ d: p1.y - p0.y + g * p1.y, e: p3.y - p0.y + h * p3.y, f: p0.y },
    ...{ g, h },
  }
}
