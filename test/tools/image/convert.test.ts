import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import convert from '../../../tools/image/convert/convert.ts'
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
  type Samples,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** RGBA of a written file, by sharp where it can, by ffmpeg for JPEG 2000, else by the decoders of the image medium. */
async function readBack(path: string, format: string, size: { width: number; height: number }): Promise<Samples> {
  if (['jpg', 'png', 'webp', 'avif', 'tiff', 'gif'].includes(format)) return readRgba(path)
  if (format === 'jp2') {
    const data = await captureFfmpeg([...inputArguments(path), '-pix_fmt', 'rgba', '-f', 'rawvideo', 'pipe:1'], {
      maxOutput: 1 << 24,
    })
    return { ...size, channels: 4, data }
  }
  const pixels = await (await decodeImage(await openMediaFile(path))).pixels({ alpha: 'add' })
  return pixels
}

/** Mean difference within the loss of the format: 0 for lossless ones. */
const ALLOWED: Record<string, number> = {
  jpg: 3,
  webp: 3,
  avif: 4,
  heic: 4,
  heif: 4,
  jxl: 3,
  jp2: 3,
  gif: 6,
  png: 0,
  tiff: 0,
  bmp: 0,
  tga: 0,
  qoi: 0,
  ppm: 0,
  psd: 0,
}

const formats = Object.keys(IMAGE_FORMATS).filter((format) => format in ALLOWED)

describe.each(formats)('%s', (format) => {
  const row = IMAGE_FORMATS[format as keyof typeof IMAGE_FORMATS]

  test('a photo round-trips within the loss of the format', async () => {
    const size = { width: 64, height: 48 }
    const source = await put(folder, 'photo.png', fromSamples(photo(64, 48)).png())
    const { paths, names } = await run(convert, folder, [source], { format })
    expect(names).toEqual([format === 'png' ? 'photo_convert.png' : `photo.${format}`])
    expect((await openMediaFile(paths[0]!)).type.id).toBe(format === 'heif' ? 'heic' : format)
    const { mean } = difference(await readBack(paths[0]!, format, size), await readRgba(source))
    expect(mean).toBeLessThanOrEqual(ALLOWED[format]!)
  })

  test('keeps alpha, or blends with white', async () => {
    const size = { width: 64, height: 48 }
    const source = await put(folder, 'clear.png', fromSamples(photo(64, 48, 4)).png())
    const { paths } = await run(convert, folder, [source], { format })
    const read = await readBack(paths[0]!, format, size)
    // GIF has one bit of alpha: nearly transparent pixels become transparent, nearly opaque ones opaque.
    if (format === 'gif') {
      expect(at(read, 5, 1)[3]).toBe(0)
      expect(at(read, 5, 46).length).toBe(3)
      return
    }
    const flat = row.alpha ? source : await sharp(source).flatten({ background: '#ffffff' }).png().toBuffer()
    const visible = async (samples: Samples) =>
      readRgba(await fromSamples(samples).flatten({ background: '#808080' }).png().toBuffer())
    const wanted = await visible(await readRgba(flat))
    expect(difference(await visible(read), wanted).mean).toBeLessThanOrEqual(ALLOWED[format]! + 0.6)
    if (row.alpha) {
      const levels = [2, 24, 45].map((y) => read.data[(y * 64 + 5) * 4 + 3]!)
      const wantedLevels = [2, 24, 45].map((y) => Math.round((255 * y) / 47))
      for (const [index, level] of levels.entries()) expect(Math.abs(level - wantedLevels[index]!)).toBeLessThan(8)
    }
  })
})

test('ico: the usual sizes up to that of the picture, the largest equal to a resize', async () => {
  const source = await put(folder, 'icon.png', plain(60, 30, '#c86432').png())
  const { paths } = await run(convert, folder, [source], { format: 'ico' })
  const file = await readFile(paths[0]!)
  expect(file.readUInt16LE(4)).toBe(3)
  expect([0, 1, 2].map((entry) => file[6 + entry * 16])).toEqual([16, 32, 48])
  const pixels = await (await decodeImage(await openMediaFile(paths[0]!))).pixels({ alpha: 'add' })
  expect(pixels).toMatchObject({ width: 48, height: 48 })
  expect(at(pixels, 24, 24)).toEqual([200, 100, 50])
  expect(at(pixels, 24, 3)[3]).toBe(0)
})

test('eps: bounding box and the pixels in hexadecimal or ASCII85', async () => {
  const source = await put(folder, 'paper.png', plain(20, 10, '#ff0000').png())
  const { paths } = await run(convert, folder, [source], { format: 'eps' })
  const text = await readFile(paths[0]!, 'latin1')
  expect(text).toMatch(/^%!PS-Adobe-3\.0 EPSF/)
  expect(text).toMatch(/%%BoundingBox: 0 0 20 10/)
})

describe('colour', () => {
  test("converts CMYK to the sRGB of sharp's own colour management", async () => {
    const inks = await put(folder, 'inks.jpg', fromSamples(photo(64, 48)).toColourspace('cmyk').jpeg({ quality: 95 }))
    const wanted = await readRgba(await sharp(inks).toColourspace('srgb').png().toBuffer())
    for (const format of ['png', 'webp', 'bmp']) {
      const { paths } = await run(convert, folder, [inks], { format })
      const read = await readBack(paths[0]!, format, { width: 64, height: 48 })
      expect(difference(read, wanted).mean, format).toBeLessThan(format === 'webp' ? 3 : 0.5)
    }
  })

  test('keeps a profile byte for byte with its numbers', async () => {
    const profile = swappedProfile()
    const source = await put(folder, 'own.png', pngWithProfile(await quarters(16, 16), profile))
    for (const format of ['png', 'tiff', 'webp', 'avif', 'jpg']) {
      const { paths } = await run(convert, folder, [source], { format, quality: 100 })
      expect((await sharp(paths[0]!).metadata()).icc?.equals(profile), format).toBe(true)
      const [r, g, b] = at(await readPixels(paths[0]!), 2, 2) as [number, number, number]
      expect([r > 240, g < 15, b < 15], format).toEqual([true, true, true])
    }
  })

  test('formats without profiles get sRGB numbers', async () => {
    const source = await put(folder, 'own2.png', pngWithProfile(await quarters(16, 16), swappedProfile()))
    for (const format of ['bmp', 'qoi', 'ppm', 'psd', 'tga']) {
      const { paths } = await run(convert, folder, [source], { format })
      const [r, g, b] = at(await readBack(paths[0]!, format, { width: 16, height: 16 }), 2, 2) as [
        number,
        number,
        number,
      ]
      expect([r < 30, g > 240, b < 30], format).toEqual([true, true, true])
    }
  })
})

describe('depth', () => {
  test.each(['png', 'tiff', 'psd', 'ppm'])('keeps 16 bit in %s', async (format) => {
    const ramp = ramp16(1000, 4, 3)
    const source = await put(folder, 'deep.png', await png16(ramp))
    const { paths } = await run(convert, folder, [source], { format })
    const again = await run(convert, folder, paths, { format: 'png' })
    expect(difference(await read16(again.paths[0]!), ramp).most).toBe(0)
  })

  test('16 bit with alpha over white, for a format without alpha: white is full white', async () => {
    const clear = new Uint16Array(4 * 4 * 4)
    const source = await put(folder, 'deepclear.png', await png16({ width: 4, height: 4, channels: 4, data: clear }))
    const { paths } = await run(convert, folder, [source], { format: 'ppm' })
    const frame = await decodeImage(await openMediaFile(paths[0]!))
    expect(frame).toMatchObject({ bits: 16, hasAlpha: false })
    const file = await readFile(paths[0]!)
    expect(file.subarray(-24).every((byte) => byte === 255)).toBe(true)
  })

  test('keeps grey in jpg, png and tiff', async () => {
    const source = await put(
      folder,
      'grey.png',
      fromSamples(photo(20, 20, 1))
        .toColourspace('b-w')
        .png(),
    )
    for (const format of ['jpg', 'tiff'])
      expect(
        (await sharp((await run(convert, folder, [source], { format })).paths[0]!).metadata()).channels,
        format,
      ).toBe(1)
  })
})

describe('animation', () => {
  test('GIF to WebP and back keeps frames, delays and loop', async () => {
    const gif = await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00', '#0000ff'], {
      delay: [50, 80, 120],
      loop: 4,
    })
    const webp = await run(convert, folder, [gif], { format: 'webp' })
    expect(await sharp(webp.paths[0]!, { animated: true }).metadata()).toMatchObject({
      pages: 3,
      delay: [50, 80, 120],
      loop: 4,
    })
    const back = await run(convert, folder, webp.paths, { format: 'gif' })
    expect(await sharp(back.paths[0]!, { animated: true }).metadata()).toMatchObject({
      pages: 3,
      delay: [50, 80, 120],
      loop: 4,
    })
    const colour = at(await readRgba(back.paths[0]!, 2), 20, 12) as [number, number, number]
    expect([colour[0] < 10, colour[1] < 10, colour[2] > 245]).toEqual([true, true, true])
  })

  test('to a format without animation: the first frame, with a note', async () => {
    const gif = await animation(join(folder, 'first.gif'), ['#ff0000', '#00ff00'])
    const { paths, warnings } = await run(convert, folder, [gif], { format: 'png' })
    expect(await readPixels(paths[0]!)).toMatchObject({ width: 40, height: 24 })
    expect(at(await readRgba(paths[0]!), 20, 12)).toEqual([255, 0, 0])
    expect(warnings.join()).toMatch(/2 frames/)
  })

  test('a TIFF of several pages: the first, with a note', async () => {
    const pages = await Promise.all(['#ff0000', '#00ff00'].map((colour) => plain(20, 10, colour).png().toBuffer()))
    const tiff = await put(
      folder,
      'pages.tiff',
      sharp(pages, { join: { animated: true } }).tiff({ compression: 'lzw' }),
    )
    expect((await sharp(tiff).metadata()).pages).toBe(2)
    const { paths, warnings } = await run(convert, folder, [tiff], { format: 'png' })
    expect(await readPixels(paths[0]!)).toMatchObject({ width: 20, height: 10 })
    expect(warnings.join()).toMatch(/2 pages/)
  })
})

test('draws SVG at 300 dots per inch', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="96" height="48" fill="#00f"/></svg>'
  const { paths } = await run(convert, folder, [await put(folder, 'drawing.svg', Buffer.from(svg))], { format: 'png' })
  expect(await readPixels(paths[0]!)).toMatchObject({ width: 300, height: 150 })
})

test.each([
  ['1in', '0.5in', 300, 150],
  ['50.8mm', '25.4mm', 600, 300],
  ['96', '48', 300, 150],
] as const)('an SVG of %s x %s has %i x %i pixels at 300 dpi', async (width, height, across, down) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 2 1"><rect width="2" height="1" fill="#00f"/></svg>`
  const { paths } = await run(convert, folder, [await put(folder, 'sized.svg', Buffer.from(svg))], { format: 'png' })
  expect(await readPixels(paths[0]!)).toMatchObject({ width: across, height: down })
  expect(at(await readRgba(paths[0]!), across - 2, down - 2)).toEqual([0, 0, 255])
})

test('quality: larger files, less loss; 4:4:4 from quality 90 on', async () => {
  const source = await put(folder, 'quality.png', fromSamples(photo(128, 96)).png())
  for (const format of ['jpg', 'webp', 'avif', 'jxl', 'jp2']) {
    const bytes = async (quality: number) =>
      (await readFile((await run(convert, folder, [source], { format, quality })).paths[0]!)).length
    expect(await bytes(20), format).toBeLessThan(await bytes(90))
  }
  const subsampling = async (quality: number) =>
    (await sharp((await run(convert, folder, [source], { format: 'jpg', quality })).paths[0]!).metadata())
      .chromaSubsampling
  expect([await subsampling(89), await subsampling(90)]).toEqual(['4:2:0', '4:4:4'])
})

test('names: jpg and not jpeg; does not overwrite an input of that name', async () => {
  const jpeg = await plain(8, 8, '#000000').jpeg().toBuffer()
  const name = async (given: string, format: string) =>
    (await run(convert, folder, [await put(folder, given, jpeg)], { format })).names[0]
  expect(await name('a.jpeg', 'jpeg')).toBe('a.jpg')
  expect(await name('a.jpg', 'jpg')).toBe('a_convert.jpg')
  expect(await name('A.JPG', 'jpg')).toBe('A_convert.jpg')
  expect(await name('a.jpg', 'png')).toBe('a.png')
})
