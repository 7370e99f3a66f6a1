import { raiseLocalContrast } from '../_shared/colour/local-contrast.ts'
import { boxMean } from '../_shared/matting/box-filter.ts'
import { DIRECTIONS, inverted, type Plane, topHat } from './lines.ts'
import { straightPieces } from './straight.ts'

/** Lengths of the lines, as parts of the shorter side (catalogue); the first is the least that they are, px. */
const SIZES = [
  [9, 80],
  [15, 50],
  [25, 30],
] as const

/** Steepest slope of the tone curve of the contrast that is raised first (catalogue). */
const SLOPE = 3

/**
 * A place stands out when it is so many times as strong as all around it is in the mean, by parts of the threshold: in a
 * texture nothing does. At the usual threshold (130) that is between 4 and 5; less takes stripes and leaves for scratches.
 */
const STANDS_OUT = 1 / 28

/** A straight piece is at least as long as a part of the shorter side, and at most as thick; px and parts. */
const PIECE = { length: { least: 20, part: 0.09 }, thickness: { least: 7, part: 0.008 }, goesOn: 0.4 } as const

const odd = (value: number): number => Math.round(value) | 1

/** How much brighter a place is than lines of three sizes through it, in sum: so what is thin counts three times. */
function strengths(plane: Plane): Uint16Array {
  const shorter = Math.min(plane.width, plane.height)
  const sums = new Uint16Array(plane.data.length)
  for (const [least, part] of SIZES) {
    const length = odd(Math.max(least, shorter / part))
    const most = new Uint8Array(plane.data.length)
    for (const direction of DIRECTIONS) {
      const found = topHat(plane, direction, length)
      for (let at = 0; at < most.length; at += 1) if (found[at]! > most[at]!) most[at] = found[at]!
    }
    for (let at = 0; at < most.length; at += 1) sums[at]! += most[at]!
  }
  return sums
}

/** Everything within a pixel of what is set, sides and corners. */
export function dilated({ data, width, height }: Plane): Plane {
  const result = Uint8Array.from(data)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      if (data[at] !== 1) continue
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
        result.fill(1, row * width + Math.max(0, x - 1), row * width + Math.min(width - 1, x + 1) + 1)
    }
  return { data: result, width, height }
}

const opposite = (plane: Plane): Plane => ({ ...plane, data: plane.data.map((value) => 1 - value) })

/** Gaps of up to four pixels closed, and a pixel more on all sides, since a scratch ends softly. */
function rounded(mask: Plane): Plane {
  const wide = dilated(dilated(mask))
  return dilated(opposite(dilated(dilated(opposite(wide)))))
}

/** What is set of a plane and touches a seed, or something that touches one. */
function touching({ data, width, height }: Plane, seeds: Uint8Array): Uint8Array {
  const reached = Uint8Array.from(seeds)
  const open: number[] = []
  for (let at = 0; at < seeds.length; at += 1) if (seeds[at] === 1) open.push(at)
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)]
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
        const next = row * width + column
        if (data[next] !== 1 || reached[next] === 1) continue
        reached[next] = 1
        open.push(next)
      }
  }
  return reached
}

/**
 * Scratches of a photograph, bright and dark ones: what is thin and straight, and stands out from what is around it.
 * @param light luminance
 * @param threshold least strength, 0 to 255: a thin line is three times as strong as it differs from its surroundings
 * @returns 1 where a scratch is
 */
export function findScratches(light: Plane, threshold: number): Uint8Array {
  const { width, height } = light
  const raised = { ...light, data: Uint8Array.from(light.data) }
  raiseLocalContrast({ ...raised, channels: 1, pages: 1 }, SLOPE)
  const shorter = Math.min(width, height)
  const length = Math.max(PIECE.length.least, shorter * PIECE.length.part)
  const thickness = Math.max(PIECE.thickness.least, shorter * PIECE.thickness.part)
  const mask = new Uint8Array(light.data.length)
  for (const turn of [(plane: Plane) => plane, inverted]) {
    // Contrast is raised in textures, too: there it is the photograph's own numbers that tell what stands out.
    const [found, plain] = [strengths(turn(raised)), strengths(turn(light))]
    const mean = boxMean(Float32Array.from(plain), width, height, Math.round(length))
    const strong = Uint8Array.from(found, (value, at) =>
      value >= threshold && plain[at]! >= STANDS_OUT * threshold * mean[at]! ? 1 : 0,
    )
    const wide = dilated({ ...light, data: strong })
    // A scratch that bends goes on in shorter pieces.
    const shortPieces = straightPieces(wide, { length: length * PIECE.goesOn, thickness })
    const pieces = touching({ ...light, data: shortPieces }, straightPieces(wide, { length, thickness }))
    for (let at = 0; at < mask.length; at += 1) if (pieces[at] === 1) mask[at] = 1
  }
  return rounded({ ...light, data: mask }).data
}
