import type { Candidates } from './candidates.ts'
import type { Component } from './components.ts'

/** Features that distinguish damage from image content. Lightness is from 0 to 255, in the direction of the damage. */
export interface Evidence {
  /** Mean contrast of a component with its surroundings. */
  contrast: number
  /** Mean lightness along its ridge. */
  level: number
  /**
   * Variation of its lightness along its ridge, or of its contrast if that is smaller: dirt, and the paper under a
   * scratch, have one colour; a shallower scratch brightens the image by the same amount everywhere.
   */
  unevenness: number
  /** The share of it that is brighter than everything around it except thin structures. */
  unique: number
  /** The share of its surroundings that stands out as well. */
  crowd: number
  /** The share of it whose two sides look alike, unlike those of an edge. */
  alikeSides: number
  /** The share of it at the image border, where scans have frames. */
  atBorder: number
}

/** Minimum brightness difference to everything around it. */
const MARGIN = 12

/**
 * Distance from a component at which its sides are compared, px, and their maximum difference as a share of its
 * contrast.
 */
const SIDE = 3
const ALIKE = 0.5

/** Maximum distance from the border: a share of the shorter side. */
const BORDER = 0.015

/** Step along the ridge of a component, px: with a step of one, a thin slanted line can fall between two pixels. */
const STEP = 2

/** A tenth of the values at each end is ignored, for example where something else crosses. */
const TRIMMED = 0.1

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Standard deviation. */
export function spreadOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

/** The maximum of each step along a component's axis, sorted, without a share at both ends. */
function ridgeOf({ pixels, axis, centre }: Component, data: Uint8Array, width: number): number[] {
  const largest = new Map<number, number>()
  for (const at of pixels) {
    const along = ((at % width) - centre.x) * axis.x + (Math.floor(at / width) - centre.y) * axis.y
    const step = Math.round(along / STEP)
    largest.set(step, Math.max(largest.get(step) ?? 0, data[at]!))
  }
  const values = [...largest.values()].sort((one, other) => one - other)
  const cut = Math.floor(values.length * TRIMMED)
  return values.slice(cut, values.length - cut)
}

/** The share of a component's pixels whose surroundings are alike on both sides of it. */
function alikeSidesOf({ pixels, axis, thickness }: Component, { light, strength }: Candidates): number {
  const { data, width, height } = light
  const distance = thickness / 2 + SIDE
  const [x, y] = [Math.round(-axis.y * distance), Math.round(axis.x * distance)]
  const sideOf = (at: number, sign: 1 | -1): number => {
    const [column, row] = [(at % width) + sign * x, Math.floor(at / width) + sign * y]
    return column < 0 || row < 0 || column >= width || row >= height ? data[at]! : data[row * width + column]!
  }
  const alike = pixels.filter((at) => Math.abs(sideOf(at, 1) - sideOf(at, -1)) <= ALIKE * strength[at]!)
  return alike.length / pixels.length
}

/** @param scale contrast of the image relative to the usual, 0 to 1 */
export function evidenceOf(component: Component, candidates: Candidates, scale: number): Evidence {
  const { pixels, length, thickness } = component
  const { light, strength, brightest, crowd, aroundPixels } = candidates
  const { width, height, data } = light
  const ridge = ridgeOf(component, data, width)
  const border = BORDER * Math.min(width, height)
  const isAtBorder = (at: number): boolean => {
    const [x, y] = [at % width, Math.floor(at / width)]
    return Math.min(x, y, width - 1 - x, height - 1 - y) < border
  }
  const part = (holds: (at: number) => boolean): number => pixels.filter(holds).length / pixels.length
  // A long component is limited to the squares around its pixels.
  const own = (thickness * Math.min(length, 1.2 * Math.sqrt(aroundPixels))) / aroundPixels
  return {
    contrast: meanOf(pixels.map((at) => strength[at]!)),
    level: meanOf(ridge),
    unevenness: Math.min(spreadOf(ridge), spreadOf(ridgeOf(component, strength, width))),
    unique: part((at) => data[at]! - brightest[at]! >= MARGIN * scale),
    crowd: Math.max(0, meanOf(pixels.map((at) => crowd[at]!)) - own),
    alikeSides: alikeSidesOf(component, candidates),
    atBorder: part(isAtBorder),
  }
}
