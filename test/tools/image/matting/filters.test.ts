import { expect, test } from 'vitest'
import { boxMean } from '../../../../tools/image/_shared/matting/box-filter.ts'
import { decontaminated } from '../../../../tools/image/_shared/matting/decontaminate.ts'
import { guidedFilter } from '../../../../tools/image/_shared/matting/guided-filter.ts'
import { frameOf, fromSamples, put } from '../../../helpers/picture.ts'
import { temporaryFolder } from '../../../helpers/tool.ts'

const folder = temporaryFolder()
const { signal } = new AbortController()

test.each([1, 2, 5, 30])('the mean of a neighbourhood of radius %i is that of its pixels', (radius) => {
  const [width, height] = [17, 11]
  const plane = Float32Array.from({ length: width * height }, (_, at) => ((at * 7919) % 101) / 101)
  const means = boxMean(plane, width, height, radius)
  for (const [x, y] of [
    [0, 0],
    [8, 5],
    [16, 10],
    [3, 9],
  ] as const) {
    const around: number[] = []
    for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row += 1)
      for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column += 1)
        around.push(plane[row * width + column]!)
    expect(means[y * width + x]).toBeCloseTo(around.reduce((sum, value) => sum + value, 0) / around.length, 5)
  }
})

test('a soft matte becomes as steep as the edge of its picture', () => {
  const [width, height] = [40, 20]
  const at = (compute: (x: number) => number) =>
    Float32Array.from({ length: width * height }, (_, i) => compute(i % width))
  const guide = at((x) => (x < 20 ? 0.1 : 0.9))
  const soft = at((x) => Math.min(1, Math.max(0, (x - 14) / 12)))
  const sharp = guidedFilter(soft, guide, { width, height, radius: 4, epsilon: 1e-4 })
  const rise = (matte: Float32Array) => matte[10 * width + 20]! - matte[10 * width + 19]!
  expect(rise(soft)).toBeLessThan(0.1)
  expect(rise(sharp)).toBeGreaterThan(0.3)
})

test('removes the background from semi-transparent pixels', async () => {
  const [width, height] = [60, 40]
  // A red subject on green, its edge ten pixels wide: all its pixels are mixtures.
  const data = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const alpha = Math.min(1, Math.max(0, (35 - x) / 10))
      data.set([200 * alpha, 200 * (1 - alpha), 0, 255 * alpha].map(Math.round), (y * width + x) * 4)
    }
  const given = await put(folder, 'mixed.png', fromSamples({ data, width, height, channels: 4 }).png())
  const clean = await (await decontaminated(await frameOf(given), { signal })).samples()
  for (let x = 27; x < 35; x += 1) {
    const [red, green, , alpha] = clean.data.subarray((20 * width + x) * 4)
    expect(alpha).toBe(data[(20 * width + x) * 4 + 3])
    if (alpha! < 25) continue
    expect(red!).toBeGreaterThan(170)
    expect(green!).toBeLessThan(35)
  }
})
