import type { Size } from '../../../../src/media/image/frame.ts'
import type { Point } from '../../_shared/faces/landmarks.ts'

/**
 * Points of a head. Left and right are from the person's point of view. In analyses they are shares of the image's
 * size; functions that use pixels say so.
 */
export interface HeadPoints {
  leftEye: Point
  rightEye: Point
  eyeCenter: Point
  chin: Point
  /** Upper end of the face. */
  forehead: Point
  /** Top of the head, including hair. */
  crown: Point
  nose: Point
  faceCenterX: number
}

/** The person's share of each pixel, 0 to 255. */
export interface Coverage extends Size {
  at(x: number, y: number): number
}

/** The points of 300-W whose mean is an eye; six, where the catalogue uses eight points of a mesh. */
const EYES = { right: [36, 42], left: [42, 48] } as const
const CHIN = 8
const NOSE_TIP = 30

/**
 * Distances from the eyes up to a point, relative to the distance from the eyes to the chin. The network has no point
 * above the brows. `forehead` is the end of the catalogue's mesh, in the proportions of that mesh's standard face, and
 * `least` is the crown by the catalogue's formula (0.15 of the face above it). That is below the hair: measured heads
 * of adults have 0.87 to 1.08, a girl's 1.2. Therefore the crown is measured in the cut-out, and anything beyond `most`
 * counts as hat or hairdo. `usual` is the drawing rule that the eyes are halfway down.
 */
const ABOVE = { forehead: 0.45, least: 0.667, usual: 1, most: 1.3 } as const

/** Minimum share of the person in a pixel that counts as head. */
const SOLID = 128
/** Columns on both sides of the face's centre that are searched for the crown, relative to the eye distance. */
const BAND = 0.5
/** Single hairs above the crown are ignored: up to this share of the columns. */
const STRAY = 0.1

export interface Crown {
  point: Point
  /** Whether it was detected in the cut-out; otherwise it is estimated from the face. */
  isMeasured: boolean
  /** Whether the image edge cuts off the head. */
  isCutOff: boolean
}

const mean = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
})

/** The top of the head, in pixels: from the cut-out if it is plausible, otherwise from the face's proportions. */
export function crownOf(
  { leftEye, rightEye, eyeCenter, chin }: Pick<HeadPoints, 'leftEye' | 'rightEye' | 'eyeCenter' | 'chin'>,
  person: Coverage,
): Crown {
  const below = chin.y - eyeCenter.y
  const height = (part: number): number => eyeCenter.y - part * below
  const reach = Math.abs(leftEye.x - rightEye.x) * BAND
  const [from, to] = [Math.max(0, eyeCenter.x - reach), Math.min(person.width - 1, eyeCenter.x + reach)]
  const tops: number[] = []
  for (let x = Math.ceil(from); x <= to; x += 1) {
    let y = Math.round(height(ABOVE.forehead))
    if (y < 0 || y >= person.height || person.at(x, y) < SOLID) continue
    while (y > 0 && person.at(x, y - 1) >= SOLID) y -= 1
    tops.push(y)
  }
  const top = tops.sort((one, other) => one - other)[Math.floor(tops.length * STRAY)]
  const isCutOff = top === 0 || height(ABOVE.forehead) < 0
  const estimated = (y: number): Crown => ({ point: { x: eyeCenter.x, y }, isMeasured: false, isCutOff })
  if (isCutOff) return estimated(Math.min(0, height(ABOVE.usual)))
  if (top === undefined || top > height(ABOVE.least)) return estimated(height(ABOVE.usual))
  if (top < height(ABOVE.most)) return estimated(height(ABOVE.most))
  return { point: { x: eyeCenter.x, y: top }, isMeasured: true, isCutOff }
}

/**
 * The points of a head, in pixels.
 * @param points of a face in the order of 300-W
 */
export function headPoints(points: readonly Point[], person: Coverage): { head: HeadPoints; crown: Crown } {
  const rightEye = mean(points.slice(...EYES.right))
  const leftEye = mean(points.slice(...EYES.left))
  const eyeCenter = mean([rightEye, leftEye])
  const chin = points[CHIN]!
  const nose = points[NOSE_TIP]!
  const face = { leftEye, rightEye, eyeCenter, chin }
  const crown = crownOf(face, person)
  const forehead = { x: eyeCenter.x, y: eyeCenter.y - ABOVE.forehead * (chin.y - eyeCenter.y) }
  return { head: { ...face, forehead, crown: crown.point, nose, faceCenterX: (nose.x + eyeCenter.x) / 2 }, crown }
}

/** Transforms the points in both directions. */
export function mapped(
  { faceCenterX, ...points }: HeadPoints,
  across: (x: number) => number,
  down: (y: number) => number,
): HeadPoints {
  const moved = Object.entries(points).map(([name, { x, y }]) => [name, { x: across(x), y: down(y) }])
  return { ...(Object.fromEntries(moved) as typeof points), faceCenterX: across(faceCenterX) }
}

const sixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6

/** Converts pixels to shares of the image, with six decimals. */
export const toParts = (head: HeadPoints, { width, height }: Size): HeadPoints =>
  mapped(
    head,
    (x) => sixDecimals(x / width),
    (y) => sixDecimals(y / height),
  )

/** Converts shares of the image to pixels. */
export const toPixels = (head: HeadPoints, { width, height }: Size): HeadPoints =>
  mapped(
    head,
    (x) => x * width,
    (y) => y * height,
  )

/** The tilt of the head towards a shoulder (positive clockwise), degrees, and its turn to a side, by the nose. */
export function poseOf({ leftEye, rightEye, eyeCenter, nose }: HeadPoints): { lean: number; turn: number } {
  const [dx, dy] = [leftEye.x - rightEye.x, leftEye.y - rightEye.y]
  const apart = Math.hypot(dx, dy)
  // The distance of the nose from the midpoint between the eyes, along their line, relative to their distance.
  const turn = ((nose.x - eyeCenter.x) * dx + (nose.y - eyeCenter.y) * dy) / apart ** 2
  return { lean: (Math.atan2(dy, dx) * 180) / Math.PI, turn }
}
