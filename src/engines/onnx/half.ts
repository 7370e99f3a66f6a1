/** Half floats (IEEE 754 binary16), which this version of JavaScript has no arrays for. */

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** Raw bits of a number, rounded to the nearest half float; too large ones become infinite. */
function halfOf(value: number): number {
  float[0] = value
  const raw = bits[0] as number
  const sign = (raw >>> 16) & 0x8000
  const exponent = ((raw >>> 23) & 0xff) - 112
  const mantissa = raw & 0x7fffff
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && mantissa ? 0x200 : 0)
  if (exponent <= 0) return sign | (exponent < -10 ? 0 : Math.round((mantissa | 0x800000) / 2 ** (1 - exponent) / 8192))
  // A carry out of the mantissa raises the exponent, which is right.
  return sign | ((exponent << 10) + Math.round(mantissa / 8192))
}

function numberOf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 31
  const mantissa = half & 1023
  if (exponent === 0) return sign * mantissa * 2 ** -24
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}

export const halvesOf = (values: Float32Array): Uint16Array => Uint16Array.from(values, halfOf)

export const floatsOf = (halves: Uint16Array): Float32Array => Float32Array.from(halves, numberOf)
