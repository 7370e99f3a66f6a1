import type { ClassicalOptions } from './classical.ts'

/** 0 to 100 each. */
export interface DenoiseOptions {
  strength: number
  detailPreservation: number
  colorNoise: number
}

/** The colour noise removed at 100, as a multiple of the lightness strength at 100. */
const FULL_STRENGTH = 20
/** Side of the compared patches, px: 7 (catalogue). */
const PATCH = 3

/** Keeps edges and smooths flat areas (catalogue: diameter and deviations). */
export function quickFilters({ strength, detailPreservation, colorNoise }: DenoiseOptions): ClassicalOptions {
  const reach = Math.round((3 + (strength / 100) * 12) / 2)
  const deviation = (20 + (strength / 100) * 130) * (1 - (detailPreservation / 100) * 0.7)
  const space = Math.max(1, reach)
  // The catalogue's deviations are those of OpenCV, which sums the differences of all channels before it squares them.
  const range = (part: number): number => (deviation / 3) * part
  return {
    luma: { kind: 'bilateral', reach, range: range(1), space },
    chroma: colorNoise > 0 ? { kind: 'bilateral', reach, range: range((2 * colorNoise) / 100), space } : undefined,
  }
}

/** Averages similar areas (catalogue: strength and window). */
export function balancedFilters({ strength, detailPreservation, colorNoise }: DenoiseOptions): ClassicalOptions {
  const search = Math.floor((21 - detailPreservation / 10) / 2)
  const filter = { kind: 'non-local-means', search, patch: PATCH } as const
  return {
    luma: { ...filter, strength: 3 + (strength / 100) * (FULL_STRENGTH - 3) },
    chroma: colorNoise > 0 ? { ...filter, strength: (colorNoise / 100) * FULL_STRENGTH } : undefined,
  }
}
