import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { preparedSizes, stitchLayout } from '../../../tools/image/compose/stitch/layout.ts'
import stitch from '../../../tools/image/compose/stitch.ts'
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
  quarters,
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
const BLUE = [0, 0, 255]
const WHITE = [255, 255, 255]
const solid = (name: string, colour: string, width: number, height: number) =>
  put(folder, name, plain(width, height, colour).png())
const three = () =>
  Promise.all([
    solid('red.png', '#ff0000', 40, 60),
    solid('green.png', '#00ff00', 30, 30),
    solid('blue.png', '#0000ff', 80, 40),
  ])

async function stitched(inputs: string[], settings: Record<string, unknown> = {}) {
  const { paths, names, warnings } = await run(stitch, folder, inputs, settings)
  return { path: paths[0]!, name: names[0]!, warnings, pixels: await readRgba(paths[0]!) }
}

const options = {
  direction: 'horizontal',
  gridColumns: 2,
  resizeMode: 'fit',
  alignment: 'center',
  gap: 0,
  border: 0,
} as const

const SIZES = [
  { width: 40, height: 60 },
  { width: 30, height: 30 },
  { width: 80, height: 40 },
]

describe('sizes', () => {
  const text = (sizes: { width: number; height: number }[]) => sizes.map(({ width, height }) => `${width}x${height}`)

  test.each([
    ['horizontal', 'fit', ['20x30', '30x30', '60x30']],
    ['horizontal', 'stretch', ['40x30', '30x30', '80x30']],
    ['horizontal', 'crop', ['40x30', '30x30', '80x30']],
    ['horizontal', 'original', ['40x60', '30x30', '80x40']],
    ['vertical', 'fit', ['30x45', '30x30', '30x15']],
    ['vertical', 'stretch', ['30x60', '30x30', '30x40']],
    ['vertical', 'crop', ['30x60', '30x30', '30x40']],
    ['vertical', 'original', ['40x60', '30x30', '80x40']],
    // The medians are 40 and 40.
    ['grid', 'fit', ['27x40', '30x30', '40x20']],
    ['grid', 'stretch', ['40x40', '40x40', '40x40']],
    ['grid', 'crop', ['40x40', '40x40', '40x40']],
    ['grid', 'original', ['40x60', '30x30', '80x40']],
  ] as const)('%s %s', (direction, resizeMode, expected) => {
    expect(text(preparedSizes(SIZES, { ...options, direction, resizeMode }))).toEqual(expected)
  })

  test('the median of an even number is the mean of the middle two', () => {
    const sizes = [...SIZES, { width: 100, height: 100 }]
    const [cell] = preparedSizes(sizes, { ...options, direction: 'grid', resizeMode: 'stretch' })
    expect(cell).toEqual({ width: 60, height: 50 })
  })

  test.each([
    ['horizontal', { width: 150 + 2 * 7 + 10, height: 60 + 10 }],
    ['vertical', { width: 80 + 10, height: 130 + 2 * 7 + 10 }],
    ['grid', { width: 2 * 80 + 7 + 10, height: 2 * 60 + 7 + 10 }],
  ] as const)('canvas: images, gaps and borders, %s', (direction, canvas) => {
    expect(stitchLayout(SIZES, { ...options, direction, gap: 7, border: 5 }).canvas).toEqual(canvas)
  })

  test('justify: rows of one width, proportions kept, the last row not higher than the others', () => {
    const sizes = [...SIZES, { width: 50, height: 50 }, { width: 90, height: 30 }]
    const justified = { ...options, direction: 'grid', gridColumns: 2, resizeMode: 'justify', gap: 6 } as const
    const prepared = preparedSizes(sizes, justified)
    const { canvas, places } = stitchLayout(prepared, justified)
    const rows = [places.slice(0, 2), places.slice(2, 4), places.slice(4)]
    for (const row of rows.slice(0, 2)) {
      expect(row[0]!.left).toBe(0)
      expect(row.at(-1)!.left + row.at(-1)!.width).toBe(canvas.width)
    }
    for (const row of rows) expect(new Set(row.map(({ height }) => height)).size).toBe(1)
    for (const [index, { width, height }] of places.entries())
      expect(Math.abs(width - (height * sizes[index]!.width) / sizes[index]!.height)).toBeLessThan(2)
    expect(rows[2]![0]!.height).toBeLessThanOrEqual(Math.max(...prepared.slice(0, 4).map(({ height }) => height)))
    expect(canvas.height).toBe(rows.reduce((sum, row) => sum + row[0]!.height + 6, -6))
  })

  test('at most as many columns as images', () => {
    expect(stitchLayout(SIZES, { ...options, direction: 'grid', gridColumns: 100 }).canvas.width).toBe(240)
  })
})

describe('drawing', () => {
  test('the default: a row of equal height', async () => {
    const { pixels, name, path } = await stitched(await three())
    expect(name).toBe('stitch.png')
    expect(pixels).toMatchObject({ width: 110, height: 30 })
    expect((await sharp(path).metadata()).channels).toBe(3)
    expect([at(pixels, 0, 0), at(pixels, 19, 29)]).toEqual([RED, RED])
    expect([at(pixels, 20, 0), at(pixels, 49, 29)]).toEqual([GREEN, GREEN])
    expect([at(pixels, 50, 0), at(pixels, 109, 29)]).toEqual([BLUE, BLUE])
  })

  test('gap and border have the background colour', async () => {
    const { pixels } = await stitched(await three(), {
      direction: 'vertical',
      gap: 4.4,
      border: 3,
      backgroundColor: '#102030',
    })
    expect(pixels).toMatchObject({ width: 36, height: 90 + 8 + 6 })
    expect([at(pixels, 2, 20), at(pixels, 20, 49), at(pixels, 20, 103)]).toEqual(Array(3).fill([16, 32, 48]))
    expect([at(pixels, 3, 3), at(pixels, 32, 47), at(pixels, 3, 52)]).toEqual([RED, RED, GREEN])
  })

  test.each([
    ['start', 0],
    ['center', 15],
    ['end', 30],
  ])('alignment %s', async (alignment, top) => {
    const { pixels } = await stitched(await three(), { resizeMode: 'original', alignment })
    expect(pixels).toMatchObject({ width: 150, height: 60 })
    expect([at(pixels, 40, top), at(pixels, 69, top + 29)]).toEqual([GREEN, GREEN])
    if (top > 0) expect(at(pixels, 50, top - 1)).toEqual(WHITE)
    if (top < 30) expect(at(pixels, 50, top + 30)).toEqual(WHITE)
  })

  test('fills a grid row by row; cells are as large as the largest picture', async () => {
    const { pixels } = await stitched(await three(), { direction: 'grid', resizeMode: 'original', alignment: 'end' })
    expect(pixels).toMatchObject({ width: 160, height: 120 })
    expect([at(pixels, 40, 0), at(pixels, 79, 59), at(pixels, 39, 30)]).toEqual([RED, RED, WHITE])
    expect([at(pixels, 130, 30), at(pixels, 129, 59)]).toEqual([GREEN, WHITE])
    expect([at(pixels, 0, 80), at(pixels, 79, 119), at(pixels, 100, 100)]).toEqual([BLUE, BLUE, WHITE])
  })

  test('crop keeps the middle, original keeps pixels', async () => {
    const tall = await put(folder, 'tall.png', fromSamples(photo(20, 60)).png())
    const low = await solid('low.png', '#ff0000', 10, 20)
    const { path } = await stitched([tall, low], { resizeMode: 'crop' })
    const part = await sharp(path).extract({ left: 0, top: 0, width: 20, height: 20 }).png().toBuffer()
    const expected = await sharp(tall).extract({ left: 0, top: 20, width: 20, height: 20 }).png().toBuffer()
    expect(difference(await readPixels(part), await readPixels(expected)).most).toBe(0)
  })

  test('rounded outer corners, at most half the shorter side', async () => {
    const { pixels } = await stitched(await three(), { cornerRadius: 500 })
    expect(at(pixels, 1, 1)[3]).toBe(0)
    expect(at(pixels, 108, 28)[3]).toBe(0)
    expect(at(pixels, 15, 0)[3] ?? 255).toBeGreaterThan(200)
    expect(at(pixels, 60, 15)).toEqual(BLUE)
  })

  test('transparent pictures show the background', async () => {
    const clear = await solid('clear.png', '#ff000080', 20, 20)
    const { pixels } = await stitched([clear, clear], { backgroundColor: '#0000ff' })
    const [red, green, blue] = at(pixels, 5, 5) as [number, number, number]
    expect([Math.abs(red - 128) < 2, green, Math.abs(blue - 127) < 2]).toEqual([true, 0, true])
  })
})

describe('formats', () => {
  test.each([
    ['jpeg', 'stitch.jpeg', 'jpeg'],
    ['jpg', 'stitch.jpeg', 'jpeg'],
    ['webp', 'stitch.webp', 'webp'],
    ['avif', 'stitch.avif', 'heif'],
  ])('%s: %s', async (format, expected, found) => {
    const { name, path, pixels } = await stitched(await three(), { format })
    expect(name).toBe(expected)
    expect((await sharp(path).metadata()).format).toBe(found)
    expect(at(pixels, 5, 15)[0]).toBeGreaterThan(240)
  })

  test('jxl', async () => {
    const { names } = await run(stitch, folder, await three(), { format: 'jxl' })
    expect(names).toEqual(['stitch.jxl'])
  })

  test('round corners of a JPEG have the background colour', async () => {
    const { pixels } = await stitched(await three(), { format: 'jpeg', cornerRadius: 15, backgroundColor: '#00ff00' })
    expect(at(pixels, 0, 0)[1]).toBeGreaterThan(200)
  })

  test('keeps 16 bit in PNG, next to 8 bit', async () => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 20, 3)))
    const { path } = await stitched([deep, await solid('mid.png', '#808182', 10, 20)])
    const samples = await read16(path)
    expect(samples).toMatchObject({ width: 310, channels: 3 })
    expect(at(samples, 77, 5)[0]).toBe(ramp16(300, 1).data[77])
    expect(at(samples, 305, 5)).toEqual([0x8080, 0x8181, 0x8282])
    expect((await sharp((await stitched([deep, deep], { format: 'webp' })).path).metadata()).depth).toBe('uchar')
  })
})

describe('types of pictures', () => {
  test('applies EXIF orientation first', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      sharp(await quarters(80, 40))
        .rotate(-90)
        .jpeg({ quality: 100 })
        .withMetadata({ orientation: 6 }),
    )
    const { pixels } = await stitched([turned, await solid('high.png', '#ff0000', 10, 40)])
    expect(pixels).toMatchObject({ width: 90, height: 40 })
    expect(at(pixels, 60, 10)[1]).toBeGreaterThan(240)
  })

  test('converts profiles, grey and CMYK to sRGB', async () => {
    const own = await put(
      folder,
      'own.png',
      pngWithProfile(await plain(20, 20, '#204060').png().toBuffer(), swappedProfile()),
    )
    const grey = await put(folder, 'grey.png', plain(20, 20, '#505050').toColourspace('b-w').png())
    const inks = await put(folder, 'inks.jpg', plain(20, 20, '#ffffff').toColourspace('cmyk').jpeg({ quality: 100 }))
    const { pixels, path } = await stitched([own, grey, inks])
    expect((await sharp(path).metadata()).icc).toBeUndefined()
    const seen = at(await readRgba(await sharp(own).toColourspace('srgb').png().toBuffer()), 5, 5)
    at(pixels, 5, 5).forEach((value, index) => {
      expect(Math.abs(value - seen[index]!)).toBeLessThanOrEqual(1)
    })
    expect(at(pixels, 30, 5)).toEqual([0x50, 0x50, 0x50])
    expect(Math.min(...at(pixels, 50, 5))).toBeGreaterThan(245)
  })

  test('the first frame of animations, with a note', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'])
    const { pixels, warnings } = await stitched([moving, moving])
    expect(at(pixels, 60, 10)).toEqual(BLUE)
    expect(warnings).toHaveLength(2)
  })
})

describe('refusals', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('fewer than two', async () => {
    await expect(stitched([(await three())[0]])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  })

  test('MAX_CANVAS_PIXELS', async () => {
    vi.stubEnv('MAX_CANVAS_PIXELS', '3299')
    await expect(stitched(await three())).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      message: expect.stringContaining('110 x 30'),
    })
    vi.stubEnv('MAX_CANVAS_PIXELS', '3300')
    expect((await stitched(await three())).pixels.width).toBe(110)
  })

  test('a canvas larger than memory', async () => {
    const wide = await solid('wide.png', '#ff0000', 60_000, 1)
    const high = await solid('high.png', '#ff0000', 1, 60_000)
    await expect(stitched([wide, high], { resizeMode: 'original' })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      message: expect.stringContaining('60001 x 60000'),
    })
  })

  test('names an unreadable file', async () => {
    const whole = await sharp((await three())[0])
      .png()
      .toBuffer()
    const broken = await put(folder, 'broken.png', whole.subarray(0, 60))
    await expect(stitched([(await three())[0], broken])).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringContaining('broken.png'),
    })
  })

  test.each([
    { gridColumns: 1 },
    { gridColumns: 101 },
    { gap: 1001 },
    { border: -1 },
    { cornerRadius: 501 },
    { quality: 0 },
    { backgroundColor: 'transparent' },
    { format: 'gif' },
  ])('%j', async (settings) => {
    await expect(stitched(await three(), settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})
