import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import compose from '../../../tools/image/compose/compose.ts'
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
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const base = () => put(folder, 'base.png', plain(100, 60, '#4080c0').png())
const layer = () => put(folder, 'layer.png', plain(30, 20, '#c06020').png())

async function composed(settings: Record<string, unknown> = {}, given: { base?: string; overlay?: string } = {}) {
  const { paths } = await run(compose, folder, [given.base ?? (await base())], settings, {
    secondary: { overlay: given.overlay ?? (await layer()) },
  })
  return paths[0]!
}

const BACK = [0x40, 0x80, 0xc0].map((value) => value / 255)
const FRONT = [0xc0, 0x60, 0x20].map((value) => value / 255)

/** W3C Compositing and Blending Level 1, section 10: back, front. */
const FORMULAS: Record<string, (b: number, s: number) => number> = {
  over: (_, s) => s,
  multiply: (b, s) => b * s,
  screen: (b, s) => b + s - b * s,
  overlay: (b, s) => (b <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s)),
  darken: Math.min,
  lighten: Math.max,
  'hard-light': (b, s) => (s <= 0.5 ? 2 * b * s : 1 - 2 * (1 - b) * (1 - s)),
  'soft-light': (b, s) => {
    const d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b)
    return s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
  },
  difference: (b, s) => Math.abs(b - s),
  exclusion: (b, s) => b + s - 2 * b * s,
}

describe('colours', () => {
  test.each(Object.keys(FORMULAS))('%s, opaque and half transparent', async (blend) => {
    for (const opacity of [100, 50]) {
      const pixels = await readRgba(await composed({ blend, opacity }))
      const share = Math.round((opacity / 100) * 255) / 255
      const colour = at(pixels, 5, 5)
      BACK.forEach((b, channel) => {
        const expected = 255 * (b * (1 - share) + FORMULAS[blend]!(b, FRONT[channel]!) * share)
        expect(Math.abs(colour[channel]! - expected)).toBeLessThanOrEqual(1.5)
      })
      expect(at(pixels, 40, 5)).toEqual([0x40, 0x80, 0xc0])
    }
  })

  test('opacity 0 keeps the base; the alias of blend', async () => {
    expect(difference(await readRgba(await composed({ opacity: 0 })), await readRgba(await base())).most).toBe(0)
    expect(at(await readRgba(await composed({ blendMode: 'MULTIPLY' })), 5, 5)).toEqual(
      at(await readRgba(await composed({ blend: 'multiply' })), 5, 5),
    )
  })

  test('applies the alpha of the layer', async () => {
    const half = await put(folder, 'half.png', plain(30, 20, '#c0602080').png())
    const colour = at(await readRgba(await composed({}, { overlay: half })), 5, 5)
    ;[0x80, 0x70, 0x70].forEach((value, channel) => {
      expect(Math.abs(colour[channel]! - value)).toBeLessThanOrEqual(2)
    })
  })

  test('a transparent base stays transparent outside the layer', async () => {
    const clear = await put(folder, 'clear.png', plain(100, 60, '#00000000').png())
    const pixels = await readRgba(await composed({ x: 10 }, { base: clear }))
    expect(at(pixels, 5, 5)[3]).toBe(0)
    expect(at(pixels, 15, 5)).toEqual([0xc0, 0x60, 0x20])
  })
})

describe('position', () => {
  test('rounds x and y down; cuts at the edges of the base', async () => {
    const pixels = await readRgba(await composed({ x: 80.9, y: 50.5 }))
    expect(pixels).toMatchObject({ width: 100, height: 60 })
    expect(at(pixels, 80, 50)).toEqual([0xc0, 0x60, 0x20])
    expect(at(pixels, 99, 59)).toEqual([0xc0, 0x60, 0x20])
    expect(at(pixels, 79, 50)).toEqual([0x40, 0x80, 0xc0])
    expect(at(pixels, 80, 49)).toEqual([0x40, 0x80, 0xc0])
  })

  test('a layer larger than the base', async () => {
    const large = await put(folder, 'large.png', fromSamples(photo(300, 200)).png())
    const pixels = await readPixels(await composed({}, { overlay: large }))
    const cut = await sharp(large).extract({ left: 0, top: 0, width: 100, height: 60 }).png().toBuffer()
    expect(difference(pixels, await readPixels(cut)).most).toBe(0)
  })

  test.each([
    { x: 100, y: 0 },
    { x: 0, y: 60 },
  ])('outside of the base: $x, $y', async (settings) => {
    await expect(composed(settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('100 x 60'),
    })
  })

  test('applies EXIF orientation to both', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      plain(60, 100, '#4080c0').jpeg({ quality: 100 }).withMetadata({ orientation: 6 }),
    )
    const pixels = await readRgba(await composed({ x: 70 }, { base: turned }))
    expect(pixels).toMatchObject({ width: 100, height: 60 })
    expect(at(pixels, 75, 5)[0]).toBeGreaterThan(0xb8)
    expect(at(pixels, 60, 5)[0]).toBeLessThan(0x48)
  })
})

describe('types of pictures', () => {
  test('keeps 16 bit', async () => {
    const ramp = ramp16(600, 40, 3)
    const samples = await read16(await composed({ x: 100 }, { base: await put(folder, 'deep.png', await png16(ramp)) }))
    expect(samples.channels).toBe(3)
    expect(at(samples, 500, 30)[0]).toBe(ramp.data[500 * 3])
    expect(Math.abs(at(samples, 110, 5)[0]! - 0xc0 * 257)).toBeLessThan(257)
  })

  test('grey becomes colour only for a coloured layer', async () => {
    const grey = await put(folder, 'grey.png', plain(100, 60, '#505050').toColourspace('b-w').png())
    expect(at(await readRgba(await composed({}, { base: grey })), 5, 5)).toEqual([0xc0, 0x60, 0x20])
    const faint = await put(folder, 'faint.png', plain(30, 20, '#909090').toColourspace('b-w').png())
    const both = await composed({}, { base: grey, overlay: faint })
    expect((await sharp(both).metadata()).channels).toBe(1)
    expect(at(await readPixels(both), 5, 5).slice(0, 1)).toEqual([0x90])
  })

  test('converts CMYK to RGB', async () => {
    const inks = await put(folder, 'inks.jpg', plain(100, 60, '#4080c0').toColourspace('cmyk').jpeg({ quality: 95 }))
    const path = await composed({}, { base: inks })
    expect((await sharp(path).metadata()).space).toBe('srgb')
    expect(Math.abs(at(await readRgba(path), 5, 5)[0]! - 0xc0)).toBeLessThan(8)
  })

  test('keeps a profile, and the exact colours of the layer in it', async () => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(100, 60, '#204060').png().toBuffer(), profile))
    const path = await composed({}, { base: own })
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 60, 40)).toEqual([0x20, 0x40, 0x60])
    const seen = at(await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer()), 5, 5)
    seen.forEach((value, index) => {
      expect(Math.abs(value - [0xc0, 0x60, 0x20][index]!)).toBeLessThan(8)
    })
  })

  test('every frame of an animation; the first frame of an animated layer, with a note', async () => {
    const moving = await animation(join(folder, 'moving.webp'), ['#0000ff', '#00ff00'])
    const path = await composed({}, { base: moving })
    expect((await sharp(path, { animated: true }).metadata()).pages).toBe(2)
    for (const page of [0, 1]) expect(at(await readRgba(path, page), 5, 5)[0]).toBeGreaterThan(0xb0)
    const { warnings, paths } = await run(compose, folder, [await base()], {}, { secondary: { overlay: moving } })
    expect(warnings.join()).toContain('2 frames')
    expect(at(await readRgba(paths[0]!), 5, 5)).toEqual([0, 0, 255])
  })
})

test('the name and format', async () => {
  const jpeg = await put(folder, 'photo.jpeg', plain(40, 40, '#ffffff').jpeg())
  const { names } = await run(compose, folder, [jpeg], {}, { secondary: { overlay: await layer() } })
  expect(names).toEqual(['photo_composed.jpeg'])
})

test.each([{ x: -1 }, { y: -0.5 }, { opacity: 101 }, { opacity: -1 }, { blend: 'add' }])(
  'refused: %j',
  async (settings) => {
    await expect(composed(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  },
)
