import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import optimize from '../../../tools/image/convert/optimize-for-web.ts'
import { ARTIST, exifBlock, GPS_DATUM, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  at,
  CORPUS,
  damaged,
  difference,
  fromSamples,
  jpegWithProfile,
  photo,
  plain,
  png16,
  put,
  quarters,
  ramp16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function made(path: string, settings: Record<string, unknown> = {}, options: { strict?: boolean } = {}) {
  const { paths, names, warnings } = await run(optimize, folder, [path], settings, options)
  return { path: paths[0]!, name: names[0]!, warnings, metadata: await sharp(paths[0]!).metadata() }
}

const picture = () => put(folder, 'photo.png', fromSamples(photo(320, 200)).png())

test('WebP of quality 80 by default, with the same size and look', async () => {
  const { path, name, metadata } = await made(await picture())
  expect([name, metadata.format, metadata.width, metadata.height]).toEqual(['photo.webp', 'webp', 320, 200])
  const apart = difference(await readRgba(path), await readRgba(await picture()))
  expect(apart.mean).toBeLessThan(3)
})

test.each([
  ['jpeg', 'photo.jpg', 'jpeg'],
  ['jpg', 'photo.jpg', 'jpeg'],
  ['avif', 'photo.avif', 'heif'],
  ['png', 'photo_optimize-for-web.png', 'png'],
])('%s is written as %s', async (format, wanted, read) => {
  const { name, metadata } = await made(await picture(), { format })
  expect([name, metadata.format]).toEqual([wanted, read])
})

test('quality determines the size, in every format with quality', async () => {
  for (const format of ['webp', 'jpeg', 'avif', 'png']) {
    const sizes: number[] = []
    for (const quality of [1, 50, 100])
      sizes.push((await stat((await made(await picture(), { format, quality })).path)).size)
    expect(sizes[0], format).toBeLessThan(sizes[1]!)
    expect(sizes[1], format).toBeLessThan(sizes[2]!)
  }
})

test('the size cap fits inside and never enlarges', async () => {
  const sizes: unknown[] = []
  for (const cap of [
    { maxWidth: 160 },
    { maxHeight: 50 },
    { maxWidth: 100, maxHeight: 100 },
    { maxWidth: 1 },
    { maxWidth: 5000, maxHeight: 5000 },
  ]) {
    const { metadata } = await made(await picture(), cap)
    sizes.push([metadata.width, metadata.height])
  }
  expect(sizes).toEqual([
    [160, 100],
    [80, 50],
    [100, 63],
    [1, 1],
    [320, 200],
  ])
})

describe('names another format that would be much smaller', () => {
  /** Black lines on white, as of a scanned drawing: the worst case for JPEG. */
  const drawing = () => {
    const data = Uint8Array.from({ length: 900 * 700 * 3 }, (_, index) => {
      const pixel = Math.floor(index / 3)
      return (pixel % 900) % 13 === 0 || Math.floor(pixel / 900) % 17 === 0 ? 0 : 255
    })
    return put(folder, 'drawing.png', fromSamples({ width: 900, height: 700, channels: 3, data }).png())
  }

  test('a drawing as JPEG, a photo as PNG', async () => {
    const [warning] = (await made(await drawing(), { format: 'jpeg' })).warnings
    expect(warning).toMatch(/^drawing\.png: (PNG|WEBP) would be about [5-9]\d % smaller than JPG at this quality$/)
    const noisy = await put(folder, 'large.png', fromSamples(photo(600, 480)).png())
    const { warnings } = await made(noisy, { format: 'png' })
    expect(warnings).toEqual([expect.stringMatching(/^large\.png: (WEBP|JPG) would be about \d\d % smaller than PNG/)])
  })

  test('the estimate is correct', async () => {
    const path = await drawing()
    const { path: jpeg, warnings } = await made(path, { format: 'jpeg' })
    const [, format, percent] = /: (\w+) would be about (\d+) %/.exec(warnings[0]!)!
    const other = await made(path, { format: format!.toLowerCase() })
    const saved = 100 * (1 - (await stat(other.path)).size / (await stat(jpeg)).size)
    expect(saved).toBeGreaterThan(Number(percent) - 15)
  })

  test('is advice: no failure with --strict', async () => {
    const { warnings } = await made(await drawing(), { format: 'jpeg' }, { strict: true })
    expect(warnings).toEqual([expect.stringContaining('would be about')])
  })

  test('no note if the choice is good, or nothing can be gained', async () => {
    const noisy = await put(folder, 'large2.png', fromSamples(photo(600, 480)).png())
    for (const settings of [{}, { format: 'avif', maxWidth: 300 }])
      expect((await made(noisy, settings)).warnings).toEqual([])
    expect(
      (await made(await put(folder, 'tiny.png', plain(40, 40, '#ff0000').png()), { format: 'jpeg' })).warnings,
    ).toEqual([])
  })
})

test('JPEG is progressive by default', async () => {
  expect((await made(await picture(), { format: 'jpeg' })).metadata.isProgressive).toBe(true)
  expect((await made(await picture(), { format: 'jpeg', progressive: false })).metadata.isProgressive).toBe(false)
})

test('PNG has a palette', async () => {
  const { metadata } = await made(await picture(), { format: 'png' })
  expect([metadata.isPalette, metadata.isProgressive]).toEqual([true, false])
})

describe('metadata', () => {
  const source = async () => {
    const jpeg = await sharp(await quarters(64, 48))
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer()
    return put(folder, 'full.jpg', jpegWithExif(jpegWithProfile(jpeg, swappedProfile()), exifBlock(6)))
  }

  test('is removed by default: no byte of the coordinates remains, the picture is upright, in its displayed colours', async () => {
    for (const format of ['webp', 'jpeg', 'png', 'avif']) {
      const { path, metadata } = await made(await source(), { format, quality: 95 })
      const bytes = await readFile(path)
      expect([bytes.includes(GPS_DATUM), bytes.includes(ARTIST), metadata.icc, metadata.exif], format).toEqual([
        false,
        false,
        undefined,
        undefined,
      ])
      const pixels = await readRgba(path)
      expect(pixels, format).toMatchObject({ width: 48, height: 64 })
      // Rotated clockwise the red quarter is at the top right; in the profile red and green are exchanged.
      const [r, g] = at(pixels, 43, 5) as [number, number]
      expect(r, format).toBeLessThan(60)
      expect(g, format).toBeGreaterThan(215)
    }
  })

  test('is kept on request', async () => {
    const { path, metadata } = await made(await source(), { format: 'jpeg', stripMetadata: false })
    const bytes = await readFile(path)
    expect([bytes.includes(GPS_DATUM), bytes.includes(ARTIST), metadata.orientation]).toEqual([true, true, 1])
    expect(metadata.icc?.equals(swappedProfile())).toBe(true)
  })
})

test('keeps alpha if the format supports it, else blends with white', async () => {
  const path = await put(folder, 'clear.png', plain(30, 20, '#ff000000').png())
  expect(at(await readRgba((await made(path)).path), 5, 5)[3]).toBe(0)
  expect(at(await readPixels((await made(path, { format: 'jpeg' })).path), 5, 5)).toEqual([255, 255, 255])
})

test('keeps all frames of an animation in WebP; elsewhere the first, with a warning', async () => {
  const path = await animation(join(folder, 'move.gif'), ['#ff0000', '#00ff00', '#0000ff'])
  const { path: webp, warnings } = await made(path, { maxWidth: 20 })
  const { pages, pageHeight, delay, loop } = await sharp(webp, { animated: true }).metadata()
  expect([pages, pageHeight, delay, loop, warnings]).toEqual([3, 12, [50, 80, 110], 3, []])
  const jpeg = await made(path, { format: 'jpeg' })
  expect(jpeg.warnings).toEqual(['move.gif has 3 frames; JPG holds one picture, so only the first is kept'])
  expect(at(await readPixels(jpeg.path), 10, 10)[0]).toBeGreaterThan(240)
})

test('keeps the look of 16 bit and CMYK pictures', async () => {
  const deep = await put(folder, 'deep.png', await png16(ramp16(64, 16, 3)))
  const { path } = await made(deep, { quality: 100 })
  expect(difference(await readRgba(path), await readRgba(deep)).mean).toBeLessThan(2)
  const inks = await put(
    folder,
    'inks.jpg',
    await plain(32, 32, '#20a040').toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
  )
  const seen = at(await readRgba(inks), 16, 16)
  const [r, g, b] = at(await readRgba((await made(inks, { format: 'png' })).path), 16, 16) as [number, number, number]
  for (const [index, value] of [r, g, b].entries()) expect(Math.abs(value - seen[index]!)).toBeLessThan(6)
  const loss = 'inks.jpg has colours for print (CMYK); the result is in sRGB, where some look different'
  for (const stripMetadata of [true, false]) expect((await made(inks, { stripMetadata })).warnings).toEqual([loss])
})

test('refuses a picture beyond the limit of the format', async () => {
  const path = await put(folder, 'wide.png', plain(16384, 10, '#ff0000').png())
  await expect(made(path)).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: 'wide.png would be 16384 x 10 pixels; WEBP holds at most 16383 on a side',
  })
  expect((await made(path, { maxWidth: 8000 })).metadata.width).toBe(8000)
})

test('preview returns the same bytes, and both sizes', async () => {
  const path = await picture()
  const settings = { format: 'jpeg', quality: 60, maxWidth: 100 }
  const { paths, report, names } = await run(optimize, folder, [path], settings, { action: 'preview' })
  const bytes = await readFile(paths[0]!)
  expect(bytes.equals(await readFile((await made(path, settings)).path))).toBe(true)
  expect(names).toEqual(['photo.jpg'])
  expect(report).toEqual({
    originalSize: (await stat(path)).size,
    processedSize: bytes.length,
    filename: 'photo.jpg',
  })
})

test('refuses a damaged picture', async () => {
  const whole = await readFile(await picture())
  const path = await put(folder, 'bad.png', damaged(whole))
  await expect(made(path)).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

test.skipIf(!existsSync(CORPUS))('reduces a photo from a phone to a tenth of its size', async () => {
  const path = join(CORPUS, 'photos/nokia-8.3.jpg')
  const result = await made(path, { maxWidth: 1600 })
  expect(result.metadata.width).toBe(1600)
  expect((await stat(result.path)).size).toBeLessThan((await stat(path)).size / 10)
})
