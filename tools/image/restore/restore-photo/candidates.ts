import { boxMean } from '../../_shared/matting/box-filter.ts'
import { dilated, opened, type Plane } from './plane.ts'

/** Damage is thinner than a part of the shorter side; px and parts. */
const THICKEST = { least: 9, part: 0.011 } as const

/** How far around a place its surroundings go; px and parts of the shorter side. */
const AROUND = { least: 12, part: 0.035 } as const

/** A pixel stands out if it exceeds the mean of its surroundings by this factor: in a texture none does. */
const STANDS_OUT = 4

/** Smaller differences from the surroundings are ignored. */
const LEAST_STRENGTH = 14

/** Candidates for bright damage of a plane; for dark damage the plane is inverted. */
export interface Candidates {
  light: Plane
  /** How much brighter each pixel is than its surroundings without what is thin. */
  strength: Uint8Array
  /** The brightest of what is not thin, around each pixel. */
  brightest: Uint8Array
  /** 1 where damage may be. */
  mask: Uint8Array
  /** The part of the pixels around each that is candidates, too, 0 to 1. */
  crowd: Float32Array
  /** Pixels of the square that counts as around a place. */
  aroundPixels: number
}

/** @param scale part of the usual contrast that this picture has, 0 to 1 */
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
