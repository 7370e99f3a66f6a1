import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import watermark from '../../../tools/image/compose/watermark-image.ts'
import {
  animation,
  at,
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
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const base = () => put(folder, 'base.png', plain(200, 120, '#000000').png())
const logo = () => put(folder, 'logo.png', plain(40, 20, '#ff8000').png())

async function marked(settings: Record<string, unknown>, given: { base?: string; logo?: string } = {}) {
  const { paths } = await run(watermark, folder, [given.base ?? (await base())], settings, {
    secondary: { watermark: given.logo ?? (await logo()) },
  })
  return paths[0]!
}

describe('position', () => {
  // A logo of 25 % of 200 pixels is 50 x 25.
  test.each([
    ['top-left', 20, 20],
    ['top-right', 130, 20],
    ['bottom-left', 20, 75],
    ['bottom-right', 130, 75],
    ['center', 75, 48],
  ])('%s', async (position, left, top) => {
    const pixels = await readRgba(await marked({ position, opacity: 100 }))
    const inside = [
      [left + 1, top + 1],
      [left + 48, top + 23],
    ] as const
    const outside = [
      [left - 2, top + 5],
      [left + 51, top + 5],
      [left + 5, top - 2],
      [left + 5, top + 26],
    ] as const
    for (const [x, y] of inside) expect(at(pixels, x, y)).toEqual([255, 128, 0])
    for (const [x, y] of outside) expect(at(pixels, x, y)).toEqual([0, 0, 0])
  })

  test('scale', async () => {
    const pixels = await readRgba(await marked({ position: 'top-left', opacity: 100, scale: 50 }))
    expect(at(pixels, 118, 68)).toEqual([255, 128, 0])
    expect(at(pixels, 122, 68)).toEqual([0, 0, 0])
  })

  test('cuts a logo that is too tall to its middle; clamps a position that does not fit', async () => {
    const tall = await put(
      folder,
      'tall.png',
      plain(10, 100, '#ff0000')
        .composite([{ input: await plain(10, 20, '#00ff00').png().toBuffer(), left: 0, top: 40 }])
        .png(),
    )
    const pixels = await readRgba(await marked({ position: 'bottom-right', opacity: 100, scale: 100 }, { logo: tall }))
    expect(pixels).toMatchObject({ width: 200, height: 120 })
    // 200 x 2000 scaled; keeps rows 940 to 1060, which are green (800 to 1200).
    expect(at(pixels, 100, 2)).toEqual([0, 255, 0])
    expect(at(pixels, 100, 117)).toEqual([0, 255, 0])
  })
})

describe('opacity', () => {
  test.each([
    [0, [0, 0, 0]],
    [50, [128, 64, 0]],
    [100, [255, 128, 0]],
  ] as const)('%i %%', async (opacity, colour) => {
    const pixels = await readRgba(await marked({ position: 'center', opacity }))
    at(pixels, 100, 60).forEach((value, index) => {
      expect(Math.abs(value - colour[index]!)).toBeLessThanOrEqual(1)
    })
  })

  test('multiplies the alpha of the logo', async () => {
    const half = await put(folder, 'half.png', plain(40, 20, '#ff800080').png())
    const [red] = at(await readRgba(await marked({ position: 'center', opacity: 50 }, { logo: half })), 100, 60)
    expect(Math.abs(red! - 64)).toBeLessThanOrEqual(2)
  })
})

describe('types of pictures', () => {
  const settings = { position: 'center', opacity: 100 }

  test('grey gets a coloured logo in colour, stays grey with a grey one', async () => {
    const grey = await put(
      folder,
      'grey.png',
      fromSamples(photo(200, 120, 1))
        .toColourspace('b-w')
        .png(),
    )
    const coloured = await marked(settings, { base: grey })
    expect(at(await readRgba(coloured), 100, 60)).toEqual([255, 128, 0])
    expect(at(await readRgba(coloured), 5, 5)).toEqual(at(await readRgba(grey), 5, 5))
    const greyLogo = await put(
      folder,
      'greylogo.png',
      fromSamples({ width: 4, height: 2, channels: 1, data: new Uint8Array(8).fill(77) })
        .toColourspace('b-w')
        .png(),
    )
    const both = await marked(settings, { base: grey, logo: greyLogo })
    expect(await sharp(both).metadata()).toMatchObject({ channels: 1 })
    expect(at(await readPixels(both), 100, 60)).toEqual([77, 77, 77])
  })

  test('keeps 16 bit', async () => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(600, 300, 3)))
    const samples = await read16(await marked(settings, { base: deep }))
    const [red, green, blue] = at(samples, 300, 150) as [number, number, number]
    expect([samples.channels, red, blue]).toEqual([3, 65535, 0])
    // One step of 8 bit is 257 steps of 16.
    expect(Math.abs(green - 128 * 257)).toBeLessThan(257)
    expect(at(samples, 500, 10)[0]).toBe(ramp16(600, 1).data[500])
  })

  test('keeps a profile, and the logo has exact colours', async () => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(200, 120, '#204060').png().toBuffer(), profile))
    const path = await marked(settings, { base: own })
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 5, 5)).toEqual([0x20, 0x40, 0x60])
    const seen = at(await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer()), 100, 60)
    seen.forEach((value, index) => {
      expect(Math.abs(value - [255, 128, 0][index]!)).toBeLessThan(8)
    })
  })

  test('converts CMYK to RGB', async () => {
    const inks = await put(folder, 'inks.jpg', plain(200, 120, '#000000').toColourspace('cmyk').jpeg({ quality: 95 }))
    const path = await marked(settings, { base: inks })
    const [r, g, b] = at(await readPixels(path), 100, 60) as [number, number, number]
    expect([r > 245, Math.abs(g - 128) < 10, b < 12]).toEqual([true, true, true])
  })

  test('every frame of an animation', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'], {
      width: 200,
      height: 120,
      delay: [60, 70],
    })
    const path = await marked(settings, { base: moving })
    expect(await sharp(path, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 70], loop: 3 })
    for (const page of [0, 1]) {
      const [r, , b] = at(await readRgba(path, page), 100, 60) as [number, number, number]
      expect([r > 245, b < 10]).toEqual([true, true])
    }
  })
})

test('the name', async () => {
  const { names } = await run(watermark, folder, [await base()], {}, { secondary: { watermark: await logo() } })
  expect(names).toEqual(['base_watermarked.png'])
})
