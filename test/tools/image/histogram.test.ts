import { expect, test } from 'vitest'
import histogram from '../../../tools/image/colour/histogram.ts'
import { at, fromSamples, plain, put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Report {
  bins: Record<'r' | 'g' | 'b' | 'lum', number[]>
  stats: Record<'r' | 'g' | 'b' | 'lum', { mean: number; median: number; stdev: number }>
  mean: Record<'r' | 'g' | 'b', number>
  max: Record<'r' | 'g' | 'b', number>
}

/** Counts of the values that occur. */
const counted = (bins: number[]) => Object.fromEntries(bins.flatMap((count, value) => (count ? [[value, count]] : [])))

test('bins, statistics and the highest bin of a known picture', async () => {
  // Three pixels of (10, 20, 30) and one of (200, 100, 0).
  const data = Uint8Array.of(10, 20, 30, 10, 20, 30, 10, 20, 30, 200, 100, 0)
  const { report, names, paths } = await run(histogram, folder, [
    await put(folder, 'known.png', fromSamples({ width: 2, height: 2, channels: 3, data }).png()),
  ])
  const { bins, stats, mean, max } = report as unknown as Report
  expect(names).toEqual(['known_histogram.png'])
  expect(counted(bins.r)).toEqual({ 10: 3, 200: 1 })
  expect(counted(bins.g)).toEqual({ 20: 3, 100: 1 })
  expect(counted(bins.b)).toEqual({ 30: 3, 0: 1 })
  // 0.299 R + 0.587 G + 0.114 B: 18.15 and 118.5
  expect(counted(bins.lum)).toEqual({ 18: 3, 119: 1 })
  expect(Object.values(bins).map((counts) => counts.length)).toEqual([256, 256, 256, 256])
  // (3 * 10 + 200) / 4 = 57.5; deviation sqrt((3 * 47.5^2 + 142.5^2) / 4) = 82.27
  expect(stats.r).toEqual({ mean: 58, median: 10, stdev: 82.27 })
  expect(stats.b).toEqual({ mean: 23, median: 30, stdev: 12.99 })
  expect(mean).toEqual({ r: 58, g: 40, b: 23 })
  expect(max).toEqual({ r: 3, g: 3, b: 3 })
  expect(await readPixels(paths[0]!)).toMatchObject({ width: 512, height: 320 })
})

test('rounds a luma of exactly a half up, as in integers', async () => {
  // 0.587 * 36 + 0.114 * 12 = 22.5, slightly less in binary fractions.
  const data = Uint8Array.of(0, 36, 12)
  const { report } = await run(histogram, folder, [
    await put(folder, 'half.png', fromSamples({ width: 1, height: 1, channels: 3, data }).png()),
  ])
  expect(counted((report as unknown as Report).bins.lum)).toEqual({ 23: 1 })
})

test('drops alpha without blending', async () => {
  const data = Uint8Array.of(9, 8, 7, 0, 9, 8, 7, 128)
  const { report } = await run(histogram, folder, [
    await put(folder, 'alpha.png', fromSamples({ width: 2, height: 1, channels: 4, data }).png()),
  ])
  expect(counted((report as unknown as Report).bins.r)).toEqual({ 9: 2 })
})

test('the lines match the bins, in both scales', async () => {
  // Half of the pixels 64, a quarter 128, a quarter 192, in red only.
  const data = new Uint8Array(16 * 16 * 3)
  for (let pixel = 0; pixel < 256; pixel++) data[pixel * 3] = pixel < 128 ? 64 : pixel < 192 ? 128 : 192
  const input = await put(folder, 'lines.png', fromSamples({ width: 16, height: 16, channels: 3, data }).png())
  const topOf = async (scale: string, value: number) => {
    const chart = await readPixels((await run(histogram, folder, [input], { scale })).paths[0]!)
    const x = Math.round((value + 0.5) * 2)
    for (let y = 0; y < 320; y++) {
      const [r, g, b] = at(chart, x, y) as [number, number, number]
      if (r > 120 && g < 110 && b < 110) return y
    }
    return -1
  }
  // All 256 pixels have green and blue 0, so 256 is the highest bin; the height is 311 pixels.
  const expected = (share: number) => 319 - 311 * share
  for (const [value, count] of [
    [64, 128],
    [128, 64],
  ] as const) {
    expect(Math.abs((await topOf('linear', value)) - expected(count / 256))).toBeLessThan(6)
    expect(Math.abs((await topOf('log', value)) - expected(Math.log1p(count) / Math.log1p(256)))).toBeLessThan(6)
  }
})

test('a grey picture has three equal lines', async () => {
  const grey = await put(folder, 'grey.png', plain(4, 4, '#808080').toColourspace('b-w').png())
  const { bins } = (await run(histogram, folder, [grey])).report as unknown as Report
  for (const counts of [bins.r, bins.g, bins.b, bins.lum]) expect(counted(counts)).toEqual({ 128: 16 })
})

test('fills areas, and labels the axes', async () => {
  // Green rises with the tone, red and blue are full everywhere at one value.
  const data = new Uint8Array(256 * 256 * 3)
  for (let pixel = 0; pixel < 65536; pixel++) data[pixel * 3 + 1] = Math.floor(Math.sqrt(pixel))
  const ramp = await put(folder, 'ramp.png', fromSamples({ width: 256, height: 256, channels: 3, data }).png())
  const chart = await readPixels((await run(histogram, folder, [ramp])).paths[0]!)
  // Under the line of a bright tone it is green, above it dark.
  const [r, g, b] = at(chart, 440, 300) as [number, number, number]
  expect(g).toBeGreaterThan(Math.max(r, b) + 30)
  expect(Math.max(...at(chart, 440, 4))).toBeLessThan(60)
  // The lower axis and the left one.
  expect(Math.min(...at(chart, 100, 319))).toBeGreaterThan(80)
  expect(Math.min(...at(chart, 0, 100))).toBeGreaterThan(60)
})

test('one spike does not flatten all others', async () => {
  // Two thirds of the page are white; the rest is a noise of tones around 100.
  const data = new Uint8Array(300 * 300 * 3).fill(255)
  let state = 7
  for (let index = 0; index < 300 * 100 * 3; index++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    data[index] = 60 + ((state >> 16) % 80)
  }
  const page = await put(folder, 'page.png', fromSamples({ width: 300, height: 300, channels: 3, data }).png())
  for (const scale of ['linear', 'log']) {
    const { paths, report } = await run(histogram, folder, [page], { scale })
    expect((report as unknown as Report).max.r).toBeGreaterThanOrEqual(60_000)
    const chart = await readPixels(paths[0]!)
    // Tones of 100 reach over half of the height.
    expect(Math.max(...at(chart, 201, 140)), scale).toBeGreaterThan(70)
  }
})
