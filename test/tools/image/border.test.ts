import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import border from '../../../tools/image/compose/border.ts'
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
const RED = [255, 0, 0]
const GREEN = [0, 255, 0]
const base = () => put(folder, 'base.png', fromSamples(photo(60, 40)).png())

async function bordered(settings: Record<string, unknown>, input?: string) {
  const { paths, names, warnings } = await run(border, folder, [input ?? (await base())], settings)
  return { path: paths[0]!, name: names[0]!, warnings }
}
const drawn = async (settings: Record<string, unknown>, input?: string) =>
  readRgba((await bordered(settings, input)).path)

describe('border and padding', () => {
  test('the default: 10 pixels of black around it', async () => {
    const { path, name } = await bordered({})
    const pixels = await readRgba(path)
    expect(name).toBe('base_border.png')
    expect(pixels).toMatchObject({ width: 80, height: 60 })
    expect((await sharp(path).metadata()).channels).toBe(3)
    expect([at(pixels, 0, 0), at(pixels, 9, 30), at(pixels, 70, 30), at(pixels, 40, 50)]).toEqual(
      Array(4).fill([0, 0, 0]),
    )
    const inner = await sharp(path).extract({ left: 10, top: 10, width: 60, height: 40 }).png().toBuffer()
    expect(difference(await readPixels(inner), await readPixels(await base())).most).toBe(0)
  })

  test('one colour around an opaque picture is the same as around an opaque one with alpha, which gets layers', async () => {
    const [opaque, clear] = [fromSamples(photo(60, 40)).png(), fromSamples(photo(60, 40)).ensureAlpha(1).png()]
    for (const profile of [undefined, swappedProfile()]) {
      const [one, other] = await Promise.all(
        [opaque, clear].map(async (image, index) => {
          const png = await image.clone().toBuffer()
          return put(folder, `layered-${index}.png`, profile ? pngWithProfile(png, profile) : png)
        }),
      )
      for (const settings of [
        { width: 7, color: '#c02040' },
        { width: 3, color: '#c02040', padding: 4, paddingColor: '#c02040' },
        { width: 0, padding: 5, paddingColor: '#3050d0', borderRadius: 6 },
      ]) {
        const [fast, layered] = [await drawn(settings, one), await drawn(settings, other)]
        expect(difference(fast, layered).most).toBe(0)
      }
    }
  })

  test('padding is between image and border', async () => {
    const pixels = await drawn({ width: 5, color: '#ff0000', padding: 8, paddingColor: '#00ff00' })
    expect(pixels).toMatchObject({ width: 86, height: 66 })
    for (const [x, y] of [
      [0, 0],
      [4, 33],
      [81, 33],
      [43, 61],
      [85, 65],
    ] as const)
      expect(at(pixels, x, y)).toEqual(RED)
    for (const [x, y] of [
      [5, 5],
      [12, 33],
      [73, 33],
      [43, 60],
      [80, 5],
    ] as const)
      expect(at(pixels, x, y)).toEqual(GREEN)
    expect(at(pixels, 13, 13)).toEqual(at(await readRgba(await base()), 0, 0))
  })

  test('without both keeps the picture', async () => {
    const { path } = await bordered({ width: 0 })
    expect(difference(await readPixels(path), await readPixels(await base())).most).toBe(0)
  })

  test('maximum widths; aliases', async () => {
    const pixels = await drawn({ borderWidth: 2000, padding: 200, borderColor: '#ff0000' }, await small())
    expect(pixels).toMatchObject({ width: 4404, height: 4402 })
    expect([at(pixels, 1999, 2200), at(pixels, 2000, 2200), at(pixels, 2200, 2200)]).toEqual([
      RED,
      [255, 255, 255],
      [0, 0, 255],
    ])
  })

  test('transparent pixels inside stay transparent', async () => {
    const half = await put(folder, 'half.png', plain(30, 30, '#0000ff40').png())
    const pixels = await drawn({ padding: 4 }, half)
    expect(at(pixels, 20, 20)).toEqual([0, 0, 255, 0x40])
    expect([at(pixels, 2, 20), at(pixels, 12, 20)]).toEqual([
      [0, 0, 0],
      [255, 255, 255],
    ])
  })
})

const small = () => put(folder, 'small.png', plain(4, 2, '#0000ff').png())

describe('styles', () => {
  test('a gradient follows its angle over the whole', async () => {
    const settings = { style: 'gradient', color: '#ff0000', color2: '#0000ff', width: 20 }
    const across = await drawn({ ...settings, gradientAngle: 90 })
    for (const x of [0, 25, 50, 75, 99]) {
      const [r, , b] = at(across, x, 5) as [number, number, number]
      const share = (x + 0.5) / 100
      expect(Math.abs(r - 255 * (1 - share))).toBeLessThan(3)
      expect(Math.abs(b - 255 * share)).toBeLessThan(3)
      expect(at(across, x, 75)).toEqual(at(across, x, 5))
    }
    const down = await drawn({ ...settings, gradientAngle: 180 })
    expect(at(down, 5, 0)[0]).toBeGreaterThan(250)
    expect(at(down, 5, 79)[2]).toBeGreaterThan(250)
    const up = await drawn({ ...settings, gradientAngle: 360 })
    expect(at(up, 5, 0)[2]).toBeGreaterThan(250)
    // CSS: at 135 degrees the corners have the colours of the ends.
    const diagonal = await drawn(settings)
    expect(at(diagonal, 0, 0)[0]).toBeGreaterThan(251)
    expect(at(diagonal, 99, 79)[2]).toBeGreaterThan(251)
    expect(Math.abs(at(diagonal, 99, 0)[0]! - at(diagonal, 99, 0)[2]!)).toBeGreaterThan(10)
  })

  test.each(['stripes', 'dots', 'checker'])('the sizes of %s follow the width of the border', async (pattern) => {
    const pixels = await drawn({ style: 'pattern', pattern, color: '#ff0000', color2: '#00ff00', width: 20 })
    let red = 0
    let green = 0
    for (let y = 0; y < 20; y++)
      for (let x = 0; x < 80; x++) {
        const [r, g] = at(pixels, x, y) as [number, number]
        red += r
        green += g
        expect(at(pixels, x + 20, y)).toEqual(at(pixels, x, y))
      }
    const share = green / (red + green)
    // Dots: a circle of 0.3 of the cell covers pi * 0.09 of it.
    const expected = pattern === 'dots' ? Math.PI * 0.09 : 0.5
    expect(Math.abs(share - expected)).toBeLessThan(0.02)
    expect(at(pixels, 20, 20)).toEqual(at(await readRgba(await base()), 0, 0))
  })

  test('a checker has cells of at least 4 pixels', async () => {
    const pixels = await drawn({ style: 'pattern', pattern: 'checker', width: 2, color: '#ff0000', color2: '#00ff00' })
    expect([0, 1, 2, 3, 4].map((x) => at(pixels, x, 0))).toEqual([GREEN, GREEN, RED, RED, GREEN])
  })

  test('a side above the maximum of drawings', async () => {
    const long = await put(folder, 'long.png', plain(40_000, 3, '#0000ff').png())
    const pixels = await drawn({ style: 'gradient', color: '#ff0000', color2: '#00ff00', gradientAngle: 90 }, long)
    expect(pixels.width).toBe(40_020)
    const [r, g] = at(pixels, 20_010, 2) as [number, number]
    expect([Math.abs(r - 127.5) < 3, Math.abs(g - 127.5) < 3]).toEqual([true, true])
  })
})

describe('round corners', () => {
  test('follow a circle; keep the inside', async () => {
    const pixels = await drawn({ color: '#ff0000', borderRadius: 20 })
    for (const [x, y] of [
      [0, 0],
      [79, 0],
      [0, 59],
      [79, 59],
    ] as const)
      expect(at(pixels, x, y)[3]).toBe(0)
    // On the diagonal the arc passes at 20 - 20 / root 2 = 5.86.
    expect(at(pixels, 4, 4)[3]).toBe(0)
    expect(at(pixels, 7, 7)).toEqual(RED)
    expect(at(pixels, 72, 52)).toEqual(RED)
    expect(at(pixels, 75, 55)[3]).toBe(0)
    expect(at(pixels, 20, 0)).toEqual(RED)
    expect(at(pixels, 20, 20)).toEqual(at(await readRgba(await base()), 10, 10))
  })

  test('capped at half the shorter side; the alias', async () => {
    const pixels = await drawn({ width: 0, cornerRadius: 2000 })
    // A stadium: the left end is a half circle of radius 20.
    expect(at(pixels, 0, 20)[3]).toBeGreaterThan(240)
    expect(at(pixels, 2, 5)[3]).toBe(0)
    expect(at(pixels, 30, 0)).toHaveLength(3)
  })
})

/** The integral of the normal distribution (Abramowitz and Stegun 7.1.26), good to 1e-7. */
function normal(x: number): number {
  const z = Math.abs(x) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * z)
  const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  const erf = 1 - series * Math.exp(-z * z)
  return x < 0 ? (1 - erf) / 2 : (1 + erf) / 2
}

describe('shadow', () => {
  test.each([1, 5, 15, 40, 200])('a Gaussian of sigma %i below the picture', async (shadowBlur) => {
    const side = 4 * shadowBlur + 40
    const input = await put(folder, 'flat.png', plain(side, side, '#ffffff').png())
    const { path } = await bordered({ width: 0, shadow: true, shadowBlur, shadowOffsetY: 0, shadowOpacity: 80 }, input)
    const pixels = await readRgba(path)
    const spread = 2 * shadowBlur
    expect(pixels).toMatchObject({ width: side + 2 * spread, height: side + 2 * spread })
    const middle = Math.round(pixels.height / 2)
    const reach = side / 2 / shadowBlur
    const vertical = normal(reach) - normal(-reach)
    for (const distance of [0.1, 0.5, 1, 1.5, 1.9]) {
      const x = spread - 1 - Math.round(distance * shadowBlur)
      if (x < 0) continue
      const from = (spread - (x + 0.5)) / shadowBlur
      const inside = normal((side + spread - (x + 0.5)) / shadowBlur) - normal(from)
      const colour = [...pixels.data.subarray((middle * pixels.width + x) * 4).subarray(0, 4)]
      expect(colour.slice(0, 3)).toEqual([0, 0, 0])
      expect(Math.abs(colour[3]! - 255 * 0.8 * inside * vertical)).toBeLessThan(3)
    }
    expect(at(pixels, spread, spread)).toEqual([255, 255, 255])
  })

  test.each([
    [10, 20, { left: 10, right: 30, top: 0, bottom: 40 }],
    [-50, 50, { left: 70, right: 0, top: 0, bottom: 70 }],
    [0, -5, { left: 20, right: 20, top: 25, bottom: 15 }],
  ])('the canvas grows by twice the blur, moved by %i, %i', async (shadowOffsetX, shadowOffsetY, room) => {
    const pixels = await drawn({
      width: 0,
      shadow: true,
      shadowBlur: 10,
      shadowOffsetX,
      shadowOffsetY,
      shadowColor: '#ff0000',
      shadowOpacity: 100,
    })
    expect(pixels).toMatchObject({ width: 60 + room.left + room.right, height: 40 + room.top + room.bottom })
    expect(at(pixels, room.left, room.top)).toEqual(at(await readRgba(await base()), 0, 0))
    // The middle of the shadow, outside the picture, has its colour.
    const [x, y] = [room.left + 30 + shadowOffsetX, room.top + 20 + shadowOffsetY]
    const hidden = shadowOffsetX < 30 && shadowOffsetX > -30 && Math.abs(shadowOffsetY) < 20
    if (!hidden) expect(at(pixels, x, y).slice(0, 3)).toEqual([255, 0, 0])
  })

  test('follows the alpha of a drawing', async () => {
    const shape = await put(
      folder,
      'shape.png',
      plain(60, 60, '#00000000')
        .composite([{ input: await plain(20, 60, '#0000ff').png().toBuffer(), left: 0, top: 0 }])
        .png(),
    )
    const pixels = await drawn(
      { width: 0, shadow: true, shadowBlur: 2, shadowOffsetX: 30, shadowOffsetY: 0, shadowOpacity: 100 },
      shape,
    )
    // The shadow of the bar is 30 pixels to its right, where the drawing is transparent.
    expect(at(pixels, 40, 34)).toEqual([0, 0, 0])
    expect(at(pixels, 24, 34)[3]).toBeLessThan(3)
    expect(at(pixels, 10, 34)).toEqual([0, 0, 255])
  })

  test('opacity 0 draws no shadow, but keeps its space', async () => {
    const pixels = await drawn({ width: 0, shadow: true, shadowOpacity: 0 })
    expect(pixels).toMatchObject({ width: 120, height: 100 })
    expect(at(pixels, 25, 25)[3]).toBe(0)
  })
})

describe('formats', () => {
  test.each([
    ['photo.jpg', {}, 'photo_border.jpg'],
    ['photo.jpg', { borderRadius: 4 }, 'photo_border.png'],
    ['photo.jpg', { shadow: true }, 'photo_border.png'],
    ['photo.webp', { borderRadius: 4 }, 'photo_border.webp'],
    ['photo.avif', { shadow: true }, 'photo_border.avif'],
    ['photo.tiff', { borderRadius: 4 }, 'photo_border.png'],
    ['photo.tiff', {}, 'photo_border.tiff'],
  ])('%s with %j: %s', async (name, settings, expected) => {
    const input = await put(folder, name, fromSamples(photo(60, 40)).toFormat(name.split('.')[1] as 'png'))
    const result = await bordered(settings, input)
    expect(result.name).toBe(expected)
    const { hasAlpha } = await sharp(result.path).metadata()
    expect(hasAlpha).toBe(Object.keys(settings).length > 0)
  })

  test('keeps 16 bit', async () => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 20, 3)))
    const { path } = await bordered({ color: '#ffffff', padding: 3, paddingColor: '#000000' }, deep)
    const samples = await read16(path)
    expect([at(samples, 2, 2), at(samples, 11, 11)]).toEqual([
      [65535, 65535, 65535],
      [0, 0, 0],
    ])
    expect(at(samples, 13 + 77, 20)[0]).toBe(ramp16(300, 1).data[77])
    const clear = await read16((await bordered({ width: 0, borderRadius: 5, shadow: true }, deep)).path)
    expect(clear.channels).toBe(4)
    const [red, , , alpha] = [...clear.data.subarray((25 + 10) * clear.width * 4 + (30 + 77) * 4).subarray(0, 4)]
    expect([red, alpha]).toEqual([ramp16(300, 1).data[77], 65535])
  })

  test('grey stays grey with grey colours, and becomes colour with others', async () => {
    const grey = await put(folder, 'grey.png', plain(40, 30, '#505050').toColourspace('b-w').png())
    const kept = (await bordered({ padding: 4, borderRadius: 6, shadow: true }, grey)).path
    expect((await sharp(kept).metadata()).channels).toBe(2)
    expect(at(await readRgba(kept), 30 + 14 + 5, 25 + 14 + 5)).toEqual([0x50, 0x50, 0x50])
    const red = (await bordered({ color: '#ff0000' }, grey)).path
    expect(at(await readRgba(red), 3, 3)).toEqual(RED)
    expect(at(await readRgba(red), 20, 20)).toEqual([0x50, 0x50, 0x50])
  })

  test('converts CMYK to RGB', async () => {
    const inks = await put(folder, 'inks.jpg', plain(40, 30, '#4080c0').toColourspace('cmyk').jpeg())
    const { path } = await bordered({ color: '#ff0000' }, inks)
    expect(await sharp(path).metadata()).toMatchObject({ space: 'srgb', channels: 3 })
    expect(at(await readRgba(path), 3, 3)[0]).toBeGreaterThan(250)
  })

  test.each(['solid', 'gradient'])('keeps a profile, and draws correct %s colours in it', async (style) => {
    const profile = swappedProfile()
    const own = await put(folder, 'own.png', pngWithProfile(await plain(60, 40, '#204060').png().toBuffer(), profile))
    const { path } = await bordered(
      { style, color: '#c06020', color2: '#c06020', padding: 4, paddingColor: '#30a0d0' },
      own,
    )
    expect((await sharp(path).metadata()).icc?.equals(profile)).toBe(true)
    expect(at(await readPixels(path), 30, 30)).toEqual([0x20, 0x40, 0x60])
    const seen = await readRgba(await sharp(path).toColourspace('srgb').png().toBuffer())
    for (const [x, colour] of [
      [5, [0xc0, 0x60, 0x20]],
      [12, [0x30, 0xa0, 0xd0]],
    ] as const)
      at(seen, x, 30).forEach((value, index) => {
        expect(Math.abs(value - colour[index]!)).toBeLessThan(8)
      })
  })

  test('every frame of an animation, with its own shadow', async () => {
    const moving = await animation(join(folder, 'moving.webp'), ['#0000ff', '#00ff00'])
    const { path } = await bordered({ color: '#ff0000', borderRadius: 8, shadow: true }, moving)
    expect(await sharp(path, { animated: true }).metadata()).toMatchObject({ pages: 2, loop: 3, delay: [50, 80] })
    for (const [page, colour] of [
      [0, [0, 0, 255]],
      [1, [0, 255, 0]],
    ] as const) {
      const pixels = await readRgba(path, page)
      expect(pixels).toMatchObject({ width: 120, height: 104 })
      at(pixels, 60, 47).forEach((value, index) => {
        expect(Math.abs(value - colour[index]!)).toBeLessThan(8)
      })
      expect(at(pixels, 60, 90)[3]).toBeGreaterThan(5)
    }
  })

  test('a GIF keeps its frames with a plain border; with corners it becomes PNG, with a note', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'])
    expect((await sharp((await bordered({}, moving)).path, { animated: true }).metadata()).pages).toBe(2)
    const { name, warnings } = await bordered({ borderRadius: 8 }, moving)
    expect(name).toBe('moving_border.png')
    expect(warnings.join()).toContain('2 frames')
  })
})

test.each([
  { width: -1 },
  { width: 2001 },
  { padding: 201 },
  { borderRadius: 2001 },
  { shadowBlur: 0 },
  { shadowBlur: 201 },
  { shadowOffsetX: 51 },
  { shadowOffsetY: -51 },
  { shadowOpacity: 101 },
  { gradientAngle: 361 },
  { color: '#ffff0' },
  { color: 'reddish' },
])('refused: %j', async (settings) => {
  await expect(bordered(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
