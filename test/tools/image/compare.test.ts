import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import compare from '../../../tools/image/metadata/compare.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  ramp16,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const solid = (name: string, colour: string, width = 40, height = 30) =>
  put(folder, name, plain(width, height, colour).png())

async function compared(one: string, other: string, settings: Record<string, unknown> = {}) {
  const { paths, names, report, warnings } = await run(compare, folder, [one, other], settings)
  return { path: paths[0]!, name: names[0]!, report, warnings, pixels: await readRgba(paths[0]!) }
}

describe('similarity', () => {
  test.each([
    // Of flat pictures only the means count: SSIM is (2 ab + C1) / (a^2 + b^2 + C1) of luma, C1 = 2.55^2.
    ['#000000', '#ffffff', 0, 0.0001, 0],
    ['#123456', '#123456', 100, 1, null],
    // (10 + 20 + 30) / 3 = 20 of 255; luma 18.15; squares 1400 / 3.
    ['#000000', '#0a141e', 92.16, 0.0194, 21.44],
    // One channel by one step: 1 / 3 of 255; luma 0.299; squares 1 / 3.
    ['#000000', '#010000', 99.87, 0.9864, 52.9],
  ])('%s and %s: %f', async (first, second, expected, ssim, psnr) => {
    const [one, other] = [await solid('one.png', first), await solid('other.png', second)]
    for (const mode of ['diff', 'overlay', 'side-by-side']) {
      const { report } = await compared(one, other, { mode })
      expect(report).toEqual({ similarity: expected, ssim, psnr, dimensions: { width: 40, height: 30 } })
    }
  })

  test('of photos, compared with a direct computation', async () => {
    const [first, second] = [photo(80, 60), photo(80, 60)]
    second.data.forEach((value, index) => {
      second.data[index] = (value + (index % 7) * 3) & 255
    })
    const one = await put(folder, 'p1.png', fromSamples(first).png())
    const other = await put(folder, 'p2.png', fromSamples(second).png())
    const { mean } = difference(first, second)
    expect((await compared(one, other)).report.similarity).toBe(Number((100 - (100 * mean) / 255).toFixed(2)))
  })

  test('distinguishes noise, blur and a lighter copy by structure, unlike the mean', async () => {
    const given = photo(160, 120, 1)
    // Bars give it a structure.
    given.data.forEach((value, index) => {
      given.data[index] = Math.min(230, Math.max(20, value + ((index % 160) % 16 < 8 ? 40 : -40)))
    })
    const changed = async (name: string, change: (value: number, index: number) => number) =>
      put(folder, name, fromSamples({ ...given, data: given.data.map(change) }).png())
    const base = await changed('base-s.png', (value) => value)
    const lighter = (await compared(base, await changed('lighter.png', (value) => value + 12))).report
    const noisy = (
      await compared(base, await changed('noisy.png', (value, index) => value + ((index * 7) % 2 ? 12 : -12)))
    ).report
    expect(lighter.similarity).toBe(noisy.similarity)
    expect(lighter.psnr).toBe(noisy.psnr)
    // 10 log10(255^2 / 144)
    expect(lighter.psnr).toBe(26.55)
    expect(lighter.ssim).toBeGreaterThan(0.95)
    expect(noisy.ssim).toBeLessThan((lighter.ssim as number) - 0.1)
  })

  test('ignores alpha', async () => {
    const [one, other] = [await solid('a.png', '#40506080'), await solid('b.png', '#405060')]
    expect((await compared(one, other)).report.similarity).toBe(100)
  })

  test('grey, CMYK and 16 bit against RGB', async () => {
    const rgb = await solid('rgb.png', '#808080')
    const grey = await put(folder, 'grey.png', plain(40, 30, '#808080').toColourspace('b-w').png())
    expect((await compared(rgb, grey)).report.similarity).toBe(100)
    const inks = await put(folder, 'inks.jpg', plain(40, 30, '#808080').toColourspace('cmyk').jpeg({ quality: 100 }))
    expect((await compared(rgb, inks)).report.similarity).toBeGreaterThan(90)
    const deep = await put(folder, 'deep.png', await png16({ ...ramp16(40, 30, 3), data: filled(0x8080, 3600) }))
    expect((await compared(rgb, deep)).report.similarity).toBe(100)
    // 257 of 65535 is one step of 255, in all three channels: 100 - 100 / 255.
    const near = await put(folder, 'near.png', await png16({ ...ramp16(40, 30, 3), data: filled(0x8080 + 257, 3600) }))
    expect((await compared(deep, near)).report.similarity).toBe(99.61)
    // A quarter of that step is lost in 8 bit.
    const nearer = await put(
      folder,
      'nearer.png',
      await png16({ ...ramp16(40, 30, 3), data: filled(0x8080 + 64, 3600) }),
    )
    expect((await compared(deep, nearer)).report.similarity).toBe(99.9)
  })
})

const filled = (value: number, count: number) => new Uint16Array(count).fill(value)

describe('diff', () => {
  test('red above the threshold, by its size; the rest faint', async () => {
    const part = async (colour: string) => plain(10, 30, colour).png().toBuffer()
    const first = await solid('base.png', '#646464')
    // Differences of 0, 10, 11 and 100 in columns of 10 pixels.
    const second = await put(
      folder,
      'steps.png',
      plain(40, 30, '#646464')
        .composite([
          { input: await part('#6e6e6e'), left: 10, top: 0 },
          { input: await part('#6f6f6f'), left: 20, top: 0 },
          { input: await part('#c8c8c8'), left: 30, top: 0 },
        ])
        .png(),
    )
    const { pixels, name } = await compared(first, second)
    expect(name).toBe('diff.png')
    expect(at(pixels, 5, 5)).toEqual([100, 100, 100, 128])
    expect(at(pixels, 15, 5)).toEqual([100, 100, 100, 128])
    expect(at(pixels, 25, 5)).toEqual([255, 0, 0, 33])
    expect(at(pixels, 35, 5)).toEqual([255, 0, 0])
    const strict = (await compared(first, second, { diffThreshold: 0 })).pixels
    expect(at(strict, 5, 5)).toEqual([100, 100, 100, 128])
    expect(at(strict, 15, 5)).toEqual([255, 0, 0, 30])
    const blind = (await compared(first, second, { diffThreshold: 255 })).pixels
    expect(at(blind, 35, 5)).toEqual([100, 100, 100, 128])
  })

  test('stretches both to the larger sides', async () => {
    const { pixels, report } = await compared(
      await solid('w.png', '#000000', 60, 20),
      await solid('h.png', '#ff0000', 30, 50),
    )
    expect(pixels).toMatchObject({ width: 60, height: 50 })
    expect(report).toEqual({ similarity: 66.67, ssim: 0.0011, psnr: 4.77, dimensions: { width: 60, height: 50 } })
  })

  test('applies EXIF orientation first', async () => {
    const upright = await put(folder, 'up.png', fromSamples(photo(60, 40)).png())
    const turned = await put(folder, 'turned.png', sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).png())
    expect((await compared(upright, turned)).report).toEqual({
      similarity: 100,
      ssim: 1,
      psnr: null,
      dimensions: { width: 60, height: 40 },
    })
  })

  test('transparent parts of the first picture stay transparent', async () => {
    const clear = await solid('clear.png', '#40506000')
    expect(at((await compared(clear, clear)).pixels, 5, 5)[3]).toBe(0)
  })
})

describe('other layouts', () => {
  test('overlay is the mean of both', async () => {
    const { pixels, name, path } = await compared(await solid('x.png', '#204060'), await solid('y.png', '#80c0ff'), {
      mode: 'overlay',
    })
    expect(name).toBe('overlay.png')
    expect((await sharp(path).metadata()).channels).toBe(3)
    at(pixels, 5, 5).forEach((value, index) => {
      expect(Math.abs(value - [0x50, 0x80, 0xaf][index]!)).toBeLessThanOrEqual(1)
    })
  })

  test('side by side: equal height, no gap', async () => {
    const low = await solid('low.png', '#ff0000', 40, 30)
    const high = await solid('high.png', '#0000ff', 20, 60)
    const { pixels, name } = await compared(low, high, { mode: 'side-by-side' })
    expect(name).toBe('side-by-side.png')
    expect(pixels).toMatchObject({ width: 100, height: 60 })
    expect(at(pixels, 0, 0)).toEqual([255, 0, 0])
    expect(at(pixels, 79, 59)).toEqual([255, 0, 0])
    expect(at(pixels, 80, 0)).toEqual([0, 0, 255])
    expect(at(pixels, 99, 59)).toEqual([0, 0, 255])
  })

  test('side by side keeps alpha and 16 bit', async () => {
    const clear = await solid('clear2.png', '#40506040')
    const deep = await put(folder, 'ramp.png', await png16(ramp16(40, 30, 3)))
    const { path, pixels } = await compared(clear, deep, { mode: 'side-by-side' })
    expect(await sharp(path).metadata()).toMatchObject({ depth: 'ushort', channels: 4 })
    expect(at(pixels, 5, 5)).toEqual([0x40, 0x50, 0x60, 0x40])
    const row = await sharp(path)
      .pipelineColourspace('rgb16')
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer()
    const samples = new Uint16Array(row.buffer, row.byteOffset, row.length / 2)
    expect([samples[(40 + 7) * 4], samples[(40 + 7) * 4 + 3]]).toEqual([ramp16(40, 1).data[7], 65535])
  })

  test('compares the first frames of animations, with a note', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'], { width: 40, height: 30 })
    const { report, warnings } = await compared(moving, await solid('blue.png', '#0000ff'))
    expect(report.similarity).toBe(100)
    expect(warnings.join()).toContain('moving.gif has 2 frames')
  })
})

test('keeps no metadata of the inputs', async () => {
  const reported = await put(
    folder,
    'told.png',
    plain(40, 30, '#ffffff')
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .png(),
  )
  for (const mode of ['diff', 'overlay', 'side-by-side'])
    expect((await sharp((await compared(reported, reported, { mode })).path).metadata()).exif).toBeUndefined()
})

test('refuses other numbers of pictures, and incompatible sizes', async () => {
  const one = await solid('single.png', '#ffffff')
  await expect(run(compare, folder, [one])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  await expect(run(compare, folder, [one, one, one])).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
  const [wide, high] = [await solid('wide.png', '#fff000', 30_000, 1), await solid('tall.png', '#fff000', 1, 30_000)]
  await expect(run(compare, folder, [wide, high])).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('30000 x 30000'),
  })
})

test.each([{ diffThreshold: -1 }, { diffThreshold: 256 }, { mode: 'blink' }])('refused: %j', async (settings) => {
  const one = await solid('single.png', '#ffffff')
  await expect(run(compare, folder, [one, one], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
