import type { Pixels } from '../../../../src/media/image/frame-state.ts'
import { LUMINANCE, linearTable } from '../../_shared/colour/srgb.ts'
import type { Point } from '../../_shared/faces/landmarks.ts'
import type { HeadPoints } from './landmarks.ts'

/** Things that hide a face from comparison with a passport. */
export interface Coverings {
  areEyesDark: boolean
  isForeheadCovered: boolean
}

/**
 * Sampled areas: discs, with radii relative to the eye distance; cheeks and forehead are below and above the eyes by
 * these shares of the distance from the eyes to the chin.
 */
const EYE = { radius: 0.25 }
const CHEEK = { below: 0.45, radius: 0.12 }
const FOREHEAD = { below: -0.45, radius: 0.15 }
/**
 * Measured on six bare faces and one with sunglasses and a cap. The bright quarter of an eye's disc (lid, brow and
 * temple) had 0.85 to 1.7 of the luminance of the cheek below it, and 0.05 behind dark glasses.
 */
const DARK_EYE = 0.4
/** Foreheads had 1.5 to 2.4 of the luminance of the cheeks, and the cap 0.24. */
const DARK_FOREHEAD = 0.6
/** Red's share of a forehead's light differed by up to 0.05 from that of the cheeks, and the cap's by 0.13. */
const OTHER_COLOUR = 0.1
/** Minimum share of a disc that must show the person: an area cut off by the image edge is not conclusive. */
const SEEN = 0.8
const SOLID = 128

const LINEAR = linearTable(255)

interface Light {
  /** Relative luminance: the median, and the minimum of the bright quarter. */
  middle: number
  bright: number
  /** Red's share of red, green and blue, linear. */
  red: number
}

/** The light of a disc on the person; undefined if too little of it is visible. */
function lightOf({ data, width, height, channels }: Pixels, centre: Point, radius: number): Light | undefined {
  const light: number[] = []
  const sums: [number, number, number] = [0, 0, 0]
  let count = 0
  for (let y = Math.ceil(centre.y - radius); y <= centre.y + radius; y += 1)
    for (let x = Math.ceil(centre.x - radius); x <= centre.x + radius; x += 1) {
      if (Math.hypot(x - centre.x, y - centre.y) > radius) continue
      count += 1
      const at = (y * width + x) * channels
      if (x < 0 || y < 0 || x >= width || y >= height || data[at + 3]! < SOLID) continue
      const rgb = [LINEAR[data[at]!]!, LINEAR[data[at + 1]!]!, LINEAR[data[at + 2]!]!] as const
      for (const channel of [0, 1, 2] as const) sums[channel] += rgb[channel]
      light.push(LUMINANCE[0] * rgb[0] + LUMINANCE[1] * rgb[1] + LUMINANCE[2] * rgb[2])
    }
  if (count === 0 || light.length < SEEN * count) return undefined
  light.sort((one, other) => one - other)
  const part = (share: number): number => light[Math.floor(share * (light.length - 1))]!
  const [red, green, blue] = sums
  const all = red + green + blue
  return { middle: part(0.5), bright: part(0.75), red: all > 0 ? red / all : 1 / 3 }
}

/**
 * Detects dark glasses and anything that covers the forehead, by the luminance and colour of the cheeks. Does not
 * detect clear glasses or a cap of skin colour; a fringe of hair counts as covering the forehead.
 * @param head in photo pixels
 * @param photo with alpha, without a background yet
 */
export function coveringsOf(head: HeadPoints, photo: Pixels): Coverings {
  const { leftEye, rightEye, eyeCenter, chin } = head
  const apart = Math.hypot(leftEye.x - rightEye.x, leftEye.y - rightEye.y)
  const below = (from: Point, part: number): Point => ({
    x: from.x + part * (chin.x - eyeCenter.x),
    y: from.y + part * (chin.y - eyeCenter.y),
  })
  const sides = [leftEye, rightEye].map((place) => ({
    eye: lightOf(photo, place, EYE.radius * apart),
    cheek: lightOf(photo, below(place, CHEEK.below), CHEEK.radius * apart),
  }))
  const cheeks = sides.flatMap(({ cheek }) => cheek ?? [])
  const forehead = lightOf(photo, below(eyeCenter, FOREHEAD.below), FOREHEAD.radius * apart)
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const isCovered =
    forehead !== undefined &&
    cheeks.length > 0 &&
    (forehead.middle < DARK_FOREHEAD * mean(cheeks.map(({ middle }) => middle)) ||
      Math.abs(forehead.red - mean(cheeks.map(({ red }) => red))) > OTHER_COLOUR)
  return {
    areEyesDark: sides.every(({ eye, cheek }) => eye && cheek && eye.bright < DARK_EYE * cheek.middle),
    isForeheadCovered: isCovered,
  }
}
