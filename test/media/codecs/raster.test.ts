import { describe, expect, test } from 'vitest'
import {
  dropAlpha,
  expandGrey,
  flattenOnWhite,
  reorder,
  toEightBit,
  unpremultiply,
} from '../../../src/media/codecs/convert.ts'
import { checkRasterSize, createRaster, type Raster } from '../../../src/media/codecs/raster.ts'

describe('checkRasterSize', () => {
  test('returns the number of samples, up to exactly the limit', () => {
    expect(checkRasterSize(10, 20, 3, 8, 200)).toBe(600)
    expect(checkRasterSize(10, 20, 3, 8, 0)).toBe(600)
    expect(checkRasterSize(10, 20, 3, 8, Number.POSITIVE_INFINITY)).toBe(600)
  })

  test('names the requested size and the limit', () => {
    expect(() => checkRasterSize(12000, 10000, 3, 8, 100e6)).toThrow(
      expect.objectContaining({
        code: 'LIMIT_EXCEEDED',
        message: 'The picture has 12000 × 10000 pixels (120 megapixels); the limit is 100 megapixels',
      }),
    )
  })

  test('refuses invalid sizes, and memory beyond 4 GiB even without a limit', () => {
    for (const [width, height] of [
      [0, 1],
      [1, -1],
      [1.5, 1],
      [Number.NaN, 1],
    ] as const) {
      expect(() => checkRasterSize(width, height, 3, 8, 0)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }))
    }
    expect(() => createRaster(2 ** 31, 2 ** 31, 4, 8, 0)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => checkRasterSize(32768, 32768, 4, 16, 0)).toThrow('does not fit in memory')
  })

  test('the array type follows from the depth', () => {
    expect(createRaster(2, 3, 4, 8, 0).data).toEqual(new Uint8Array(24))
    expect(createRaster(2, 3, 1, 16, 0).data).toEqual(new Uint16Array(6))
    expect(createRaster(2, 3, 3, 32, 0).data).toEqual(new Float32Array(18))
  })
})

describe('conversions', () => {
  const raster = (channels: Raster['channels'], ...values: number[]): Raster => ({
    width: values.length / channels,
    height: 1,
    channels,
    depth: 8,
    data: Uint8Array.from(values),
  })

  test('16 bits to 8 round to the nearest', () => {
    const source: Raster = {
      width: 5,
      height: 1,
      channels: 1,
      depth: 16,
      data: Uint16Array.of(0, 128, 129, 65406, 65407),
    }
    expect(toEightBit(source)).toMatchObject({ depth: 8, data: Uint8Array.of(0, 0, 1, 254, 255) })
  })

  test('grey to colour, alpha over white, alpha dropped', () => {
    expect(expandGrey(raster(2, 7, 8))).toEqual(raster(4, 7, 7, 7, 8))
    expect(flattenOnWhite(raster(2, 100, 0, 100, 255, 0, 128))).toEqual(raster(1, 255, 100, 127))
    expect(flattenOnWhite(raster(3, 1, 2, 3))).toEqual(raster(3, 1, 2, 3))
    expect(dropAlpha(raster(4, 1, 2, 3, 0))).toEqual(raster(3, 1, 2, 3))
    const deep: Raster = { width: 1, height: 1, channels: 2, depth: 16, data: Uint16Array.of(0, 32768) }
    expect(flattenOnWhite(deep).data).toEqual(Uint16Array.of(32767))
  })

  test('divides premultiplied colours, never beyond white; transparent ones stay', () => {
    const source = raster(4, 64, 0, 200, 128, 9, 9, 9, 0) as Raster & { data: Uint8Array }
    unpremultiply(source)
    expect(source.data).toEqual(Uint8Array.of(128, 0, 255, 128, 9, 9, 9, 0))
  })

  test('scan orders', () => {
    // The file contains 1 2 3 4 5 6; the picture is two wide and three high.
    const source: Raster = { width: 2, height: 3, channels: 1, depth: 8, data: Uint8Array.of(1, 2, 3, 4, 5, 6) }
    const shown = (transposed: boolean, fromRight: boolean, fromBottom: boolean) =>
      Array.from(reorder(source, { transposed, fromRight, fromBottom }).data)
    expect(shown(false, false, false)).toEqual([1, 2, 3, 4, 5, 6])
    expect(shown(false, true, false)).toEqual([2, 1, 4, 3, 6, 5])
    expect(shown(false, false, true)).toEqual([5, 6, 3, 4, 1, 2])
    expect(shown(true, false, false)).toEqual([1, 4, 2, 5, 3, 6])
    expect(shown(true, true, true)).toEqual([6, 3, 5, 2, 4, 1])
  })
})
