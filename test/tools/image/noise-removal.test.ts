import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { nonLocalMeans } from '../../../tools/image/_shared/denoise/non-local-means.ts'
import noiseRemoval from '../../../tools/image/restore/noise-removal.ts'
import { stubGreyDenoiser } from '../../helpers/model-stubs.ts'
import { animation, fromSamples, put, readPixels, type Samples } from '../../helpers/picture.ts'
import { randomFrom } from '../../helpers/random.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Two flat halves and a fine pattern: noise must be removed, the edge and the pattern kept. */
function scene(deviation: number, channels: 1 | 3 | 4 = 3): { clean: Samples; noisy: Samples } {
  const [width, height] = [96, 64]
  const { next } = randomFrom(7)
  // Nearly normal, with a deviation of 1.
  const random = (): number => Array.from({ length: 12 }, next).reduce((sum, value) => sum + value, -6)
  const make = (noise: number): Samples => ({
    width,
    height,
    channels,
    data: Uint8Array.from({ length: width * height * channels }, (_, at) => {
      const pixel = Math.floor(at / channels)
      const [x, y, channel] = [pixel % width, Math.floor(pixel / width), at % channels]
      if (channels === 4 && channel === 3) return 255 - y
      const base = x < 48 ? 70 : 170 - 20 * channel
      const pattern = y > 40 && x % 8 < 4 ? 30 : 0
      return Math.min(255, Math.max(0, base + pattern + noise * random()))
    }),
  })
  return { clean: make(0), noisy: make(deviation) }
}

const rms = (one: ArrayLike<number>, other: ArrayLike<number>) =>
  Math.sqrt(Array.from(one).reduce((sum, value, at) => sum + (value - other[at]!) ** 2, 0) / one.length)

describe.each(['quick', 'balanced'] as const)('%s', (tier) => {
  test('removes noise and keeps edges', async () => {
    const { clean, noisy } = scene(14)
    const input = await put(folder, 'noisy.png', fromSamples(noisy).png())
    const { paths, names } = await run(noiseRemoval, folder, [input], { tier, colorNoise: 60 })
    expect(names).toEqual(['noisy_denoised.png'])
    const result = await readPixels(paths[0]!)
    expect(rms(result.data, clean.data)).toBeLessThan(rms(noisy.data, clean.data) * 0.65)
    const edge = 20 * 96 * 3
    expect(result.data[edge + 48 * 3]! - result.data[edge + 47 * 3]!).toBeGreaterThan(70)
  })

  test('more strength removes more, more detail less', async () => {
    const { noisy } = scene(10)
    const input = await put(folder, 'noisy.png', fromSamples(noisy).png())
    const change = async (settings: object) => {
      const { paths } = await run(noiseRemoval, folder, [input], { tier, ...settings })
      return rms((await readPixels(paths[0]!)).data, noisy.data)
    }
    const usual = await change({})
    expect(await change({ strength: 90 })).toBeGreaterThan(usual)
    expect(await change({ strength: 10 })).toBeLessThan(usual)
    expect(await change({ strength: 0, colorNoise: 0 })).toBeLessThanOrEqual(tier === 'quick' ? usual : 0.01)
  })

  test('keeps colours without colour noise', async () => {
    const { noisy } = scene(10)
    const input = await put(folder, 'noisy.png', fromSamples(noisy).png())
    const { paths } = await run(noiseRemoval, folder, [input], { tier, colorNoise: 0 })
    const { data } = await readPixels(paths[0]!)
    // Red minus green is colour alone.
    const apart = (samples: ArrayLike<number>) =>
      Array.from({ length: 96 * 64 }, (_, pixel) => samples[pixel * 3]! - samples[pixel * 3 + 1]!)
    expect(rms(apart(data), apart(noisy.data))).toBeLessThan(1)
  })

  test('keeps alpha, and animations', async () => {
    const { noisy } = scene(10, 4)
    const input = await put(folder, 'alpha.png', fromSamples(noisy).png())
    const { paths } = await run(noiseRemoval, folder, [input], { tier })
    const alpha = await sharp(paths[0]!).extractChannel(3).raw().toBuffer()
    expect(alpha.every((value, pixel) => value === noisy.data[pixel * 4 + 3])).toBe(true)
    const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00', '#0000ff'])
    const still = await run(noiseRemoval, folder, [moving], { tier })
    expect(await sharp(still.paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 3 })
  })
})

test('keeps grey and 16 bit', async () => {
  const { noisy } = scene(10, 1)
  const deep = { ...noisy, data: Uint16Array.from(noisy.data, (value, at) => value * 257 - (at % 9)) }
  const grey = sharp(deep.data, { raw: { width: 96, height: 64, channels: 1 } })
  const input = await put(folder, 'deep.png', grey.pipelineColourspace('grey16').toColourspace('grey16').png())
  const { paths } = await run(noiseRemoval, folder, [input])
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ depth: 'ushort', channels: 1 })
})

test('averages similar patches as in a direct computation', () => {
  const [width, height] = [9, 7]
  const plane = Float32Array.from({ length: width * height }, (_, at) => (at * 31) % 17)
  const options = { strength: 6, search: 2, patch: 1 }
  const [fast] = nonLocalMeans({ data: [plane], width, height }, options)
  // A pixel far from the borders, by definition.
  const at = (x: number, y: number) => plane[y * width + x]!
  const [x, y] = [4, 3]
  const distance = (dx: number, dy: number) => {
    let sum = 0
    for (let row = -1; row <= 1; row += 1)
      for (let column = -1; column <= 1; column += 1)
        sum += (at(x + column, y + row) - at(x + dx + column, y + dy + row)) ** 2
    return sum / 9
  }
  let [sum, weights, largest] = [0, 0, 0]
  for (let dy = -2; dy <= 2; dy += 1)
    for (let dx = -2; dx <= 2; dx += 1) {
      if (dx === 0 && dy === 0) continue
      const weight = Math.exp(-distance(dx, dy) / options.strength ** 2)
      sum += weight * at(x + dx, y + dy)
      weights += weight
      largest = Math.max(largest, weight)
    }
  expect(fast![y * width + x]).toBeCloseTo((sum + largest * at(x, y)) / (weights + largest), 1)
})

test('a network receives tiles of a supported size, and strength blends its output', async () => {
  stubGreyDenoiser(folder)
  const black = sharp({ create: { width: 70, height: 50, channels: 3, background: '#000000' } })
  const input = await put(folder, 'black.png', black.png())
  const level = async (settings: object) => {
    const { paths } = await run(noiseRemoval, folder, [input], { tier: 'quality', colorNoise: 0, ...settings })
    return (await readPixels(paths[0]!)).data[0]!
  }
  expect(await level({ strength: 100, detailPreservation: 0 })).toBe(128)
  expect(await level({ strength: 50, detailPreservation: 0 })).toBe(64)
  expect(await level({ strength: 100, detailPreservation: 100 })).toBe(64)
  expect(await level({ tier: 'maximum', strength: 10 })).toBe(128)
})
