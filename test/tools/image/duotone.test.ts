import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import colorBlindness from '../../../tools/image/colour/color-blindness.ts'
import duotone from '../../../tools/image/colour/duotone.ts'
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
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SHADOW = [0x1e, 0x3a, 0x8a]
const HIGHLIGHT = [0xfb, 0xbf, 0x24]
const LUMA = [0.2126, 0.7152, 0.0722]

/** The documented formula, for one colour from 0 to 1. */
function wanted(colour: readonly number[], intensity = 100): number[] {
  const luma = colour.reduce((sum, value, channel) => sum + value * LUMA[channel]!, 0)
  return colour.map((value, channel) => {
    const mapped = (SHADOW[channel]! + (HIGHLIGHT[channel]! - SHADOW[channel]!) * luma) / 255
    return mapped * (intensity / 100) + value * (1 - intensity / 100)
  })
}

const near = (found: number[], expected: number[], tolerance: number) =>
  found.forEach((value, channel) => {
    expect(Math.abs(value - expected[channel]!)).toBeLessThanOrEqual(tolerance)
  })

const PATCHES = ['#000000', '#ffffff', '#808080', '#ff0000', '#00ff00', '#0000ff', '#c86432']
const parts = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)

describe.each(PATCHES)('%s', (colour) => {
  test.each([0, 40, 100])('at intensity %i', async (intensity) => {
    const { paths } = await run(duotone, folder, [await put(folder, 'patch.png', plain(4, 4, colour).png())], {
      intensity,
    })
    near(
      at(await readRgba(paths[0]!), 2, 2),
      wanted(parts(colour), intensity).map((value) => value * 255),
      1.01,
    )
  })
})

test('keeps depth and levels of 16 bit', async () => {
  const ramp = ramp16(1000, 4, 3)
  const { paths } = await run(duotone, folder, [await put(folder, 'deep.png', await png16(ramp))])
  const samples = await read16(paths[0]!)
  for (const x of [0, 250, 700, 999]) {
    const value = ramp.data[x * 3]! / 65535
    near(
      at(samples, x, 2).slice(0, 3),
      wanted([value, value, value]).map((part) => part * 65535),
      3,
    )
  }
  expect(new Set(samples.data.filter((_, index) => index % samples.channels === 0)).size).toBe(1000)
})

test('colours grey, drops alpha', async () => {
  const grey = await put(folder, 'grey.png', plain(4, 4, '#808080').toColourspace('b-w').png())
  near(
    at(await readRgba((await run(duotone, folder, [grey])).paths[0]!), 2, 2),
    wanted([128 / 255, 128 / 255, 128 / 255]).map((part) => part * 255),
    1.01,
  )
  const deep = await put(folder, 'deepgrey.png', await png16(ramp16(100, 4)))
  near(at(await readRgba((await run(duotone, folder, [deep])).paths[0]!), 99, 2), HIGHLIGHT, 3)
  const alpha = await put(folder, 'alpha.png', fromSamples(photo(20, 20, 4)).png())
  const dropped = await run(duotone, folder, [alpha])
  expect((await sharp(dropped.paths[0]!).metadata()).hasAlpha).toBe(false)
  expect(dropped.warnings).toEqual(['alpha.png has transparent parts; duotone makes them opaque'])
  const opaque = await put(folder, 'opaque.png', plain(4, 4, '#808080ff').png())
  expect((await run(duotone, folder, [opaque])).warnings).toEqual([])
})

test('applies a profile before, and drops it', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
  const { paths } = await run(duotone, folder, [own])
  expect((await sharp(paths[0]!).metadata()).icc).toBeUndefined()
  // The profile makes the file's red look green.
  near(
    at(await readRgba(paths[0]!), 2, 2),
    wanted([0, 1, 0]).map((part) => part * 255),
    4,
  )
})

test('every frame of an animation', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#000000', '#ffffff'], { delay: [60, 90], loop: 2 })
  const { paths } = await run(duotone, folder, [input])
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  near(at(await readRgba(paths[0]!, 0), 5, 5), SHADOW, 4)
  near(at(await readRgba(paths[0]!, 1), 5, 5), HIGHLIGHT, 4)
})

test.each([8, 16])('keeps metadata with pixels of %i bit computed outside of sharp', async (bits) => {
  const source =
    bits === 8
      ? fromSamples(photo(20, 20))
      : sharp(await png16(ramp16(20, 20, 3)))
          .pipelineColourspace('rgb16')
          .toColourspace('rgb16')
  const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/">a word</x:xmpmeta>'
  const input = await put(
    folder,
    'meta.png',
    source
      .withExif({ IFD0: { Artist: 'Somebody' } })
      .withXmp(xmp)
      .png(),
  )
  const { paths } = await run(duotone, folder, [input])
  const about = await sharp(paths[0]!).metadata()
  expect([about.exif?.includes('Somebody'), about.xmp?.includes('a word'), about.bitsPerSample]).toEqual([
    true,
    true,
    bits,
  ])
})

test('a wide gamut is no loss if every colour is computed', async () => {
  const wide = await put(folder, 'wide.png', await fromSamples(photo(16, 16)).withIccProfile('p3').png().toBuffer())
  expect((await run(duotone, folder, [wide])).warnings).toEqual([])
  expect((await run(colorBlindness, folder, [wide])).warnings).toEqual([])
  // Part of the picture's own colours remains, in sRGB.
  expect((await run(duotone, folder, [wide], { intensity: 50 })).warnings.join()).toMatch(/the result is in sRGB/)
})
