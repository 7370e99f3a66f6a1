import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import sharpening from '../../../tools/image/colour/sharpening.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  png16,
  pngWithProfile,
  put,
  quarters,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A step between two greys, 32 x 9. */
const step = (low: number, high: number, channels: 1 | 3 = 3) => ({
  width: 32,
  height: 9,
  channels,
  data: Uint8Array.from({ length: 32 * 9 * channels }, (_, index) =>
    Math.floor(index / channels) % 32 < 16 ? low : high,
  ),
})

const stepFile = (low: number, high: number) =>
  put(folder, `step${low}-${high}.png`, fromSamples(step(low, high)).png())

/** Values at 15 and 16, where the step is, and in the areas. */
async function edge(input: string, settings: Record<string, unknown>): Promise<{ dark: number; light: number }> {
  const found = await readPixels((await run(sharpening, folder, [input], settings)).paths[0]!)
  expect([at(found, 2, 4)[0], at(found, 29, 4)[0]]).toEqual([
    at(await readPixels(input), 2, 4)[0],
    at(await readPixels(input), 29, 4)[0],
  ])
  return { dark: at(found, 15, 4)[0]!, light: at(found, 16, 4)[0]! }
}

/** CIE lightness of a grey value, and the way back. */
const lightness = (value: number) => {
  const part = value / 255
  const linear = part > 0.04045 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92
  return linear > 216 / 24389 ? 116 * Math.cbrt(linear) - 16 : (linear * 24389) / 27
}
const greyOf = (light: number) => {
  const linear = light > 8 ? ((light + 16) / 116) ** 3 : (light * 27) / 24389
  return 255 * (linear > 0.0031308 ? 1.055 * linear ** (1 / 2.4) - 0.055 : 12.92 * linear)
}

describe('adaptive', () => {
  test('equals libvips with the same values', async () => {
    const input = await put(folder, 'photo.png', fromSamples(photo(80, 60)).png())
    for (const settings of [
      { sigma: 1, m1: 1, m2: 3, x1: 2, y2: 12, y3: 20 },
      { sigma: 4, m1: 0, m2: 20, x1: 0, y2: 50, y3: 50 },
      { sigma: 0.5, m1: 10, m2: 0, x1: 10, y2: 0, y3: 0 },
    ]) {
      const found = await readPixels((await run(sharpening, folder, [input], settings)).paths[0]!)
      const wanted = await readPixels(await sharp(input).sharpen(settings).png().toBuffer())
      expect(difference(found, wanted).most).toBe(0)
    }
    // The defaults are the first row.
    const defaults = await readPixels((await run(sharpening, folder, [input])).paths[0]!)
    const wanted = await sharp(input).sharpen({ sigma: 1, m1: 1, m2: 3, x1: 2, y2: 12, y3: 20 }).png().toBuffer()
    expect(difference(defaults, await readPixels(wanted)).most).toBe(0)
  })

  test('limits brightening and darkening, in steps of lightness', async () => {
    const input = await stepFile(60, 200)
    const { dark, light } = await edge(input, { m2: 20, y2: 5, y3: 8 })
    expect(Math.abs(light - greyOf(lightness(200) + 5))).toBeLessThan(1)
    expect(Math.abs(dark - greyOf(lightness(60) - 8))).toBeLessThan(1)
  })
})

describe('unsharp-mask', () => {
  /** What a Gaussian of sigma 1 changes of lightness right at a step, and the mask's formula. */
  test.each([50, 100, 300])("adds %i percent of the blur's difference", async (amount) => {
    const input = await stepFile(100, 120)
    const { dark, light } = await edge(input, { method: 'unsharp-mask', amount, m1: 10, y2: 0, y3: 0 })
    // Half-step kernel of the Gaussian cut off below a tenth: weights exp(-k^2 / 2), k from -2 to 2.
    const weights = [-2, -1, 0, 1, 2].map((place) => Math.exp(-(place ** 2) / 2))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const other = (weights[3]! + weights[4]!) / total
    const apart = lightness(120) - lightness(100)
    expect(Math.abs(light - greyOf(lightness(120) + (amount / 100) * other * apart))).toBeLessThan(1.5)
    expect(Math.abs(dark - greyOf(lightness(100) - (amount / 100) * other * apart))).toBeLessThan(1.5)
  })

  test('amount 0 changes nothing, 1000 is not capped', async () => {
    const input = await stepFile(100, 120)
    expect(await edge(input, { method: 'unsharp-mask', amount: 0 })).toEqual({ dark: 100, light: 120 })
    const { dark, light } = await edge(input, { method: 'unsharp-mask', amount: 1000 })
    expect([dark < 60, light > 170]).toEqual([true, true])
  })

  test('the threshold ignores small differences', async () => {
    const small = await stepFile(100, 104)
    const large = await stepFile(60, 200)
    const settings = { method: 'unsharp-mask', amount: 200, threshold: 40 }
    expect(await edge(small, settings)).toEqual({ dark: 100, light: 104 })
    expect((await edge(small, { ...settings, threshold: 0 })).light).toBeGreaterThan(104)
    expect((await edge(large, settings)).light).toBeGreaterThan(215)
  })

  test('a larger radius reaches farther', async () => {
    const input = await stepFile(100, 120)
    const far = async (radius: number) =>
      at(
        await readPixels((await run(sharpening, folder, [input], { method: 'unsharp-mask', radius })).paths[0]!),
        20,
        4,
      )[0]!
    expect([await far(0.1), await far(1), (await far(5)) > 121]).toEqual([120, 120, true])
  })
})

describe('high-pass', () => {
  test.each([0, 25, 50, 100])('3 x 3 at strength %i', async (strength) => {
    const s = strength / 100
    // Centre 1 + 4s, four neighbours -s: only the neighbour across the step differs.
    const { dark, light } = await edge(await stepFile(100, 120), { method: 'high-pass', strength })
    expect([dark, light]).toEqual([100 - s * 20, 120 + s * 20])
  })

  test('5 x 5 sharpens too, and keeps areas', async () => {
    const { dark, light } = await edge(await stepFile(100, 120), { method: 'high-pass', strength: 50, kernelSize: 5 })
    // 4 s x (5 of 16 parts of the binomial lie across the step) x 20 = 12.5
    expect([dark, light].map((value, index) => Math.abs(value - [87.5, 132.5][index]!) <= 1)).toEqual([true, true])
    expect(await edge(await stepFile(100, 120), { method: 'high-pass', strength: 0, kernelSize: 5 })).toEqual({
      dark: 100,
      light: 120,
    })
  })
})

test.each([
  ['light', 3],
  ['medium', 5],
  ['strong', 7],
])('denoise %s first removes specks of its size', async (denoise, size) => {
  const speck = (side: number) => {
    const samples = step(100, 100)
    for (let y = 0; y < side; y++)
      for (let x = 0; x < side; x++) samples.data.fill(250, ((y + 1) * 32 + 10 + x) * 3, ((y + 1) * 32 + 11 + x) * 3)
    return put(folder, `speck${side}.png`, fromSamples(samples).png())
  }
  const settings = { method: 'high-pass', denoise }
  // A square of less than half of the filter's pixels vanishes.
  const gone = Math.floor(Math.sqrt((size * size) / 2))
  const clean = await readPixels((await run(sharpening, folder, [await speck(gone)], settings)).paths[0]!)
  expect(new Set(clean.data)).toEqual(new Set([100]))
  const kept = await readPixels((await run(sharpening, folder, [await speck(size)], settings)).paths[0]!)
  expect(Math.max(...kept.data)).toBeGreaterThan(240)
})

describe.each(['adaptive', 'unsharp-mask', 'high-pass'])('%s', (method) => {
  test('keeps alpha, and invisible pixels draw no halo', async () => {
    const data = new Uint8Array(24 * 9 * 4)
    for (let pixel = 0; pixel < 24 * 9; pixel++) {
      const column = pixel % 24
      // Invisible black, then one red, semi-transparent, then opaque.
      data.set(column < 8 ? [0, 0, 0, 0] : [200, 60, 40, column < 12 ? 120 : 255], pixel * 4)
    }
    const input = await put(folder, 'alpha.png', fromSamples({ width: 24, height: 9, channels: 4, data }).png())
    const { paths } = await run(sharpening, folder, [input], { method, strength: 100, amount: 300, denoise: 'light' })
    const found = await readRgba(paths[0]!)
    for (let x = 0; x < 24; x++) {
      const pixel = [...found.data.subarray((4 * 24 + x) * 4, (4 * 24 + x) * 4 + 4)]
      const wanted = [...data.subarray((4 * 24 + x) * 4, (4 * 24 + x) * 4 + 4)]
      pixel.forEach((value, channel) => {
        // A step of rounding in the filled part, increased by the sharpening; a halo would be tens.
        expect(Math.abs(value - wanted[channel]!), `${x}: ${pixel}`).toBeLessThanOrEqual(4)
      })
      expect(pixel[3]).toBe(wanted[3])
    }
  })

  test('keeps the depth of 16 bit', async () => {
    const data = Uint16Array.from({ length: 200 * 4 * 3 }, (_, index) => 20000 + (Math.floor(index / 3) % 200) * 37)
    const input = await put(folder, 'deep.png', await png16({ width: 200, height: 4, channels: 3, data }))
    const found = await read16((await run(sharpening, folder, [input], { method })).paths[0]!)
    expect(new Set(found.data.filter((_, index) => index % found.channels === 0)).size).toBeGreaterThan(190)
    expect(Math.abs(found.data[100 * found.channels]! - data[300]!)).toBeLessThan(20)
  })

  test('keeps grey and a profile', async () => {
    const grey = await put(
      folder,
      'grey.png',
      fromSamples(step(60, 180, 1))
        .toColourspace('b-w')
        .png(),
    )
    const crisp = (await run(sharpening, folder, [grey], { method })).paths[0]!
    const found = await readPixels(crisp)
    expect((await sharp(crisp).metadata()).channels).toBe(1)
    expect([at(found, 16, 4)[0]! > 185, at(found, 2, 4)[0]]).toEqual([true, 60])
    const own = await put(folder, 'own.png', pngWithProfile(await quarters(32, 32), swappedProfile()))
    const { paths } = await run(sharpening, folder, [own], { method })
    expect((await sharp(paths[0]!).metadata()).icc).toBeDefined()
    expect(at(await readPixels(paths[0]!), 4, 4)).toEqual([255, 0, 0])
  })
})

test('does not mix frames of an animation', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#404040', '#c0c0c0'], { delay: [60, 90], loop: 2 })
  const { paths, names } = await run(sharpening, folder, [input], { sigma: 5, m2: 10, denoise: 'light' })
  expect(names).toEqual(['moving_sharpening.webp'])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  for (const [page, value] of [
    [0, 0x40],
    [1, 0xc0],
  ] as const)
    for (const y of [0, 12, 23])
      expect(Math.abs(at(await readRgba(paths[0]!, page), 20, y)[0]! - value)).toBeLessThan(4)
})

test('converts CMYK to RGB, with the displayed colours', async () => {
  const input = join(folder, 'cmyk.jpg')
  await sharp(await quarters(64, 64))
    .toColourspace('cmyk')
    .jpeg({ quality: 100 })
    .toFile(input)
  const before = await readRgba(input)
  const found = await readRgba((await run(sharpening, folder, [input])).paths[0]!)
  for (const [x, y] of [
    [10, 10],
    [50, 10],
    [10, 50],
    [50, 50],
  ] as const)
    at(found, x, y).forEach((value, channel) => {
      expect(Math.abs(value - at(before, x, y)[channel]!)).toBeLessThan(8)
    })
})

test.each([
  [1, 1],
  [2, 2],
  [1, 6],
  [4, 3],
])('a picture of %i x %i, smaller than every window', async (width, height) => {
  const data = new Uint8Array(width * height * 3).fill(90)
  const input = await put(folder, 'tiny.png', fromSamples({ width, height, channels: 3, data }).png())
  for (const method of ['adaptive', 'unsharp-mask', 'high-pass']) {
    const settings = { method, denoise: 'strong', sigma: 10, radius: 5, kernelSize: 5 }
    const found = await readPixels((await run(sharpening, folder, [input], settings)).paths[0]!)
    expect([found.width, found.height, ...new Set(found.data)]).toEqual([width, height, 90])
  }
})
