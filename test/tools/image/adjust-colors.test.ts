import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import adjustColors from '../../../tools/image/colour/adjust-colors.ts'
import {
  animation,
  at,
  CORPUS,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const parts = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))

async function patch(colour: string, settings: Record<string, unknown>): Promise<number[]> {
  const input = await put(folder, 'patch.png', plain(8, 8, colour).png())
  return at(await readRgba((await run(adjustColors, folder, [input], settings)).paths[0]!), 4, 4)
}

const near = (found: number[], expected: number[], tolerance: number) =>
  found.forEach((value, channel) => {
    const wanted = Math.min(255, Math.max(0, expected[channel]!))
    expect(Math.abs(value - wanted), `${found} and ${expected}`).toBeLessThanOrEqual(tolerance)
  })

const PATCHES = ['#000000', '#ffffff', '#808080', '#c86432', '#204060', '#90c040']

/** The documented formulas, on values from 0 to 255. */
const FORMULAS: Record<string, (value: number, v: number) => number> = {
  brightness: (value, v) => value * (1 + v / 100),
  contrast: (value, v) => (value - 128) * (1 + v / 100) + 128,
  exposure: (value, v) => 255 * (value / 255) ** (v > 0 ? 1 / (1 + (2 * v) / 100) : 1 + (2 * -v) / 100),
}

describe.each(Object.keys(FORMULAS))('%s', (name) => {
  test.each([-100, -40, 25, 100])('at %i', async (value) => {
    for (const colour of PATCHES)
      near(
        await patch(colour, { [name]: value }),
        parts(colour).map((part) => FORMULAS[name]!(part, value)),
        0.51,
      )
  })
})

test.each([-100, -30, 60, 100])('temperature and tint at %i', async (value) => {
  const t = value / 100
  for (const colour of PATCHES) {
    const [r, g, b] = parts(colour) as [number, number, number]
    near(
      await patch(colour, { temperature: value }),
      [r * (1 + 0.15 * t), g * (1 + 0.05 * t), b * (1 - 0.15 * t)],
      0.51,
    )
    near(await patch(colour, { tint: value }), [r * (1 + 0.1 * t), g * (1 - 0.15 * t), b * (1 + 0.1 * t)], 0.51)
  }
})

test('channels in percent', async () => {
  near(await patch('#c86432', { red: 50, green: 200, blue: 0 }), [100, 200, 0], 0.51)
  near(await patch('#c86432', { red: 200, green: 0, blue: 130 }), [255, 0, 65], 0.51)
})

/** CIE L*a*b* of sRGB, as the standards write it. */
function labOf(colour: readonly number[]): [number, number, number] {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255
    return part > 0.04045 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92
  }) as [number, number, number]
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116)) as [number, number, number]
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** Muted, so that twice the chroma is still within sRGB. */
const MUTED = ['#8a7466', '#6b7f66', '#70789a', '#a08898']

test.each([
  [-100, 0],
  [-50, 0],
  [60, 0],
  [0, 90],
  [0, -150],
  [30, 45],
])('saturation %i and hue %i scale and rotate chroma; keep lightness', async (saturation, hue) => {
  for (const colour of MUTED) {
    const [lightness, a, b] = labOf(parts(colour))
    const [factor, angle] = [1 + saturation / 100, (hue * Math.PI) / 180]
    const wanted = [
      lightness,
      factor * (a * Math.cos(angle) - b * Math.sin(angle)),
      factor * (a * Math.sin(angle) + b * Math.cos(angle)),
    ]
    const found = labOf(await patch(colour, { saturation, hue }))
    // CIE76; a step of 8 bit is up to 0.5.
    expect(Math.hypot(...found.map((value, index) => value - wanted[index]!))).toBeLessThan(0.8)
  }
})

test('saturation agrees with libvips on a photo', async () => {
  const input = await put(folder, 'photo.png', fromSamples(photo(120, 90)).png())
  const { paths } = await run(adjustColors, folder, [input], { saturation: 30, hue: 20 })
  const theirs = await put(folder, 'theirs.png', sharp(input).modulate({ saturation: 1.3, hue: 20 }).png())
  expect(difference(await readPixels(paths[0]!), await readPixels(theirs)).mean).toBeLessThan(1)
})

test('effects', async () => {
  near(await patch('#c86432', { effect: 'invert' }), [55, 155, 205], 0)
  const [r, g, b] = [200, 100, 50]
  near(
    await patch('#c86432', { effect: 'sepia' }),
    [0.393 * r + 0.769 * g + 0.189 * b, 0.349 * r + 0.686 * g + 0.168 * b, 0.272 * r + 0.534 * g + 0.131 * b],
    0.51,
  )
  // As bright to the eye as before: the same CIE lightness.
  for (const colour of PATCHES) {
    const grey = await patch(colour, { effect: 'grayscale' })
    expect(new Set(grey).size).toBe(1)
    expect(Math.abs(labOf(grey)[0] - labOf(parts(colour))[0])).toBeLessThan(0.3)
  }
})

test('applies steps in the order of the catalogue without clipping in between', async () => {
  // 200 is doubled to 400, then brought back by a slope of one half: (400 - 128) / 2 + 128 = 264; x 0.85 for blue.
  near(await patch('#c8c8c8', { brightness: 100, contrast: -50, temperature: 100, blue: 50 }), [255, 255, 112.2], 0.51)
  near(await patch('#c8c8c8', { brightness: 50, effect: 'invert' }), [0, 0, 0], 0)
  // 80 doubled is 160, slope 2 makes it 192; the effect comes last.
  near(await patch('#505050', { brightness: 100, contrast: 100, effect: 'invert' }), [63, 63, 63], 0)
  near(await patch('#405060', { saturation: -100, red: 200, effect: 'invert' }), [255 - 158, 255 - 79, 255 - 79], 1)
})

test('sharpness raises an edge and keeps areas and alpha', async () => {
  const data = new Uint8Array(32 * 8 * 4)
  for (let pixel = 0; pixel < 32 * 8; pixel++) {
    const column = pixel % 32
    data.set([column < 16 ? 90 : 150, 100, 120, column < 4 ? 0 : 255], pixel * 4)
  }
  const input = await put(folder, 'edge.png', fromSamples({ width: 32, height: 8, channels: 4, data }).png())
  const { paths } = await run(adjustColors, folder, [input], { sharpness: 5 })
  const found = await readRgba(paths[0]!)
  expect(at(found, 15, 4)[0]).toBeLessThan(88)
  expect(at(found, 16, 4)[0]).toBeGreaterThan(152)
  for (const x of [4, 8, 31]) near(at(found, x, 4), [x < 16 ? 90 : 150, 100, 120], 1)
  expect([0, 3, 4, 31].map((x) => found.data[(4 * 32 + x) * 4 + 3])).toEqual([0, 0, 255, 255])
  // With steps before and after, all three are done.
  const mixed = await run(adjustColors, folder, [input], { sharpness: 5, brightness: -50, effect: 'invert' })
  near(at(await readRgba(mixed.paths[0]!), 8, 4), [210, 205, 195], 1)
})

test('neutral settings change nothing', async () => {
  const input = await put(folder, 'same.png', fromSamples(photo(40, 30, 4)).png())
  const { paths } = await run(adjustColors, folder, [input])
  expect(difference(await readPixels(paths[0]!), await readPixels(input)).most).toBe(0)
})

test('16 bit keeps its depth and all its levels', async () => {
  const ramp = ramp16(1000, 4, 3)
  const input = await put(folder, 'deep.png', await png16(ramp))
  for (const settings of [
    { exposure: 20 },
    { temperature: 40 },
    { saturation: 20, hue: 30 },
    { effect: 'grayscale' },
  ]) {
    const samples = await read16((await run(adjustColors, folder, [input], settings)).paths[0]!)
    const reds = samples.data.filter((_, index) => index % samples.channels === 0)
    // Only warmth pushes the lightest values beyond white.
    expect(new Set(reds).size).toBeGreaterThan('temperature' in settings ? 900 : 998)
  }
  const samples = await read16((await run(adjustColors, folder, [input], { contrast: 20 })).paths[0]!)
  for (const x of [200, 500, 800])
    expect(
      Math.abs(samples.data[x * samples.channels]! - ((ramp.data[x * 3]! - 128 * 257) * 1.2 + 128 * 257)),
    ).toBeLessThanOrEqual(1)
})

test('keeps alpha, in 8 and 16 bit', async () => {
  const given = photo(20, 20, 4)
  const alphas = (data: Uint8Array | Uint16Array) => [...data.filter((_, index) => index % 4 === 3)]
  const shallow = await put(folder, 'alpha.png', fromSamples(given).png())
  const found = await readPixels((await run(adjustColors, folder, [shallow], { brightness: 30, hue: 40 })).paths[0]!)
  expect(alphas(found.data)).toEqual(alphas(given.data))
  const data = Uint16Array.from(given.data, (value) => value * 251)
  const deep = await put(folder, 'deepalpha.png', await png16({ ...given, data }))
  const wide = await read16((await run(adjustColors, folder, [deep], { brightness: -30 })).paths[0]!)
  expect(alphas(wide.data)).toEqual(alphas(data))
  expect(Math.abs(wide.data[0]! - data[0]! * 0.7)).toBeLessThanOrEqual(0.51)
})

test('a grey picture stays grey unless colour is added', async () => {
  const grey = await put(folder, 'grey.png', plain(8, 8, '#808080').toColourspace('b-w').png())
  const quiet = (await run(adjustColors, folder, [grey], { brightness: 50, saturation: 50, effect: 'invert' }))
    .paths[0]!
  expect((await sharp(quiet).metadata()).channels).toBe(1)
  near(at(await readRgba(quiet), 4, 4), [63, 63, 63], 0)
  const warm = (await run(adjustColors, folder, [grey], { temperature: 100 })).paths[0]!
  near(at(await readRgba(warm), 4, 4), [147.2, 134.4, 108.8], 0.51)
})

test('keeps a profile if channels are treated alike; otherwise applies it', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  const dark = (await run(adjustColors, folder, [own], { brightness: -50 })).paths[0]!
  expect((await sharp(dark).metadata()).icc).toBeDefined()
  expect(at(await readPixels(dark), 2, 2)).toEqual([128, 0, 0])
  // The profile makes the file's red look green.
  const without = (await run(adjustColors, folder, [own], { green: 0 })).paths[0]!
  near(at(await readRgba(without), 2, 2), [0, 0, 0], 8)
  expect(at(await readRgba(without), 14, 2)[0]).toBeGreaterThan(240)
})

test('every frame of an animation', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#204060', '#808080'], { delay: [60, 90], loop: 2 })
  const { paths, names } = await run(adjustColors, folder, [input], { brightness: 50, sharpness: 10 })
  expect(names).toEqual(['moving_adjust-colors.webp'])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  near(at(await readRgba(paths[0]!, 0), 20, 12), [48, 96, 144], 4)
  near(at(await readRgba(paths[0]!, 1), 20, 0), [192, 192, 192], 4)
})

const cmyk = join(CORPUS, 'formats/cmyk-with-profile.jpg')
test.skipIf(!existsSync(cmyk))('converts CMYK to sRGB with its profile', async () => {
  const { paths } = await run(adjustColors, folder, [cmyk], { brightness: -20 })
  const found = await readRgba(paths[0]!)
  const wanted = await readRgba(await sharp(cmyk).toColourspace('srgb').linear(0.8, 0).png().toBuffer())
  expect(difference(found, wanted).mean).toBeLessThan(2)
})
