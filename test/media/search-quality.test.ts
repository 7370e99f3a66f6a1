import { expect, test } from 'vitest'
import { searchQuality } from '../../src/media/search-quality.ts'

/** Records the tries; `size` gives the length of a result. */
function encoder(size: (quality: number) => number) {
  const tried: number[] = []
  const encode = async (quality: number) => {
    tried.push(quality)
    return { length: size(quality), quality }
  }
  return { tried, encode }
}

test.each([1, 37, 99, 100, 3333, 10_000])(
  'the best quality within a budget of %i, in at most 8 tries',
  async (budget) => {
    const { tried, encode } = encoder((quality) => quality ** 2)
    const { data, quality, met } = await searchQuality(encode, budget)
    const best = Math.floor(Math.sqrt(budget))
    expect(met).toBe(true)
    expect(data.quality).toBe(quality)
    expect(data.length).toBeLessThanOrEqual(budget)
    // The best result, or one within 5 % below the budget, within 3 % for a few tries.
    expect(quality === best || data.length >= budget * (tried.length < 4 ? 0.97 : 0.95)).toBe(true)
    expect(tried.length).toBeLessThanOrEqual(8)
    expect(new Set(tried).size).toBe(tried.length)
  },
)

test('ends as soon as a result is within 3 % below the budget', async () => {
  const { tried, encode } = encoder((quality) => quality * 100)
  expect(await searchQuality(encode, 5100)).toMatchObject({ quality: 50, met: true })
  expect(tried).toEqual([50])
})

test('returns the smallest result if none fits', async () => {
  const { tried, encode } = encoder((quality) => 1000 + quality)
  expect(await searchQuality(encode, 500)).toMatchObject({ quality: 1, data: { length: 1001 }, met: false })
  expect(tried.at(-1)).toBe(1)
})

test('stays within the bounds and reaches them', async () => {
  const low = encoder(() => 1000)
  expect(await searchQuality(low.encode, 500, { lowest: 10, highest: 95 })).toMatchObject({ met: false })
  expect(low.tried.at(-1)).toBe(10)
  const high = encoder(() => 1)
  expect(await searchQuality(high.encode, 500, { lowest: 10, highest: 95 })).toMatchObject({ met: true })
  expect(high.tried.at(-1)).toBe(95)
})

test('finds the largest fitting result even if size decreases with quality', async () => {
  const sizes: Record<number, number> = { 50: 90, 75: 60, 88: 70 }
  const { encode } = encoder((quality) => sizes[quality] ?? 1000)
  expect(await searchQuality(encode, 100)).toMatchObject({ quality: 50, met: true })
})

test('progress increases to at most 1', async () => {
  const seen: number[] = []
  await searchQuality(async () => ({ length: 1 }), 100, { onProgress: (fraction) => seen.push(fraction) })
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBeLessThanOrEqual(1)
})

/** Bytes of a photograph of 400 x 300 by mozjpeg at every tenth quality, measured; interpolated by powers. */
const PHOTOGRAPH = [1519, 4227, 7900, 10_450, 13_300, 16_355, 18_900, 23_500, 31_500, 64_833, 168_509]

test.each([2000, 5000, 9000, 12_000, 20_000, 40_000, 100_000])(
  '%i bytes for a photograph in four encodes',
  async (budget) => {
    const { tried, encode } = encoder((quality) => {
      const at = Math.min(9, Math.floor(quality / 10))
      return Math.round(PHOTOGRAPH[at]! * (PHOTOGRAPH[at + 1]! / PHOTOGRAPH[at]!) ** ((quality - at * 10) / 10))
    })
    const { data, quality } = await searchQuality(encode, budget)
    expect(tried.length).toBeLessThanOrEqual(4)
    const isClose = data.length >= budget * (tried.length < 4 ? 0.97 : 0.95)
    expect(isClose || (await encode(quality + 1)).length > budget).toBe(true)
  },
)

test('four slow tries are enough for a fitting result: the rest may be a step of the encoder', async () => {
  // A drawing of 12 megapixels at a budget of 100: from 48 to 49 the size grows by a seventh.
  const { tried, encode } = encoder((quality) => (quality < 49 ? 84 + Math.round((quality - 44) * 1.3) : 53 + quality))
  const { data, met } = await searchQuality(encode, 100, { first: 44, enough: 4 })
  expect([met, data.length >= 88]).toEqual([true, true])
  expect(tried.length).toBeLessThanOrEqual(4)
  const never = encoder((quality) => (quality < 3 ? 90 : 1000))
  expect(await searchQuality(never.encode, 100, { first: 90, enough: 4 })).toMatchObject({ met: true })
})

test('a length instead of a quality: with the given first try and size curve', async () => {
  const { tried, encode } = encoder((side) => side ** 1.8)
  const budget = 900 ** 1.8
  const { quality: side } = await searchQuality(encode, budget, {
    ...{ lowest: 1, highest: 4000, first: 1000 },
    curve: { place: Math.log, slope: 1.8 },
  })
  expect(tried[0]).toBe(1000)
  expect(tried.length).toBeLessThanOrEqual(2)
  expect([side <= 900, side > 880]).toEqual([true, true])
})
