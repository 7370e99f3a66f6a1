import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import colorBlindness from '../../../tools/image/colour/color-blindness.ts'
import {
  animation,
  at,
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

/** Machado, Oliveira and Fernandes 2009, as published; 0.6 for the weaker forms. */
const PUBLISHED: Record<string, number[][]> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
  protanomaly: [
    [0.38545, 0.769005, -0.154455],
    [0.100526, 0.829802, 0.069673],
    [-0.007442, -0.02219, 1.029632],
  ],
  deuteranomaly: [
    [0.547494, 0.607765, -0.155259],
    [0.181692, 0.781742, 0.036566],
    [-0.01041, 0.027275, 0.983136],
  ],
  tritanomaly: [
    [1.104996, -0.046633, -0.058363],
    [-0.032137, 0.971635, 0.060503],
    [0.001336, 0.317922, 0.680742],
  ],
  achromatopsia: Array(3).fill([0.212656, 0.715158, 0.072186]),
  blueConeMonochromacy: Array(3).fill([0.01775, 0.10945, 0.87262]),
}

const decode = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const encode = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

/** For a colour from 0 to 1. */
const wanted = (type: string, colour: readonly number[]) =>
  PUBLISHED[type]!.map((row) => {
    const light = row.reduce((sum, weight, channel) => sum + weight * decode(colour[channel]!), 0)
    return encode(Math.min(1, Math.max(0, light)))
  })

const parts = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
const PATCHES = ['#000000', '#ffffff', '#808080', '#ff0000', '#00ff00', '#0000ff', '#c86432', '#3070a0']

describe.each(Object.keys(PUBLISHED))('%s', (simulationType) => {
  test('matches the published matrix', async () => {
    for (const colour of PATCHES) {
      const input = await put(folder, 'patch.png', plain(4, 4, colour).png())
      const found = at(await readRgba((await run(colorBlindness, folder, [input], { simulationType })).paths[0]!), 2, 2)
      wanted(simulationType, parts(colour)).forEach((value, channel) => {
        expect(Math.abs(found[channel]! - value * 255)).toBeLessThanOrEqual(0.51)
      })
    }
  })
})

test('the default is deuteranomaly, and the name includes the tool', async () => {
  const input = await put(folder, 'red.png', plain(4, 4, '#ff0000').png())
  const { paths, names } = await run(colorBlindness, folder, [input])
  expect(names).toEqual(['red_color-blindness.png'])
  expect(at(await readRgba(paths[0]!), 1, 1)).toEqual(
    wanted('deuteranomaly', [1, 0, 0]).map((value) => Math.round(value * 255)),
  )
})

test('keeps alpha', async () => {
  const given = photo(20, 20, 4)
  const input = await put(folder, 'alpha.png', fromSamples(given).png())
  const found = await readPixels((await run(colorBlindness, folder, [input])).paths[0]!)
  const alphas = (data: Uint8Array | Uint16Array) => [...data.filter((_, index) => index % 4 === 3)]
  expect(alphas(found.data as Uint8Array)).toEqual(alphas(given.data))
})

test('keeps depth and levels of 16 bit; neutral greys stay', async () => {
  const ramp = ramp16(1000, 4, 3)
  const input = await put(folder, 'deep.png', await png16(ramp))
  const samples = await read16((await run(colorBlindness, folder, [input], { simulationType: 'tritanopia' })).paths[0]!)
  expect(new Set(samples.data.filter((_, index) => index % samples.channels === 0)).size).toBe(1000)
  for (const x of [3, 400, 990]) {
    const colour = at(samples, x, 2).slice(0, 3)
    for (const value of colour) expect(Math.abs(value - ramp.data[x * 3]!)).toBeLessThan(4)
  }
})

test('grey pictures are unchanged', async () => {
  const grey = await put(folder, 'grey.png', plain(4, 4, '#7a7a7a').toColourspace('b-w').png())
  for (const value of at(await readRgba((await run(colorBlindness, folder, [grey])).paths[0]!), 1, 1))
    expect(Math.abs(value - 0x7a)).toBeLessThanOrEqual(1)
})

test('applies a profile before', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  const { paths } = await run(colorBlindness, folder, [own], { simulationType: 'protanopia' })
  expect((await sharp(paths[0]!).metadata()).icc).toBeUndefined()
  // The profile makes the file's red look green.
  const found = at(await readRgba(paths[0]!), 2, 2)
  wanted('protanopia', [0, 1, 0]).forEach((value, channel) => {
    expect(Math.abs(found[channel]! - value * 255)).toBeLessThanOrEqual(5)
  })
})

test('every frame of an animation', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#ff0000', '#0000ff'], { delay: [60, 90] })
  const { paths } = await run(colorBlindness, folder, [input], { simulationType: 'achromatopsia' })
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90] })
  for (const [page, colour] of [
    [0, [1, 0, 0]],
    [1, [0, 0, 1]],
  ] as const)
    expect(
      Math.abs(at(await readRgba(paths[0]!, page), 5, 5)[0]! - wanted('achromatopsia', colour)[0]! * 255),
    ).toBeLessThan(4)
})
