import { expect, test } from 'vitest'
import { searchQuality } from '../../src/media/search-quality.ts'

/** Tells what was tried; a result is as long as `size` says. */
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
    // The best there is, or one within 5 % below the budget.
    expect(quality === best || data.length >= budget * 0.95).toBe(true)
    expect(tried.length).toBeLessThanOrEqual(8)
    expect(new Set(tried).size).toBe(tried.length)
  },
)

test('it ends as soon as a result lies within 5 % below the budget', async () => {
  const { tried, encode } = encoder((quality) => quality * 100)
  expect(await searchQuality(encode, 5200)).toMatchObject({ quality: 50, met: true })
  expect(tried).toEqual([50])
})

test('where nothing fits, the smallest there was', async () => {
  const { tried, encode } = encoder((quality) => 1000 + quality)
  expect(await searchQuality(encode, 500)).toMatchObject({ quality: 1, data: { length: 1001 }, met: false })
  expect(tried.at(-1)).toBe(1)
})

test('bounds are kept and reached', async () => {
  const low = encoder(() => 1000)
  expect(await searchQuality(low.encode, 500, { lowest: 10, highest: 95 })).toMatchObject({ met: false })
  expect(low.tried.at(-1)).toBe(10)
  const high = encoder(() => 1)
  expect(await searchQuality(high.encode, 500, { lowest: 10, highest: 95 })).toMatchObject({ met: true })
  expect(high.tried.at(-1)).toBe(95)
})

test('a size that falls as the quality grows does not lose the largest that fits', async () => {
  const sizes: Record<number, number> = { 50: 90, 75: 60, 88: 70 }
  const { encode } = encoder((quality) => sizes[quality] ?? 1000)
  expect(await searchQuality(encode, 100)).toMatchObject({ quality: 50, met: true })
})

test('progress grows to at most 1', async () => {
  const seen: number[] = []
  await searchQuality(async () => ({ length: 1 }), 100, { onProgress: (fraction) => seen.push(fraction) })
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBeLessThanOrEqual(1)
})
