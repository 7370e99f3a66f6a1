/**
 * The sRGB transfer curve, IEC 61966-2-1: encoded values and linear light, both from 0 to 1. The tables are accurate to
 * less than a tenth of a 16-bit step.
 */

/** Linear light of an encoded value. */
export function linearOf(encoded: number): number {
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4
}

/** Encoded value of linear light. */
export function encodedOf(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055
}

const STEPS = 65536

/** A curve from 0 to `end`, piecewise linear; values outside are clamped. */
export function tabulated(curve: (value: number) => number, end = 1): (value: number) => number {
  const table = Float64Array.from({ length: STEPS + 2 }, (_, step) => curve(Math.min(end, (step * end) / STEPS)))
  const scale = STEPS / end
  return (value) => {
    const place = value <= 0 ? 0 : value >= end ? STEPS : value * scale
    const step = place | 0
    const from = table[step]!
    return from + (table[step + 1]! - from) * (place - step)
  }
}

/** Linear light for every possible sample value; `white` is the largest: 255 or 65535. */
export function linearTable(white: number): Float64Array {
  return Float64Array.from({ length: white + 1 }, (_, value) => linearOf(value / white))
}

/** Luminance weights of red, green and blue: the second row of sRGB's matrix to CIE XYZ (ITU-R BT.709). */
export const LUMINANCE = [0.2126, 0.7152, 0.0722] as const

/** The relative luminance with which black and white contrast equally (WCAG 2.2): black contrasts more above it. */
export const EQUAL_CONTRAST = 0.179
