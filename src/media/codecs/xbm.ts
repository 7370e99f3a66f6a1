import { damaged } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/**
 * Decodes an X bitmap, C source with one bit per pixel (X11: bytes; X10: words of 16 bits). Set bits are black, as in
 * viewers.
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged or truncated, LIMIT_EXCEEDED
 */
export function decodeXbm(bytes: Uint8Array, maxPixels: number): Raster {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const size = (name: string): number => Number(new RegExp(`#define\\s+\\w*${name}\\s+(\\d{1,9})\\b`).exec(source)?.[1])
  const [width, height] = [size('width'), size('height')]
  checkRasterSize(width, height, 1, 8, maxPixels)
  const body = /(short|char)\s+\w*\s*\[\s*\d*\s*\]\s*=\s*\{/.exec(source)
  if (!body) throw damaged('The X bitmap holds no list of bits')
  const bits = body[1] === 'short' ? 16 : 8
  const across = Math.ceil(width / bits)
  const numbers = /0[xX][\da-fA-F]+|\d+/g
  numbers.lastIndex = body.index + body[0].length
  const raster = createRaster(width, height, 1, 8, maxPixels)
  for (let index = 0; index < across * height; index += 1) {
    const found = numbers.exec(source)
    if (!found) throw damaged(`The X bitmap is cut off: it has ${index} of ${across * height} numbers`)
    const value = Number(found[0])
    const [x, y] = [(index % across) * bits, Math.floor(index / across)]
    for (let bit = 0; bit < bits && x + bit < width; bit += 1)
      raster.data[y * width + x + bit] = (value >> bit) & 1 ? 0 : 255
  }
  return raster
}
