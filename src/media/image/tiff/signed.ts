import { firstOf } from '../../../lists.ts'
import type { PlaneSamples } from './planes.ts'

/** Bit patterns of integers. */
type Patterns = Uint8Array | Uint16Array | Uint32Array

/** The sign bit, which is also the offset from the lowest signed number to 0. */
const signOf = (samples: Patterns): number => 2 ** (samples.BYTES_PER_ELEMENT * 8 - 1)

/** The sum of the differences between neighbouring samples in a row: low for smooth images. */
function roughness(samples: Patterns, width: number, offset: number): number {
  const range = signOf(samples) * 2
  let sum = 0
  for (let at = 1; at < samples.length; at += 1) {
    if (at % width === 0) continue
    sum += Math.abs(((samples[at]! + offset) % range) - ((samples[at - 1]! + offset) % range))
  }
  return sum
}

/**
 * Converts signed samples to unsigned ones from black to white. TIFF 6.0 declares them as signed, but does not define
 * which value is black; the samples decide:
 * - no value is negative: 0 is black and the highest possible value is white
 * - the bit patterns are smoother when read as unsigned: they are unsigned and wrongly declared (files of GDAL and
 *   image-tiff); otherwise the dark and the bright half of the tones would be swapped
 * - otherwise the lowest possible value is black
 * Alpha is not among the planes and must not influence the decision.
 * @param width pixels per row
 */
export function fromSigned(planes: readonly PlaneSamples[], width: number): Patterns[] {
  const patterns = planes as readonly Patterns[]
  const sign = signOf(firstOf(patterns))
  if (patterns.every((plane) => plane.every((value) => value < sign)))
    // The lowest bit repeats the highest, so that the maximum value becomes white.
    return patterns.map((plane) => plane.map((value) => value * 2 + (value >= sign / 2 ? 1 : 0)))
  const total = (offset: number): number => patterns.reduce((sum, plane) => sum + roughness(plane, width, offset), 0)
  if (total(0) < total(sign)) return [...patterns]
  return patterns.map((plane) => plane.map((value) => (value + sign) % (sign * 2)))
}
