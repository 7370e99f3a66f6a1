import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { canTake, flowAfter } from '../../../src/pipeline/plan/flow.ts'
import split from '../../../tools/image/geometry/split.ts'
import {
  animation,
  at,
  damaged,
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
import { type Outcome, run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const base = () => put(folder, 'base.png', fromSamples(photo(100, 61)).png())
const cut = async (settings: Record<string, unknown> = {}, input?: string) =>
  run(split, folder, [input ?? (await base())], settings)

/** Every tile by its name: width x height. */
async function sizes({ names, paths }: Outcome): Promise<Record<string, string>> {
  const entries = names.map(async (name, index) => {
    const { width, height } = await sharp(paths[index]!).metadata()
    return [name, `${width}x${height}`] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

test('nine tiles; the last ones contain the rest; together they are the picture', async () => {
  const outcome = await cut()
  expect(outcome.set).toMatch(/_split$/)
  expect(await sizes(outcome)).toEqual({
    'base_r1_c1.png': '33x20',
    'base_r1_c2.png': '33x20',
    'base_r1_c3.png': '34x20',
    'base_r2_c1.png': '33x20',
    'base_r2_c2.png': '33x20',
    'base_r2_c3.png': '34x20',
    'base_r3_c1.png': '33x21',
    'base_r3_c2.png': '33x21',
    'base_r3_c3.png': '34x21',
  })
  const joined = await sharp({ create: { width: 100, height: 61, channels: 3, background: '#000000' } })
    .composite(
      outcome.paths.map((input, index) => ({ input, left: (index % 3) * 33, top: Math.floor(index / 3) * 20 })),
    )
    .removeAlpha()
    .png()
    .toBuffer()
  expect(difference(await readPixels(joined), await readPixels(await base())).most).toBe(0)
})

describe('number of tiles', () => {
  test.each([
    [{ mode: 'rows', rows: 2, cols: 5 }, ['100x30', '100x31']],
    [{ mode: 'cols', rows: 5, cols: 2 }, ['50x61', '50x61']],
    [{ rows: 1, cols: 1 }, ['100x61']],
    [{ rows: 1, columns: 2 }, ['50x61', '50x61']],
    [{ rows: 9, cols: 9, tileWidth: 60, tileHeight: 40 }, ['60x40', '40x40', '60x21', '40x21']],
    [{ mode: 'rows', tileWidth: 60, tileHeight: 40 }, ['100x40', '100x21']],
    [{ mode: 'cols', tileWidth: 60, tileHeight: 40 }, ['60x61', '40x61']],
    [{ rows: 1, cols: 2, tileWidth: 10 }, ['50x61', '50x61']],
    [{ tileWidth: 500, tileHeight: 500 }, ['100x61']],
  ])('%j', async (settings, expected) => {
    expect(Object.values(await sizes(await cut(settings)))).toEqual(expected)
  })

  test('100 by 1, and at most the number of pixels', async () => {
    expect((await cut({ rows: 1, cols: 100 })).names).toHaveLength(100)
    await expect(cut({ rows: 62, cols: 1 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('61 pixels'),
    })
  })

  test('more than 100 tiles in a row: the last contains the rest, with a note', async () => {
    const wide = await put(folder, 'wide.png', plain(1200, 10, '#ff0000').png())
    const outcome = await cut({ tileWidth: 10, tileHeight: 10 }, wide)
    const widths = Object.values(await sizes(outcome))
    expect([widths.length, widths[98], widths[99]]).toEqual([100, '10x10', '210x10'])
    expect(outcome.warnings.join()).toContain('120 columns')
  })
})

describe('formats', () => {
  test.each([
    ['photo.jpeg', 'original', 'photo_r1_c1.jpeg', 'jpeg'],
    ['photo.jpeg', 'jpg', 'photo_r1_c1.jpg', 'jpeg'],
    ['photo.tif', 'original', 'photo_r1_c1.tif', 'tiff'],
    ['photo.webp', 'original', 'photo_r1_c1.webp', 'webp'],
    ['photo.png', 'webp', 'photo_r1_c1.webp', 'webp'],
    ['photo.png', 'avif', 'photo_r1_c1.avif', 'heif'],
  ])('%s as %s: %s', async (name, outputFormat, expected, format) => {
    const encoder = { jpeg: 'jpeg', tif: 'tiff', webp: 'webp', png: 'png' }[name.split('.')[1]!] as 'png'
    const input = await put(folder, name, fromSamples(photo(40, 40)).toFormat(encoder))
    const { names, paths } = await cut({ rows: 1, cols: 1, outputFormat }, input)
    expect(names).toEqual([expected])
    expect((await sharp(paths[0]!).metadata()).format).toBe(format)
  })

  test('jxl', async () => {
    expect((await cut({ rows: 1, cols: 1, outputFormat: 'jxl' })).names).toEqual(['base_r1_c1.jxl'])
  })

  test('quality only applies to lossy formats', async () => {
    const bytes = async (settings: Record<string, unknown>) => {
      const { paths } = await cut({ rows: 1, cols: 1, ...settings })
      return (await stat(paths[0]!)).size
    }
    expect(await bytes({ outputFormat: 'jpg', quality: 1 })).toBeLessThan(
      await bytes({ outputFormat: 'jpg', quality: 100 }),
    )
    const tiff = await put(folder, 'exact.tiff', fromSamples(photo(40, 40)).tiff({ compression: 'lzw' }))
    const { paths } = await cut({ rows: 1, cols: 1, quality: 5 }, tiff)
    expect(difference(await readPixels(paths[0]!), await readPixels(tiff)).most).toBe(0)
  })
})

/** The four inks as they are stored. */
async function readInks(path: string) {
  const image = sharp(path, { ignoreIcc: true }).pipelineColourspace('cmyk').toColourspace('cmyk')
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

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
    const { paths } = await cut({ rows: 2, cols: 2 }, turned)
    const colours = await Promise.all(paths.map(async (path) => at(await readRgba(path), 20, 10)))
    expect(colours.map((colour) => colour.map((value) => (value > 127 ? 1 : 0)).join(''))).toEqual([
      '100',
      '010',
      '001',
      '111',
    ])
    expect((await sharp(paths[0]!).metadata()).orientation ?? 1).toBe(1)
  })

  test('keeps alpha and 16 bit', async () => {
    const clear = await put(folder, 'clear.png', fromSamples(photo(40, 40, 4)).png())
    const { paths } = await cut({ rows: 2, cols: 2 }, clear)
    const expected = await sharp(clear).extract({ left: 20, top: 20, width: 20, height: 20 }).png().toBuffer()
    expect(difference(await readPixels(paths[3]!), await readPixels(expected)).most).toBe(0)
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 20)))
    const part = await read16((await cut({ rows: 1, cols: 3 }, deep)).paths[1]!)
    expect(part).toMatchObject({ width: 100, channels: 1 })
    expect([...part.data.subarray(0, 100)]).toEqual([...ramp16(300, 1).data.subarray(100, 200)])
  })

  test('keeps profile and EXIF in every tile', async () => {
    const profile = swappedProfile()
    const reported = await sharp(await base())
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .png()
      .toBuffer()
    const own = await put(folder, 'own.png', pngWithProfile(reported, profile))
    const { paths } = await cut({ rows: 2, cols: 2 }, own)
    for (const path of paths) {
      const { icc, exif } = await sharp(path).metadata()
      expect(icc?.equals(profile)).toBe(true)
      expect(exif?.includes('somebody')).toBe(true)
    }
    const expected = await readPixels(
      await sharp(await base())
        .extract({ left: 50, top: 30, width: 50, height: 31 })
        .png()
        .toBuffer(),
    )
    expect(difference(await readPixels(paths[3]!), expected).most).toBe(0)
  })

  test('keeps CMYK in a JPEG', async () => {
    const inks = await put(folder, 'inks.jpg', plain(40, 30, '#4080c0').toColourspace('cmyk').jpeg({ quality: 100 }))
    const { paths } = await cut({ rows: 1, cols: 2 }, inks)
    for (const path of paths) expect((await sharp(path).metadata()).space).toBe('cmyk')
    const inkOf = async (path: string) =>
      at({ ...(await readInks(path)) }, 10, 10).map((value) => Math.round(value / 4))
    expect(await inkOf(paths[1]!)).toEqual(await inkOf(inks))
  })

  test('cuts an animation into animations; uses the first frame in other formats, with one note', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'])
    const { paths } = await cut({ rows: 2, cols: 2 }, moving)
    for (const path of paths) {
      expect(await sharp(path, { animated: true }).metadata()).toMatchObject({
        pages: 2,
        width: 20,
        pageHeight: 12,
        delay: [50, 80],
        loop: 3,
      })
      expect(at(await readRgba(path, 1), 10, 6)[1]).toBeGreaterThan(248)
    }
    const still = await cut({ rows: 2, cols: 2, outputFormat: 'png' }, moving)
    expect(still.warnings).toHaveLength(1)
    expect(at(await readRgba(still.paths[2]!), 10, 6)).toEqual([0, 0, 255])
  })
})

test('in a pipeline pictures may follow, in any format', () => {
  for (const outputFormat of ['original', 'webp'])
    expect(canTake({ accept: ['image'] }, flowAfter(split, { outputFormat }, { types: ['jpg'], several: false }))).toBe(
      true,
    )
})

test('a damaged file creates no files', async () => {
  const whole = await sharp(await base())
    .jpeg()
    .toBuffer()
  const broken = await put(folder, 'broken.jpg', damaged(whole))
  await expect(cut({}, broken)).rejects.toMatchObject({
    code: 'INVALID_FILE',
    message: expect.stringContaining('broken.jpg'),
  })
})

test.each([
  { rows: 0 },
  { cols: 101 },
  { tileWidth: 9, tileHeight: 20 },
  { tileHeight: 0 },
  { quality: 0 },
  { quality: 101 },
  { mode: 'hex' },
  { outputFormat: 'bmp' },
])('refused: %j', async (settings) => {
  await expect(cut(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})
