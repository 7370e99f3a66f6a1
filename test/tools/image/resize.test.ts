import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import resize from '../../../tools/image/geometry/resize.ts'
import {
  animation,
  at,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const source = () => put(folder, 'wide.png', plain(80, 40, '#c86432').png())

async function sizeOf(settings: Record<string, unknown>, input?: string): Promise<[number, number]> {
  const { paths } = await run(resize, folder, [input ?? (await source())], settings)
  const { width, height } = await sharp(paths[0]!).metadata()
  return [width, height]
}

describe('sizes', () => {
  test.each([
    ['one side', { width: 20 }, [20, 10]],
    ['the other side', { height: 20 }, [40, 20]],
    ['a side rounds to at least 1', { width: 1 }, [1, 1]],
    ['contain', { width: 30, height: 30 }, [30, 30]],
    ['cover', { width: 30, height: 30, fit: 'cover' }, [30, 30]],
    ['fill', { width: 30, height: 50, fit: 'fill' }, [30, 50]],
    ['inside', { width: 30, height: 30, fit: 'inside' }, [30, 15]],
    ['inside enlarges', { width: 160, height: 160, fit: 'inside' }, [160, 80]],
    ['outside', { width: 30, height: 30, fit: 'outside' }, [60, 30]],
    ['outside enlarges', { width: 100, height: 60, fit: 'outside' }, [120, 60]],
    ['percentage, each side rounded', { percentage: 33 }, [26, 13]],
    ['percentage, at least 1', { percentage: 0.1 }, [1, 1]],
    ['percentage wins over sides', { percentage: 50, width: 10, height: 10 }, [40, 20]],
    ['enlarging', { width: 160 }, [160, 80]],
    ['withoutEnlargement, one side', { width: 160, withoutEnlargement: true }, [80, 40]],
    [
      'withoutEnlargement, cover: the box is lowered first',
      { width: 160, height: 20, fit: 'cover', withoutEnlargement: true },
      [80, 20],
    ],
    ['withoutEnlargement, inside', { width: 60, height: 400, fit: 'inside', withoutEnlargement: true }, [60, 30]],
    ['withoutEnlargement, percentage', { percentage: 200, withoutEnlargement: true }, [80, 40]],
    ['a preset', { preset: 'facebook-cover-photo' }, [820, 312]],
    ['a preset with its own width', { preset: 'facebook-cover-photo', width: 100 }, [100, 312]],
  ] as const)('%s', async (_name, settings, size) => {
    expect(await sizeOf(settings)).toEqual(size)
  })

  test.each([
    ['a side beyond the limit', { width: 16383, height: 5000, fit: 'fill' }],
    ['a derived side beyond the limit', { height: 16000 }],
    ['percentage beyond the limit', { percentage: 1000, width: 1 }, 5000],
  ] as [string, Record<string, unknown>, number?][])('%s is refused', async (_name, settings, side = 80) => {
    const input = await put(folder, `side-${side}.png`, plain(side, side / 2, '#000000').png())
    await expect(sizeOf(settings, input)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })

  test('refuses no size', async () => {
    await expect(sizeOf({})).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('bars of contain', () => {
  test('black by default, a colour or transparent on request', async () => {
    const box = { width: 40, height: 40 }
    const black = await run(resize, folder, [await source()], box)
    const pixels = await readRgba(black.paths[0]!)
    expect(at(pixels, 20, 3)).toEqual([0, 0, 0])
    expect(at(pixels, 20, 36)).toEqual([0, 0, 0])
    expect(at(pixels, 20, 20)).toEqual([200, 100, 50])
    const blue = await run(resize, folder, [await source()], { ...box, background: '#0000ff' })
    expect(at(await readRgba(blue.paths[0]!), 20, 3)).toEqual([0, 0, 255])
    const clear = await run(resize, folder, [await source()], { ...box, background: 'transparent' })
    expect(at(await readRgba(clear.paths[0]!), 20, 3)[3]).toBe(0)
    expect(at(await readRgba(clear.paths[0]!), 20, 20)).toEqual([200, 100, 50])
  })

  test('transparent bars in a JPEG: white, like all transparency', async () => {
    const jpeg = await put(
      folder,
      'bars.jpg',
      plain(80, 40, '#c86432').jpeg({ quality: 100, chromaSubsampling: '4:4:4' }),
    )
    const { paths } = await run(resize, folder, [jpeg], { width: 40, height: 40, background: 'transparent' })
    expect(at(await readPixels(paths[0]!), 20, 3)).toEqual([255, 255, 255])
  })

  test('16 bit keeps its depth, and the bars have exact colours', async () => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(400, 100, 3)))
    const { paths } = await run(resize, folder, [deep], { width: 400, height: 400, background: '#ff0000' })
    const samples = await read16(paths[0]!)
    expect(at(samples, 10, 10).slice(0, 3)).toEqual([65535, 0, 0])
    expect(at(samples, 300, 200)[0]).toBe(ramp16(400, 1).data[300])
  })

  test('16-bit grey with black bars stays 16-bit grey', async () => {
    const deep = await put(folder, 'deepgrey.png', await png16(ramp16(400, 100)))
    const { paths } = await run(resize, folder, [deep], { width: 400, height: 400 })
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ depth: 'ushort', space: 'grey16' })
    const samples = await read16(paths[0]!)
    expect(at(samples, 300, 200)[0]).toBe(ramp16(400, 1).data[300])
    expect(at(samples, 10, 10)[0]).toBe(0)
  })

  test('grey and CMYK with coloured bars', async () => {
    const grey = await put(
      folder,
      'grey.png',
      fromSamples(photo(80, 40, 1))
        .toColourspace('b-w')
        .png(),
    )
    const red = await run(resize, folder, [grey], { width: 80, height: 80, background: '#ff0000' })
    expect(at(await readRgba(red.paths[0]!), 5, 5)).toEqual([255, 0, 0])
    expect(at(await readRgba(red.paths[0]!), 30, 40)).toEqual(at(await readRgba(grey), 30, 20))
    const inks = await put(folder, 'inks.jpg', fromSamples(photo(80, 40)).toColourspace('cmyk').jpeg({ quality: 100 }))
    const bars = await run(resize, folder, [inks], { width: 80, height: 80, background: '#ff0000' })
    const [r, g, b] = at(await readRgba(bars.paths[0]!), 5, 5) as [number, number, number]
    expect([r > 240, g < 15, b < 15]).toEqual([true, true, true])
  })
})

describe('cover', () => {
  test('crops to the middle', async () => {
    const stripes = await plain(90, 30, '#ff0000')
      .composite([
        { input: await plain(30, 30, '#00ff00').png().toBuffer(), left: 30, top: 0 },
        { input: await plain(30, 30, '#0000ff').png().toBuffer(), left: 60, top: 0 },
      ])
      .png()
      .toBuffer()
    const { paths } = await run(resize, folder, [await put(folder, 'stripes.png', stripes)], {
      width: 30,
      height: 30,
      fit: 'cover',
    })
    const pixels = await readRgba(paths[0]!)
    for (const x of [2, 15, 27]) expect(at(pixels, x, 15)).toEqual([0, 255, 0])
  })
})

describe('kept properties', () => {
  test('16 bit: more than 256 levels', async () => {
    const deep = await put(folder, 'levels.png', await png16(ramp16(2000, 10)))
    const { paths } = await run(resize, folder, [deep], { width: 1000 })
    expect(new Set((await read16(paths[0]!)).data).size).toBe(1000)
  })

  test('CMYK in JPEG, grey in PNG, alpha in WebP', async () => {
    const inks = await put(folder, 'stay.jpg', fromSamples(photo(80, 40)).toColourspace('cmyk').jpeg())
    expect(await sharp((await run(resize, folder, [inks], { width: 40 })).paths[0]!).metadata()).toMatchObject({
      space: 'cmyk',
      channels: 4,
    })
    const grey = await put(
      folder,
      'stay.png',
      fromSamples(photo(80, 40, 1))
        .toColourspace('b-w')
        .png(),
    )
    expect(await sharp((await run(resize, folder, [grey], { width: 40 })).paths[0]!).metadata()).toMatchObject({
      space: 'b-w',
      channels: 1,
    })
    const alpha = await put(folder, 'stay.webp', fromSamples(photo(80, 40, 4)).webp({ lossless: true }))
    const { paths } = await run(resize, folder, [alpha], { width: 40 })
    const pixels = await readRgba(paths[0]!)
    expect(at(pixels, 5, 0)[3]).toBeLessThan(20)
    expect(at(pixels, 5, 18)[3]).toBeGreaterThan(220)
  })

  test.each(['gif', 'webp'])('all frames of an animated %s, delays and loop count', async (format) => {
    const input = await animation(join(folder, `moving.${format}`), ['#ff0000', '#00ff00', '#0000ff'], {
      delay: [50, 80, 120],
      loop: 3,
    })
    for (const settings of [{ width: 20 }, { width: 30, height: 30, fit: 'cover' }, { width: 30, height: 30 }]) {
      const { paths } = await run(resize, folder, [input], settings)
      const about = await sharp(paths[0]!, { animated: true }).metadata()
      expect(about).toMatchObject({ pages: 3, delay: [50, 80, 120], loop: 3, width: settings.width })
      const middle = [about.width / 2, about.pageHeight! / 2] as const
      const colour = at(await readRgba(paths[0]!, 1), ...middle) as [number, number, number]
      expect([colour[0] < 20, colour[1] > 235, colour[2] < 20]).toEqual([true, true, true])
    }
  })
})

test("names: keeps the spelling of the input's extension", async () => {
  const jpeg = await plain(20, 20, '#102030').jpeg().toBuffer()
  const name = async (given: string, content: Uint8Array) =>
    (await run(resize, folder, [await put(folder, given, content)], { width: 10 })).names[0]
  expect(await name('photo.jpeg', jpeg)).toBe('photo_resize.jpeg')
  expect(await name('PHOTO.JPG', jpeg)).toBe('PHOTO_resize.jpg')
  expect(await name('scan.tif', await plain(20, 20, '#102030').tiff().toBuffer())).toBe('scan_resize.tif')
  expect(await name('really-a-png.jpg', await plain(20, 20, '#102030').png().toBuffer())).toBe(
    'really-a-png_resize.png',
  )
})

describe('a focal point', () => {
  /** 100 × 10: the red value is twice the column. */
  const columns = () => {
    const data = Buffer.alloc(100 * 10 * 3)
    for (let pixel = 0; pixel < 1000; pixel++) data[pixel * 3] = 2 * (pixel % 100)
    return put(folder, 'columns.png', sharp(data, { raw: { width: 100, height: 10, channels: 3 } }).png())
  }
  const left = async (settings: Record<string, unknown>) => {
    const { paths } = await run(resize, folder, [await columns()], { fit: 'cover', ...settings })
    const [first] = at(await readPixels(paths[0]!), 0, 5)
    return first! / 2
  }

  test.each([
    [0, 0],
    [5, 0],
    [30, 20],
    [50, 40],
    [77, 67],
    [100, 80],
  ])('at %i %% cuts from column %i', async (focusX, column) => {
    expect(await left({ width: 20, height: 10, focusX })).toBe(column)
  })

  test('from the top, of an enlarged picture and of an animation', async () => {
    const tall = await put(folder, 'tall.png', await quarters(20, 60))
    const { paths } = await run(resize, folder, [tall], { width: 40, height: 40, fit: 'cover', focusY: 100 })
    const picture = await readPixels(paths[0]!)
    expect([picture.width, picture.height, at(picture, 5, 20), at(picture, 35, 20)]).toEqual([
      ...[40, 40],
      ...[
        [0, 0, 255],
        [255, 255, 255],
      ],
    ])
    const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00'], { width: 40, height: 20 })
    const result = await run(resize, folder, [moving], { width: 10, height: 10, fit: 'cover', focusX: 10 })
    expect(await sharp(result.paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, pageHeight: 10 })
  })

  test('is refused where nothing is cut off', async () => {
    await expect(left({ width: 20, height: 10, fit: 'contain', focusX: 20 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})
