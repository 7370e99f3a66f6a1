import { boxMean } from '../../_shared/matting/box-filter.ts'
import { dilated, opened, type Plane } from './plane.ts'

/** Maximum thickness of damage; px and share of the shorter side. */
const THICKEST = { least: 9, part: 0.011 } as const

/** Radius of a pixel's surroundings; px and share of the shorter side. */
const AROUND = { least: 12, part: 0.035 } as const

/** A pixel stands out if it is this many times as strong as the mean around it: in a texture none does. */
const STANDS_OUT = 4

/** Smaller differences in brightness to the surroundings are ignored. */
const LEAST_STRENGTH = 14

/** Candidates for bright damage in a plane; for dark damage the plane is inverted. */
export interface Candidates {
  light: Plane
  /** How much brighter each pixel is than its surroundings without thin structures. */
  strength: Uint8Array
  /** The local maximum around each pixel, without thin structures. */
  brightest: Uint8Array
  /** 1 for candidate pixels. */
  mask: Uint8Array
  /** The share of candidates around each pixel, 0 to 1. */
  crowd: Float32Array
  /** Number of pixels in the square around a pixel. */
  aroundPixels: number
}

/** @param scale contrast of this image relative to the usual, 0 to 1 */
export function candidatesOf(light: Plane, scale: number): Candidates {
  const { data, width, height } = light
  const shorter = Math.min(width, height)
  const odd = (value: number): number => Math.round(value) | 1
  const plain = opened(light, odd(Math.max(THICKEST.least, shorter * THICKEST.part)))
  const strength = data.map((value, at) => value - plain.data[at]!)
  const reach = Math.round(Math.max(AROUND.least, shorter * AROUND.part))
  const mean = boxMean(Float32Array.from(strength), width, height, reach)
  const least = LEAST_STRENGTH * scale
  const mask = strength.map((value, at) => (value >= least && value >= STANDS_OUT * mean[at]! ? 1 : 0))
  return {
    ...{ light, strength, mask, aroundPixels: (2 * reach + 1) ** 2 },
    brightest: dilated(plain, 2 * reach + 1).data,
    crowd: boxMean(Float32Array.from(mask), width, height, reach),
  }
}
