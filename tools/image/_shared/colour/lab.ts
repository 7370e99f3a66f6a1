import { tabulated } from './srgb.ts'

/** sRGB primaries and D65 white: linear RGB to CIE XYZ, IEC 61966-2-1, each row divided by its white. */
const XYZ = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
] as const

/** The inverse, for values divided by their white. */
const RGB = [
  [3.2404542 * 0.95047, -1.5371385, -0.4985314 * 1.08883],
  [-0.969266 * 0.95047, 1.8760108, 0.041556 * 1.08883],
  [0.0556434 * 0.95047, -0.2040259, 1.0572252 * 1.08883],
] as const

/** CIE 15:2004, 8.2.1: the cube root function of L*, a* and b*, linear near black. */
const rootOf = (value: number): number =>
  value > 216 / 24389 ? Math.cbrt(value) : (24389 / 27 / 116) * value + 16 / 116

const cubeOf = (root: number): number => (root > 6 / 29 ? root * root * root : ((root - 16 / 116) * (116 * 27)) / 24389)

/** The curve extends beyond white for bright colours that a gain has raised above it. */
const BRIGHTEST = 4

/**
 * Multiplies the chroma of a colour and rotates its hue in CIE L*a*b*; keeps lightness.
 * @param chroma factor, 0 gives grey
 * @param hue degrees, counter-clockwise from red to yellow
 * @returns a function that changes three linear-light values in place; results may be outside 0 to 1
 */
export function chromaAndHue(chroma: number, hue: number): (linear: Float64Array) => void {
  const root = tabulated(rootOf, BRIGHTEST)
  const turn = (hue * Math.PI) / 180
  const across = chroma * Math.cos(turn)
  const along = chroma * Math.sin(turn)
  const [[xr, xg, xb], [yr, yg, yb], [zr, zg, zb]] = XYZ
  const [[rx, ry, rz], [gx, gy, gz], [bx, by, bz]] = RGB
  return (linear) => {
    const red = linear[0]!
    const green = linear[1]!
    const blue = linear[2]!
    const y = root(yr * red + yg * green + yb * blue)
    const a = 500 * (root(xr * red + xg * green + xb * blue) - y)
    const b = 200 * (y - root(zr * red + zg * green + zb * blue))
    const x = cubeOf(y + (across * a - along * b) / 500)
    const z = cubeOf(y - (along * a + across * b) / 200)
    const middle = cubeOf(y)
    linear[0] = rx * x + ry * middle + rz * z
    linear[1] = gx * x + gy * middle + gz * z
    linear[2] = bx * x + by * middle + bz * z
  }
}

/** CIE L*a*b* (D65) of linear light, each 0 to 1: L* from 0 to 100. */
export function labOf(red: number, green: number, blue: number): { lightness: number; a: number; b: number } {
  const [x, y, z] = XYZ.map(([fromRed, fromGreen, fromBlue]) =>
    rootOf(fromRed * red + fromGreen * green + fromBlue * blue),
  )
  return { lightness: 116 * y! - 16, a: 500 * (x! - y!), b: 200 * (y! - z!) }
}

/** The luminance, 0 to 1, of a lightness L* from 0 to 100: a neutral grey has this value in all three channels. */
export function luminanceOf(lightness: number): number {
  return cubeOf((lightness + 16) / 116)
}

/** Linear light of CIE L*a*b* (D65): red, green and blue; outside 0 to 1 if the colour is out of the sRGB gamut. */
export function linearOfLab(lightness: number, a: number, b: number): [red: number, green: number, blue: number] {
  const root = (lightness + 16) / 116
  const [x, y, z] = [cubeOf(root + a / 500), cubeOf(root), cubeOf(root - b / 200)]
  return RGB.map(([fromX, fromY, fromZ]) => fromX * x + fromY * y + fromZ * z) as [number, number, number]
}
