/** TIFFs of several pages: all are kept if the output supports them. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { joinTiffs } from '../../../src/media/codecs/tiff-join.ts'
import compress from '../../../tools/image/convert/compress.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { at, fromSamples, photo, plain, png16, put, ramp16, readRgba, swappedProfile } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A red page, a larger blue one that is transparent at the bottom, and a grey one of 16 bit with its own resolution. */
async function document(name: string): Promise<string> {
  const pages = await Promise.all([
    plain(40, 20, '#ff0000').tiff({ compression: 'lzw' }).toBuffer(),
    plain(30, 60, '#0000ff80').tiff({ compression: 'deflate', xres: 11.811, yres: 11.811 }).toBuffer(),
    sharp(await png16(ramp16(300, 4)))
      .pipelineColourspace('grey16')
      .toColourspace('grey16')
      .tiff({ compression: 'none' })
      .toBuffer(),
  ])
  return put(folder, name, joinTiffs(pages))
}

const page = async (path: string, index: number) => sharp(path, { page: index }).metadata()

describe('to TIFF', () => {
  test('processes every page with its own size, depth and alpha', async () => {
    const source = await document('three.tif')
    const { paths, warnings, names } = await run(resize, folder, [source], { percentage: 50 })
    expect([warnings, names]).toEqual([[], ['three_resize.tif']])
    const pages = await Promise.all([0, 1, 2].map((index) => page(paths[0]!, index)))
    expect(pages.map(({ width, height, channels, depth }) => [width, height, channels, depth])).toEqual([
      [20, 10, 3, 'uchar'],
      [15, 30, 4, 'uchar'],
      [150, 2, 1, 'ushort'],
    ])
    expect(pages[0]!.pages).toBe(3)
    expect(pages[1]!.density).toBe(300)
    expect(at(await readRgba(paths[0]!, 0), 5, 5)).toEqual([255, 0, 0])
    expect(at(await readRgba(paths[0]!, 1), 5, 5)).toEqual([0, 0, 255, 128])
  })

  test("keeps each page's profile", async () => {
    const profile = swappedProfile()
    const first = await sharp(await put(folder, 'p.png', fromSamples(photo(20, 10)).png()))
      .tiff()
      .toBuffer()
    const icc = await put(folder, 'swapped.icc', profile)
    const second = await fromSamples(photo(20, 10)).withIccProfile(icc).tiff().toBuffer()
    const source = await put(folder, 'profiles.tiff', joinTiffs([first, second]))
    const { paths } = await run(resize, folder, [source], { width: 10 })
    expect((await page(paths[0]!, 0)).icc).toBeUndefined()
    expect((await page(paths[0]!, 1)).icc?.equals((await page(source, 1)).icc!)).toBe(true)
  })

  test('compress always returns all pages', async () => {
    const source = await document('small.tiff')
    for (const settings of [{}, { mode: 'targetSize', targetSizeKb: 20 }]) {
      const { paths } = await run(compress, folder, [source], settings)
      expect((await page(paths[0]!, 0)).pages).toBe(3)
    }
    const { paths } = await run(strip, folder, [source])
    expect((await page(paths[0]!, 2)).width).toBe(300)
  })
})

describe('to a format with one picture', () => {
  test('takes the first page with a warning, or the requested one', async () => {
    const source = await document('choice.tiff')
    const { warnings, paths } = await run(convert, folder, [source], { format: 'png' })
    expect(warnings).toEqual(['choice.tiff has 3 pages; only the first is used'])
    expect(at(await readRgba(paths[0]!), 5, 5)).toEqual([255, 0, 0])
    const second = await run(convert, folder, [source], { format: 'png', page: 2 })
    expect(second.warnings).toEqual([])
    expect(at(await readRgba(second.paths[0]!), 5, 5)).toEqual([0, 0, 255, 128])
    const alone = await run(convert, folder, [source], { format: 'tiff', page: 3 })
    expect(await sharp(alone.paths[0]!).metadata()).toMatchObject({ pages: 1, width: 300 })
  })

  test('refuses a missing page', async () => {
    const source = await document('few.tiff')
    await expect(run(convert, folder, [source], { format: 'png', page: 4 })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      status: 400,
      message: 'few.tiff has no page 4',
      hint: 'Its pages are 1 to 3.',
    })
    const png = await put(folder, 'one.png', plain(5, 5, '#ff0000').png())
    await expect(run(convert, folder, [png], { format: 'jpg', page: 2 })).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
    })
  })
})

test('the levels of a pyramid are not pages, and are dropped', async () => {
  const large = plain(300, 200, '#ff0000').tiff({ tile: true, tileWidth: 64, tileHeight: 64, pyramid: true })
  const source = await put(folder, 'pyramid.tiff', large)
  expect((await sharp(source).metadata()).pages).toBeGreaterThan(1)
  const { paths, warnings } = await run(resize, folder, [source], { width: 20 })
  expect(warnings).toEqual([])
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ pages: 1, width: 20 })
})
