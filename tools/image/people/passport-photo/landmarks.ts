import type { Size } from '../../../../src/media/image/frame.ts'
import type { Point } from '../../_shared/faces/landmarks.ts'

/**
 * Places of a head. Eyes are those of the person. In analyses they are parts of the picture's size; where a function works
 * with pixels it says so.
 */
export interface HeadPoints {
  leftEye: Point
  rightEye: Point
  eyeCenter: Point
  chin: Point
  /** Upper end of the face. */
  forehead: Point
  /** Upper end of the head, with its hair. */
  crown: Point
  nose: Point
  faceCenterX: number
}

/** How much of each pixel is the person, from 0 to 255. */
export interface Coverage extends Size {
  at(x: number, y: number): number
}

/** The points of 300-W that an eye is the mean of; where the catalogue has eight of a mesh, there are six. */
const EYES = { right: [36, 42], left: [42, 48] } as const
const CHIN = 8
const NOSE_TIP = 30

/**
 * Distances from the eyes up to a point, relative to the distance from the eyes to the chin. The network has no point above the
 * brows. `forehead` is the upper end of the catalogue's mesh, in the proportions of that mesh's standard face, and `least`
 * is the crown by the catalogue's formula (0.15 of the face above it). That is below the hair: measured adult heads
 * have 0.87 to 1.08, a girl's 1.2. So the crown is measured in the cut-out, and beyond `most` it counts as a hat or hairstyle.
 * `usual` is the painters' rule that the eyes are half way down.
 */
const ABOVE = { forehead: 0.45, least: 0.667, usual: 1, most: 1.3 } as const

/** Minimum coverage of a pixel to count as head. */
const SOLID = 128
/** Columns on either side of the face's middle in which the crown is looked for, by the distance of the eyes. */
const BAND = 0.5
/** Single hairs above the crown are ignored: this share of the columns. */
const STRAY = 0.1

export interface Crown {
  point: Point
  /** Whether it was seen in the cut-out; else it is estimated from the face. */
  isMeasured: boolean
  /** Whether the picture ends before the head does. */
  isCutOff: boolean
}

const mean = (points: readonly Point[]): Point => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
})

/** The upper end of the head, in pixels: of the cut-out where it is one, else by the face's proportions. */
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
 * The places of a head, in pixels.
 * @param points those of a face in the order of 300-W
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

/** The places after both directions were changed. */
export function mapped(
  { faceCenterX, ...points }: HeadPoints,
  across: (x: number) => number,
  down: (y: number) => number,
): HeadPoints {
  const moved = Object.entries(points).map(([name, { x, y }]) => [name, { x: across(x), y: down(y) }])
  return { ...(Object.fromEntries(moved) as typeof points), faceCenterX: across(faceCenterX) }
}

const sixDecimals = (value: number): number => Math.round(value * 1e6) / 1e6

/** Pixels as parts of the picture, with six decimals. */
export const toParts = (head: HeadPoints, { width, height }: Size): HeadPoints =>
  mapped(
    head,
    (x) => sixDecimals(x / width),
    (y) => sixDecimals(y / height),
  )

/** Parts of the picture as pixels. */
export const toPixels = (head: HeadPoints, { width, height }: Size): HeadPoints =>
  mapped(
    head,
    (x) => x * width,
    (y) => y * height,
  )

/** How far the head leans to a shoulder (positive clockwise), degrees, and whether it looks to a side, by the nose. */
export function poseOf({ leftEye, rightEye, eyeCenter, nose }: HeadPoints): { lean: number; turn: number } {
  const [dx, dy] = [leftEye.x - rightEye.x, leftEye.y - rightEye.y]
  const apart = Math.hypot(dx, dy)
  // How far the nose is from the middle between the eyes, along their line, by their distance.
  const turn = ((nose.x - eyeCenter.x) * dx + (nose.y - eyeCenter.y) * dy) / apart ** 2
  return { lean: (Math.atan2(dy, dx) * 180) / Math.PI, turn }
}
