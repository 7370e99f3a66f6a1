import { expect, test } from 'vitest'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { exposureOf, floatToSrgb8 } from '../../../src/media/codecs/tonemap.ts'

const toLinear = (byte: number) => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4)

function grey(values: number[]): Raster {
  return { width: values.length, height: 1, channels: 1, depth: 32, data: Float32Array.from(values) }
}

test('keeps all 256 levels of a display-referred picture', () => {
  const levels = Array.from({ length: 256 }, (_, index) => index)
  const source = grey(levels.map(toLinear))
  expect(exposureOf(source)).toBe(1)
  expect(floatToSrgb8(source)).toMatchObject({ depth: 8, channels: 1, data: Uint8Array.from(levels) })
})

test('darkens a bright picture so that only the brightest 0.5 % clip', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index + 1) / 10)
  const source = grey(values)
  expect(exposureOf(source)).toBeCloseTo(1 / 99.6, 6)
  const { data } = floatToSrgb8(source)
  expect(data[995]).toBe(255)
  expect(data[900]).toBeLessThan(255)
  // A twentieth of white in linear light is 0.247 in sRGB.
  expect(data[49]).toBe(63)
})

test('one highlight does not darken the rest, and a very dark picture is brightened', () => {
  const withGlint = grey([...Array(999).fill(0.5), 1e6])
  expect(exposureOf(withGlint)).toBe(1)
  expect(floatToSrgb8(withGlint).data[999]).toBe(255)
  const dark = grey(Array(100).fill(0.001))
  expect(floatToSrgb8(dark).data[0]).toBe(255)
})

test('negative, infinite and undefined values; black stays black', () => {
  const { data } = floatToSrgb8(grey([-1, Number.NaN, Number.POSITIVE_INFINITY, 0.5, 1]))
  expect(Array.from(data)).toEqual([0, 0, 255, 188, 255])
  expect(Array.from(floatToSrgb8(grey([0, 0])).data)).toEqual([0, 0])
})

test('alpha is linear, not exposed, and not part of the brightness', () => {
  const source: Raster = {
    width: 2,
    height: 1,
    channels: 4,
    depth: 32,
    data: Float32Array.of(4, 2, 0, 0.5, 4, 4, 4, 7),
  }
  expect(exposureOf(source)).toBe(0.25)
  expect(Array.from(floatToSrgb8(source).data)).toEqual([255, 188, 0, 128, 255, 255, 255, 255])
})
