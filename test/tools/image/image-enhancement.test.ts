import { join } from 'node:path'
import sharp, { type Stats } from 'sharp'
import { describe, expect, test } from 'vitest'
import { noiseOf } from '../../../tools/image/colour/image-enhancement/noise.ts'
import { planOf } from '../../../tools/image/colour/image-enhancement/plan.ts'
import imageEnhancement from '../../../tools/image/colour/image-enhancement.ts'
import { stubGreyDenoiser } from '../../helpers/model-stubs.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  pngWithProfile,
  put,
  ramp16,
  read16,
  readPixels,
  readRgba,
  type Samples,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Answer {
  scores: Record<string, number>
  corrections: Record<string, number>
  issues: string[]
  suggestedMode: string
}

const analyze = async (input: string) =>
  (await run(imageEnhancement, folder, [input], {}, { action: 'analyze' })).report as unknown as Answer

/** A chessboard of two colours: mean and deviation are known. 64 x 64. */
function board(low: number[], high: number[]): Samples & { data: Uint8Array } {
  const data = new Uint8Array(64 * 64 * low.length)
  for (let pixel = 0; pixel < 64 * 64; pixel++)
    data.set(((pixel >> 3) + (pixel >> 9)) % 2 ? high : low, pixel * low.length)
  return { width: 64, height: 64, channels: low.length, data }
}

const boardFile = (name: string, low: number[], high: number[]) =>
  put(folder, name, fromSamples(board(low, high)).png())
const grey = (value: number) => [value, value, value]

describe('analyze', () => {
  test('scores, corrections and issues by the documented formulas', async () => {
    // Mean 60, deviation 20: entropy of two equally frequent values is 1 bit.
    const { scores, corrections, issues, suggestedMode } = await analyze(
      await boardFile('dark.png', grey(40), grey(80)),
    )
    expect(scores).toEqual({
      exposure: Math.round((60 / 255) * 100),
      contrast: Math.round(20 / 1.2),
      whiteBalance: 50,
      saturation: 20,
      sharpness: 26,
      noise: 100,
    })
    expect(corrections).toEqual({
      brightness: (50 - 24) * 0.8,
      contrast: (50 - 17) * 0.6,
      temperature: 0,
      saturation: 18,
      sharpness: 24,
      denoise: 0,
    })
    expect(issues).toEqual(['underexposed', 'low-contrast', 'desaturated', 'soft-focus'])
    expect(suggestedMode).toBe('low-light')
  })

  test('bright, with strong contrast: a document', async () => {
    const { scores, corrections, issues, suggestedMode } = await analyze(
      await boardFile('page.png', grey(105), grey(255)),
    )
    // Mean 180, deviation 75.
    expect(scores).toMatchObject({ exposure: 71, contrast: 63, sharpness: 70, saturation: 20 })
    expect(corrections).toMatchObject({ brightness: -16.8, contrast: -7.8, sharpness: 0 })
    expect(issues).toEqual(['overexposed', 'desaturated'])
    expect(suggestedMode).toBe('document')
  })

  test('a colour cast: warms bluish, cools reddish', async () => {
    // Means 100, 100, 140: a spread of 40.
    const blue = await analyze(await boardFile('blue.png', [60, 60, 100], [140, 140, 180]))
    expect(blue.scores).toMatchObject({ whiteBalance: 18, saturation: 68 })
    expect(blue.corrections).toMatchObject({ temperature: 16, saturation: -7.2 })
    expect(blue.issues).toContain('color-cast')
    const red = await analyze(await boardFile('red.png', [100, 60, 60], [180, 140, 140]))
    expect(red.corrections).toMatchObject({ temperature: -16 })
  })

  test('a grey picture has no colour score', async () => {
    const input = await put(
      folder,
      'grey.png',
      fromSamples(board([100], [156]))
        .toColourspace('b-w')
        .png(),
    )
    const { scores, corrections } = await analyze(input)
    expect(scores).toMatchObject({ whiteBalance: 50, saturation: 50, exposure: 50 })
    expect(corrections).toMatchObject({ temperature: 0, saturation: 0 })
  })

  test('even noise over all values: 8 bits of entropy', async () => {
    const data = Uint8Array.from({ length: 256 * 16 * 3 }, (_, index) => Math.floor(index / 3) % 256)
    const input = await put(folder, 'noise.png', fromSamples({ width: 256, height: 16, channels: 3, data }).png())
    // 100 - (8 - 5) x 20 = 40; deviation of 0 to 255 is 73.9.
    expect((await analyze(input)).scores).toMatchObject({ noise: 40, contrast: 62, exposure: 50 })
  })

  test('ignores transparent pixels', async () => {
    const { data } = board([...grey(120), 255], [...grey(0), 0])
    const input = await put(folder, 'clear.png', fromSamples({ width: 64, height: 64, channels: 4, data }).png())
    expect((await analyze(input)).scores).toMatchObject({ exposure: 47, contrast: 0 })
  })

  test('a file that is not a picture', async () => {
    const input = await put(folder, 'broken.png', Buffer.from('\x89PNG\r\n\x1a\nnothing more', 'latin1'))
    await expect(analyze(input)).rejects.toMatchObject({ code: 'INVALID_FILE', status: 400 })
  })
})

const enhanced = async (input: string, settings: Record<string, unknown> = {}) =>
  readPixels((await run(imageEnhancement, folder, [input], settings)).paths[0]!)

test('a picture without issues is unchanged; keeps name and format', async () => {
  // Every score is between 40 and 60.
  const samples = board([80, 60, 40], [200, 180, 160])
  const input = await put(folder, 'well.png', fromSamples(samples).png())
  expect((await analyze(input)).corrections).toMatchObject({ brightness: 0, contrast: 0, sharpness: 0, denoise: 0 })
  const { paths, names } = await run(imageEnhancement, folder, [input], { mode: 'contrast' })
  expect(names).toEqual(['well_image-enhancement.png'])
  expect(difference(await readPixels(paths[0]!), samples).most).toBe(0)
})

test('strength 0 changes nothing', async () => {
  const samples = photo(80, 60)
  const input = await put(folder, 'none.png', fromSamples(samples).png())
  expect(difference(await enhanced(input, { strength: 0 }), samples).most).toBe(0)
})

describe('single corrections', () => {
  test('exposure is a gamma of 1 + 2 v/100', async () => {
    const input = await boardFile('gamma.png', grey(40), grey(80))
    for (const [strength, scaled] of [
      [50, 20.8],
      [100, 41.6],
    ] as const) {
      const found = await enhanced(input, { mode: 'exposure', strength })
      for (const [x, value] of [
        [0, 40],
        [8, 80],
      ] as const)
        expect(Math.abs(at(found, x, 0)[0]! - 255 * (value / 255) ** (1 / (1 + (2 * scaled) / 100)))).toBeLessThan(1)
    }
  })

  test('color warms a bluish picture', async () => {
    const input = await boardFile('cold.png', [60, 60, 100], [140, 140, 180])
    const toggled = { saturation: false }
    const found = await enhanced(input, { mode: 'color', corrections: toggled })
    const [r, g, b] = [140, 140, 180]
    // Temperature 16.
    const wanted = [r * (1 + 0.15 * 0.16), g * (1 + 0.05 * 0.16), b * (1 - 0.15 * 0.16)]
    at(found, 8, 0).forEach((value, channel) => {
      expect(Math.abs(value - wanted[channel]!)).toBeLessThan(0.6)
    })
    const calmer = at(await enhanced(input, { mode: 'color', corrections: { whiteBalance: false } }), 8, 0)
    const chroma = (colour: number[]) => Math.max(...colour) - Math.min(...colour)
    // Saturation -7.2 percent of a spread of 40.
    expect(Math.abs(chroma(calmer) - 40 * 0.928)).toBeLessThan(1.5)
  })

  test('contrast stretches the tones of a flat picture, equally in all channels', async () => {
    const given = photo(160, 120)
    const flat = { ...given, data: given.data.map((value) => 110 + value / 6) }
    const input = await put(folder, 'flat.png', fromSamples(flat).png())
    const found = await enhanced(input, { mode: 'contrast' })
    const before = await sharp(input).stats()
    const after = await sharp(await put(folder, 'wide.png', fromSamples(found).png())).stats()
    expect(after.channels[0]!.stdev).toBeGreaterThan(before.channels[0]!.stdev * 2)
    const rangeOf = ({ channels: [red] }: Stats) => red!.max - red!.min
    expect(rangeOf(after)).toBeGreaterThan(rangeOf(before) * 3)
  })

  test('sharpness lifts edges', async () => {
    const input = await boardFile('soft.png', grey(110), grey(140))
    const found = await enhanced(input, { mode: 'sharpness' })
    expect(Math.max(...found.data)).toBeGreaterThan(143)
    expect(Math.min(...found.data)).toBeLessThan(107)
  })
})

test('each toggle disables its correction', async () => {
  const input = await boardFile('toggles.png', grey(40), grey(80))
  const off = { exposure: false, contrast: false, whiteBalance: false, saturation: false, sharpness: false }
  const untouched = board(grey(40), grey(80))
  expect(difference(await enhanced(input, { corrections: off }), untouched).most).toBe(0)
  for (const name of ['exposure', 'contrast', 'sharpness'])
    expect(
      difference(await enhanced(input, { corrections: { ...off, [name]: true } }), untouched).most,
    ).toBeGreaterThan(2)
})

test('a scene weights corrections: low light brightens more, a document keeps its colours', async () => {
  const input = await boardFile('scene.png', grey(40), grey(80))
  const corrections = { contrast: false, sharpness: false }
  const light = async (mode: string) => at(await enhanced(input, { mode, corrections }), 8, 0)[0]!
  const gamma = (weight: number) => 255 * (80 / 255) ** (1 / (1 + (2 * 20.8 * weight) / 100))
  for (const [mode, weight] of [
    ['auto', 1],
    ['portrait', 0.8],
    ['low-light', 1.8],
    ['document', 1.5],
  ] as const)
    expect(Math.abs((await light(mode)) - gamma(weight))).toBeLessThan(1)
})

test('a median filter after the noise correction, by the scene', () => {
  const scores = { exposure: 50, contrast: 50, whiteBalance: 50, saturation: 50, sharpness: 50, noise: 30 }
  const none = { brightness: 0, contrast: 0, temperature: 0, saturation: 0, sharpness: 0 }
  const all = { exposure: true, contrast: true, whiteBalance: true, saturation: true, sharpness: true, denoise: true }
  const median = (denoise: number, mode: 'auto' | 'low-light' | 'landscape' | 'sharpness', strength = 50) =>
    planOf({ scores, corrections: { ...none, denoise }, issues: [], suggestedMode: 'auto' }, mode, strength, all).median
  expect([median(3, 'auto'), median(5, 'auto'), median(3, 'low-light'), median(5, 'landscape')]).toEqual([3, 5, 5, 3])
  // 1.5 and 1.2 are too little; the mode sharpness is that alone.
  expect([median(3, 'landscape'), median(3, 'auto', 20), median(5, 'sharpness')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('the alias intensity, and a missing model', async () => {
  const input = await boardFile('alias.png', grey(40), grey(80))
  const { paths, warnings } = await run(imageEnhancement, folder, [input], { intensity: 0, deepEnhance: true })
  expect(difference(await readPixels(paths[0]!), board(grey(40), grey(80))).most).toBe(0)
  expect(warnings).toEqual(['deepEnhance is skipped: the bundle upscale-enhance is not installed'])
  expect(imageEnhancement.bundles).toEqual([])
})

test('keeps depth and levels of 16 bit', async () => {
  const ramp = ramp16(800, 64, 3)
  const data = ramp.data.map((value) => 20000 + value / 6)
  const input = await put(folder, 'deep.png', await png16({ ...ramp, data }))
  const found = await read16(
    (await run(imageEnhancement, folder, [input], { corrections: { sharpness: false } })).paths[0]!,
  )
  const line = new Set(found.data.subarray(0, 800 * found.channels))
  // The level stretch clips a few percent at both ends.
  expect(line.size).toBeGreaterThan(700)
})

test('omits local contrast above 16 megapixels', async () => {
  const tones = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#6e6e6e' } }).composite([
      { input: { create: { width: width / 2, height, channels: 3, background: '#8c8c8c' } }, left: 0, top: 0 },
    ])
  const large = await put(folder, 'large.png', tones(4096, 4096).removeAlpha().png({ compressionLevel: 1 }))
  const found = await enhanced(large, { mode: 'contrast' })
  // Only the stretch: two plain halves stay plain, spread around their middle by the steepest slope of 4.
  expect(new Set(found.data).size).toBe(2)
  const range = Math.max(...new Set(found.data)) - Math.min(...new Set(found.data))
  expect(Math.abs(range - 4 * (0x8c - 0x6e))).toBeLessThanOrEqual(1)
})

describe('gentle by default', () => {
  /** A hazy street: areas with hard edges, all in the middle tones, with noise. */
  const hazy = () => {
    const given = photo(400, 300)
    const data = given.data.map((value, index) => {
      const x = Math.floor(index / 3) % 400
      return 70 + value / 4 + (x % 100 < 50 ? 25 : 0)
    })
    return { ...given, data }
  }

  test('raises noise hardly more than tones, and clips little', async () => {
    const samples = hazy()
    const found = await enhanced(await put(folder, 'hazy.png', fromSamples(samples).png()))
    const deviation = ({ data }: Samples) => {
      const values = Array.from(data)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
    }
    const noise = (picture: Samples) =>
      noiseOf({ ...picture, data: Buffer.from(picture.data), channels: 3, pageHeight: picture.height })
    const spread = deviation(found) / deviation(samples)
    expect(spread).toBeGreaterThan(1.2)
    expect(noise(found) / noise(samples)).toBeLessThan(1.5 * spread)
    const cut = found.data.filter((value) => value === 0 || value === 255).length
    expect(cut / found.data.length).toBeLessThan(0.04)
  })

  test('no halo: at most 8 of 100 in lightness next to an edge', async () => {
    const input = await boardFile('edge.png', grey(90), grey(150))
    const found = await enhanced(input, { mode: 'sharpness', strength: 100 })
    expect(Math.max(...found.data)).toBeLessThan(150 + 26)
    expect(Math.min(...found.data)).toBeGreaterThan(90 - 26)
  })
})

test('keeps alpha; keeps a profile if no colour is corrected', async () => {
  const given = photo(64, 48, 4)
  const input = await put(folder, 'alpha.png', fromSamples(given).png())
  const found = await enhanced(input, { mode: 'low-light', strength: 100 })
  const alphas = (data: Uint8Array | Uint16Array) => [...data.filter((_, index) => index % 4 === 3)]
  expect(alphas(found.data)).toEqual(alphas(given.data))
  const png = await fromSamples(board(grey(40), grey(80)))
    .png()
    .toBuffer()
  const own = await put(folder, 'own.png', pngWithProfile(png, swappedProfile()))
  const { paths } = await run(imageEnhancement, folder, [own], { mode: 'exposure' })
  expect((await sharp(paths[0]!).metadata()).icc).toBeDefined()
})

test('keeps grey; accepts CMYK', async () => {
  const input = await put(
    folder,
    'dim.png',
    fromSamples(board([40], [80]))
      .toColourspace('b-w')
      .png(),
  )
  const { paths } = await run(imageEnhancement, folder, [input])
  expect((await sharp(paths[0]!).metadata()).channels).toBe(1)
  expect(Math.max(...(await readPixels(paths[0]!)).data)).toBeGreaterThan(100)
  const cmyk = join(folder, 'cmyk.jpg')
  await plain(64, 64, '#303030').toColourspace('cmyk').jpeg({ quality: 100 }).toFile(cmyk)
  const lit = (await run(imageEnhancement, folder, [cmyk], { mode: 'exposure' })).paths[0]!
  expect(at(await readRgba(lit), 30, 30)[0]! - at(await readRgba(cmyk), 30, 30)[0]!).toBeGreaterThan(20)
})

test('corrects all frames of an animation equally', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#202020', '#505050'], { delay: [60, 90], loop: 2 })
  const { paths } = await run(imageEnhancement, folder, [input], { mode: 'exposure' })
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  // Mean 56 scores 22: brightness 22.4.
  for (const [page, value] of [
    [0, 0x20],
    [1, 0x50],
  ] as const)
    expect(Math.abs(at(await readRgba(paths[0]!, page), 20, 12)[0]! - 255 * (value / 255) ** (1 / 1.448))).toBeLessThan(
      4,
    )
})

test('deepEnhance first removes noise with the network, on every frame', async () => {
  stubGreyDenoiser(folder)
  const settings = { strength: 0, deepEnhance: true }
  const input = await boardFile('deep.png', grey(40), grey(80))
  const still = await run(imageEnhancement, folder, [input], settings)
  expect(still.warnings).toEqual([])
  // Half of the strength, less a quarter of it for detail: 0.375 of the way to the middle grey.
  const mixed = board(grey(40 + 0.375 * 87.5), grey(80 + 0.375 * 47.5))
  expect(difference(await readPixels(still.paths[0]!), mixed).most).toBeLessThanOrEqual(1)
  const moving = await animation(join(folder, 'moving.webp'), ['#000000', '#ffffff'])
  const { paths } = await run(imageEnhancement, folder, [moving], settings)
  const levels = await Promise.all([0, 1].map(async (page) => (await readPixels(paths[0]!, page)).data[0]!))
  expect(Math.abs(levels[0]! - 48)).toBeLessThan(4)
  expect(Math.abs(levels[1]! - 207)).toBeLessThan(4)
})
