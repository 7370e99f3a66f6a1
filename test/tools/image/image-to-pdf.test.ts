import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { PDFObject } from '../../../src/engines/mupdf.ts'
import { openPdf } from '../../../src/media/pdf/document.ts'
import { pageSize, renderPage } from '../../../src/media/pdf/page/render.ts'
import convert from '../../../tools/image/convert/convert.ts'
import imageToPdf from '../../../tools/image/convert/image-to-pdf.ts'
import { exifBlock, jpegWithExif, STORED } from '../../helpers/exif.ts'
import { complaints } from '../../helpers/pdf.ts'
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
  pngWithProfile,
  put,
  quarters,
  ramp16,
  readPixels,
  readRgba,
  type Samples,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** An image of a page: its properties, and its stream as stored in the file. */
interface Stored {
  facts: Record<string, unknown>
  raw: Buffer
  profile: Buffer | undefined
  mask: Record<string, unknown> | undefined
}

const plainFacts = (image: PDFObject): Record<string, unknown> => ({
  width: image.get('Width').asNumber(),
  height: image.get('Height').asNumber(),
  bits: image.get('BitsPerComponent').asNumber(),
  filter: image.get('Filter').asName(),
  space: image.get('ColorSpace').isArray() ? image.get('ColorSpace', 0).asName() : image.get('ColorSpace').asName(),
})

async function storedImages(pdf: Buffer): Promise<Stored[]> {
  const document = await openPdf(pdf)
  try {
    return Array.from({ length: document.pageCount }, (_, page) => {
      const image = document.pdf.findPage(page).get('Resources', 'XObject', 'Im0')
      const space = image.get('ColorSpace')
      const profile = space.isArray() && space.get(0).asName() === 'ICCBased' ? space.get(1) : undefined
      const mask = image.get('SMask')
      return {
        facts: plainFacts(image),
        raw: Buffer.from(image.readRawStream().asUint8Array()),
        profile: profile && Buffer.from(profile.readStream().asUint8Array()),
        mask: mask.isNull() ? undefined : plainFacts(mask),
      }
    })
  } finally {
    document.close()
  }
}

/** A page as displayed, and its size in points. */
async function seen(pdf: Buffer, page = 1, dpi = 72): Promise<Samples & { points: number[] }> {
  const document = await openPdf(pdf)
  try {
    const { width, height } = pageSize(document, page)
    return { ...(await renderPage(document, page, { dpi })), points: [width, height] }
  } finally {
    document.close()
  }
}

async function made(inputs: string[], settings: Record<string, unknown> = {}) {
  const outcome = await run(imageToPdf, folder, inputs, settings)
  const pdfs = await Promise.all(outcome.paths.map((path) => readFile(path)))
  for (const pdf of pdfs) expect(await complaints(pdf)).toEqual([])
  return { ...outcome, pdfs, pdf: pdfs[0]!, images: await storedImages(pdfs[0]!) }
}

/** The encoded pixels of a PNG. */
function idatOf(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let position = 8; position < png.length; position += 12 + png.readUInt32BE(position))
    if (png.toString('latin1', position + 4, position + 8) === 'IDAT')
      parts.push(png.subarray(position + 8, position + 8 + png.readUInt32BE(position)))
  return Buffer.concat(parts)
}

/** Bounds of non-white pixels, in pixels: left, top, right, bottom (exclusive). */
function inkBounds({ data, width, height, channels }: Samples): number[] {
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const start = (y * width + x) * channels
      if (data[start]! > 250 && data[start + 1]! > 250 && data[start + 2]! > 250) continue
      left = Math.min(left, x)
      top = Math.min(top, y)
      right = Math.max(right, x + 1)
      bottom = Math.max(bottom, y + 1)
    }
  return [left, top, right, bottom]
}

const red = (width: number, height: number, name = 'red.png') =>
  plain(width, height, '#ff0000')
    .png()
    .toBuffer()
    .then((bytes) => put(folder, name, bytes))

describe('pages', () => {
  test.each([
    [{}, [595.28, 841.89]],
    [{ orientation: 'landscape' }, [841.89, 595.28]],
    [{ pageSize: 'Letter' }, [612, 792]],
    [{ pageSize: 'A3' }, [841.89, 1190.55]],
    [{ pageSize: 'A5', orientation: 'landscape' }, [595.28, 419.53]],
  ])('%j', async (settings, wanted) => {
    const { pdf } = await made([await red(20, 10)], settings)
    const { points } = await seen(pdf)
    for (const [index, value] of wanted.entries()) expect(points[index]).toBeCloseTo(value, 2)
  })

  test('a small picture is centred, a pixel is a point', async () => {
    const { pdf, names, report } = await made([await red(100, 50)], { pageSize: 'Letter' })
    expect([names, report]).toEqual([['images.pdf'], { pages: 1 }])
    expect(inkBounds(await seen(pdf))).toEqual([256, 371, 356, 421])
  })

  test('scales a large one down to the area inside the margin', async () => {
    const wide = await red(2000, 1000)
    expect(inkBounds(await seen((await made([wide], { pageSize: 'Letter', margin: 56 })).pdf))).toEqual([
      56, 271, 556, 521,
    ])
    const tall = await red(1000, 4000)
    expect(inkBounds(await seen((await made([tall], { pageSize: 'Letter', margin: 0 })).pdf))).toEqual([
      207, 0, 405, 792,
    ])
  })

  test('pages are in the given order, each with its picture', async () => {
    const colours = ['#ff0000', '#00ff00', '#0000ff']
    const inputs = await Promise.all(
      colours.map((colour, index) => put(folder, `${3 - index}.png`, plain(50, 50, colour).png())),
    )
    const { pdf, report } = await made(inputs)
    expect(report).toEqual({ pages: 3 })
    const middles = await Promise.all([1, 2, 3].map(async (page) => at(await seen(pdf, page), 297, 421)))
    expect(middles).toEqual([
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ])
  })

  test('collate off: a PDF for each, with its name', async () => {
    const inputs = [await red(10, 10, 'a.png'), await red(20, 20, 'b.png')]
    const { names, set, pdfs, report } = await made(inputs, { collate: false })
    expect([names, set, report]).toEqual([['a.pdf', 'b.pdf'], 'images', { pages: 2, collated: false }])
    const widths = await Promise.all(pdfs.map(async (pdf) => (await storedImages(pdf))[0]!.facts.width))
    expect(widths).toEqual([10, 20])
  })

  test('the same pictures give the same bytes', async () => {
    const inputs = [await red(10, 10)]
    expect((await made(inputs)).pdf.equals((await made(inputs)).pdf)).toBe(true)
  })
})

describe('embeds JPEG unchanged', () => {
  const jpegOf = async (options: { quality?: number; progressive?: boolean } = {}) =>
    sharp(await quarters(96, 64))
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4', ...options })
      .toBuffer()

  test.each([{}, { progressive: true }])('RGB %j', async (options) => {
    const jpeg = await jpegOf(options)
    const { images } = await made([await put(folder, 'a.jpg', jpeg)])
    expect(images[0]!.raw.equals(jpeg)).toBe(true)
    expect(images[0]!.facts).toEqual({ width: 96, height: 64, bits: 8, filter: 'DCTDecode', space: 'DeviceRGB' })
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i', async (orientation) => {
    const { rotate, flip, flop } = STORED[orientation]!
    let stored = sharp(await quarters(96, 64))
    if (flop) stored = sharp(await stored.flop().png().toBuffer())
    if (flip) stored = sharp(await stored.flip().png().toBuffer())
    if (rotate) stored = sharp(await stored.rotate(rotate).png().toBuffer())
    const jpeg = jpegWithExif(await stored.jpeg({ quality: 100 }).toBuffer(), exifBlock(orientation))
    const { images, pdf } = await made([await put(folder, 'turned.jpg', jpeg)], { pageSize: 'Letter' })
    expect(images[0]!.raw.equals(jpeg)).toBe(true)
    const page = await seen(pdf)
    expect(inkBounds(page).slice(0, 2)).toEqual([258, 364])
    // Red, green / blue, white.
    const corners = [
      [268, 374],
      [344, 374],
      [268, 418],
      [344, 418],
    ].map(([x, y]) => at(page, x!, y!).map((value) => (value > 128 ? 1 : 0)))
    expect(corners).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1],
    ])
  })

  test('grey', async () => {
    const jpeg = await fromSamples(photo(40, 30, 1))
      .toColourspace('b-w')
      .jpeg()
      .toBuffer()
    const { images } = await made([await put(folder, 'grey.jpg', jpeg)])
    expect(images[0]!.raw.equals(jpeg)).toBe(true)
    expect(images[0]!.facts.space).toBe('DeviceGray')
  })

  test('CMYK, with the polarity of Adobe', async () => {
    const jpeg = await plain(40, 40, '#20a040').toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
    const path = await put(folder, 'inks.jpg', jpeg)
    const { images, pdf } = await made([path])
    expect([images[0]!.raw.equals(jpeg), images[0]!.facts.filter]).toEqual([true, 'DCTDecode'])
    const [r, g, b] = at(await seen(pdf), 297, 421) as [number, number, number]
    expect(g).toBeGreaterThan(Math.max(r, b) + 60)
  })

  test('uses its profile for the colours', async () => {
    const profile = swappedProfile()
    const jpeg = jpegWithProfile(await jpegOf(), profile)
    const { images, pdf } = await made([await put(folder, 'profile.jpg', jpeg)])
    expect(images[0]!.profile?.equals(profile)).toBe(true)
    // In the profile red and green are exchanged.
    const [r, g] = at(await seen(pdf), 260, 400) as [number, number]
    expect([r < 60, g > 200]).toEqual([true, true])
  })

  test('omits a profile for other colours', async () => {
    const grey = await fromSamples(photo(40, 30, 1))
      .toColourspace('b-w')
      .jpeg()
      .toBuffer()
    const { images } = await made([await put(folder, 'wrong.jpg', jpegWithProfile(grey, swappedProfile()))])
    expect([images[0]!.facts.space, images[0]!.profile]).toEqual(['DeviceGray', undefined])
  })
})

describe('without loss', () => {
  /** The picture of the page, drawn at one pixel per pixel. */
  async function pixelsOf(path: string, width: number, height: number): Promise<Samples> {
    const { pdf } = await made([path], { pageSize: 'Letter', margin: 0 })
    const page = await seen(pdf)
    const [left, top] = [(612 - width) / 2, (792 - height) / 2]
    const input = sharp(page.data as Uint8Array, { raw: { width: page.width, height: page.height, channels: 3 } })
    return readPixels(await input.extract({ left, top, width, height }).png().toBuffer())
  }

  test.each(['png', 'webp', 'gif', 'tiff', 'bmp', 'qoi'])('%s', async (format) => {
    const source = await put(
      folder,
      `exact-${format}.png`,
      fromSamples(photo(64, 48)).png({ palette: format === 'gif' }),
    )
    const path =
      format === 'webp'
        ? await put(folder, 'exact.webp', sharp(source).webp({ lossless: true }))
        : format === 'png'
          ? source
          : (await run(convert, folder, [source], { format })).paths[0]!
    const { images } = await made([path])
    expect(images[0]!.facts).toMatchObject({ width: 64, height: 48, filter: 'FlateDecode' })
    const wanted = await sharp(path)
      .removeAlpha()
      .png()
      .toBuffer()
      .catch(() => readFile(source))
    expect(difference(await pixelsOf(path, 64, 48), await readPixels(wanted)).most).toBe(0)
  })

  test('embeds a PNG unchanged, also with a palette, in grey or with 16 bits', async () => {
    const files = {
      rgb: await fromSamples(photo(64, 48)).png().toBuffer(),
      palette: await fromSamples(photo(64, 48)).png({ palette: true, colours: 16 }).toBuffer(),
      grey: await fromSamples(photo(64, 48, 1))
        .toColourspace('b-w')
        .png()
        .toBuffer(),
      deep: await png16(ramp16(64, 48, 3)),
    }
    const facts: Record<string, unknown> = {}
    for (const [name, png] of Object.entries(files)) {
      const { images } = await made([await put(folder, `${name}.png`, png)])
      expect(idatOf(png).equals(images[0]!.raw), name).toBe(true)
      facts[name] = [images[0]!.facts.space, images[0]!.facts.bits]
    }
    expect(facts).toEqual({
      rgb: ['DeviceRGB', 8],
      palette: ['Indexed', 4],
      grey: ['DeviceGray', 8],
      deep: ['DeviceRGB', 16],
    })
  })

  test('palette colours are correct', async () => {
    const path = await put(folder, 'colours.png', sharp(await quarters(64, 48)).png({ palette: true }))
    expect(difference(await pixelsOf(path, 64, 48), await readPixels(await quarters(64, 48))).most).toBe(0)
  })

  test('rewrites an interlaced PNG', async () => {
    const path = await put(folder, 'interlaced.png', fromSamples(photo(64, 48)).png({ progressive: true }))
    expect(difference(await pixelsOf(path, 64, 48), await readPixels(path)).most).toBe(0)
  })

  test('alpha becomes a mask; transparent parts show the paper', async () => {
    const half = plain(40, 40, '#00000000').composite([
      { input: await plain(20, 40, '#ff000080').png().toBuffer(), left: 0, top: 0 },
    ])
    const { images, pdf } = await made([await put(folder, 'half.png', half.png())])
    expect(images[0]!.mask).toEqual({ width: 40, height: 40, bits: 8, filter: 'FlateDecode', space: 'DeviceGray' })
    const page = await seen(pdf)
    const [r, g, b] = at(page, 287, 421) as [number, number, number]
    expect([r > 252, Math.abs(g - 127) < 4, Math.abs(b - 127) < 4]).toEqual([true, true, true])
    expect(at(page, 307, 421)).toEqual([255, 255, 255])
  })

  test('keeps the depth of 16 bit alpha', async () => {
    const png = await sharp(
      Uint16Array.from({ length: 16 * 16 * 4 }, (_, index) => index * 60),
      {
        raw: { width: 16, height: 16, channels: 4 },
      },
    )
      .pipelineColourspace('rgb16')
      .toColourspace('rgb16')
      .png()
      .toBuffer()
    const { images } = await made([await put(folder, 'deep-alpha.png', png)])
    expect([images[0]!.facts.bits, images[0]!.mask?.bits]).toEqual([16, 16])
  })

  test('keeps CMYK', async () => {
    const path = await put(folder, 'inks.tiff', plain(40, 40, '#20a040').toColourspace('cmyk').tiff())
    const { images, pdf } = await made([path])
    expect(images[0]!.facts).toMatchObject({ filter: 'FlateDecode', bits: 8 })
    const [r, g, b] = at(await seen(pdf), 297, 421) as [number, number, number]
    expect(g).toBeGreaterThan(Math.max(r, b) + 60)
  })

  test('keeps the profile of a PNG in the PDF', async () => {
    const png = pngWithProfile(await quarters(64, 48), swappedProfile())
    const { images } = await made([await put(folder, 'profile.png', png)])
    expect(images[0]!.profile?.equals(swappedProfile())).toBe(true)
  })

  test('a page for every page of a TIFF; black and white uses one bit', async () => {
    const pages = await Promise.all(
      [80, 120, 160].map((limit) => fromSamples(photo(64, 48)).greyscale().threshold(limit).png().toBuffer()),
    )
    const path = join(folder, 'fax.tiff')
    await sharp(pages, { join: { animated: true } })
      .toColourspace('b-w')
      .tiff({ bitdepth: 1, compression: 'ccittfax4' })
      .toFile(path)
    const { images, report } = await made([path])
    expect(report).toEqual({ pages: 3 })
    expect(images.map(({ facts }) => [facts.bits, facts.width, facts.height])).toEqual([
      [1, 64, 48],
      [1, 64, 48],
      [1, 64, 48],
    ])
    const { pdf } = await made([path], { pageSize: 'Letter', margin: 0 })
    for (const [index, page] of pages.entries()) {
      const drawn = await seen(pdf, index + 1)
      const cut = await sharp(drawn.data as Uint8Array, { raw: { width: 612, height: 792, channels: 3 } })
        .extract({ left: 274, top: 372, width: 64, height: 48 })
        .png()
        .toBuffer()
      expect(difference(await readRgba(cut), await readRgba(page)).most, String(index)).toBe(0)
    }
  })

  test('draws a drawing for print at its own size', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="36"><rect width="72" height="36" fill="red"/></svg>'
    const { images, pdf } = await made([await put(folder, 'drawing.svg', Buffer.from(svg))], { pageSize: 'Letter' })
    expect(images[0]!.facts).toMatchObject({ width: 300, height: 150 })
    expect(inkBounds(await seen(pdf))).toEqual([270, 378, 342, 414])
  })

  test('uses the first frame of an animation, with a warning', async () => {
    const path = await animation(join(folder, 'move.gif'), ['#ff0000', '#00ff00'])
    const { pdf, warnings } = await made([path])
    expect(warnings).toEqual(['move.gif has 2 frames; a page shows one image, so only the first is used'])
    expect(at(await seen(pdf), 297, 421)).toEqual([255, 0, 0])
  })
})

describe('targetSize', () => {
  const noisy = async (name: string, width = 900, height = 700) => {
    const samples = photo(width, height)
    let state = 7
    const data = samples.data.map((value) => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      return Math.max(0, Math.min(255, value + ((state >> 16) & 31) - 16))
    })
    return put(folder, name, fromSamples({ ...samples, data }).png())
  }

  test('the largest result below the target', async () => {
    const { pdf, report, images } = await made([await noisy('noisy.png')], { targetSize: { value: 150, unit: 'KB' } })
    const { compression } = report as { compression: Record<string, number> }
    expect(compression).toMatchObject({ targetRequested: 153600, targetMet: true })
    expect(images[0]!.facts.filter).toBe('DCTDecode')
    expect(pdf.length).toBeLessThanOrEqual(153600)
    expect(pdf.length).toBeGreaterThan(153600 * 0.95)
    expect(compression.jpegQuality).toBeGreaterThan(10)
    expect(compression.jpegQuality).toBeLessThan(95)
  })

  test('shared by all pages', async () => {
    const inputs = [await noisy('one.png'), await noisy('two.png')]
    const { pdf, report } = await made(inputs, { targetSize: { value: 0.25, unit: 'MB' } })
    expect(report).toMatchObject({ pages: 2, compression: { targetRequested: 262144, targetMet: true } })
    expect(pdf.length).toBeLessThanOrEqual(262144)
    expect(pdf.length).toBeGreaterThan(262144 * 0.9)
  })

  test('shared by separate PDFs', async () => {
    const inputs = [await noisy('one.png'), await noisy('two.png')]
    const { pdfs, report } = await made(inputs, { targetSize: { value: 200, unit: 'KB' }, collate: false })
    expect(report).toMatchObject({ collated: false, compression: { targetMet: true } })
    expect(pdfs.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(204800)
  })

  test('keeps pictures that are small enough', async () => {
    const jpeg = await fromSamples(photo(64, 48)).jpeg().toBuffer()
    const { images, report } = await made([await put(folder, 'small.jpg', jpeg)], {
      targetSize: { value: 50, unit: 'KB' },
    })
    expect(images[0]!.raw.equals(jpeg)).toBe(true)
    expect(report.compression).toEqual({ targetRequested: 51200, targetMet: true, jpegQuality: 100 })
  })

  test('reports an unreachable target, at quality 10', async () => {
    const large = await noisy('large.png', 1800, 1400)
    const { pdf, report } = await made([large, large, large], {
      targetSize: { value: 50, unit: 'KB' },
    })
    expect(pdf.length).toBeGreaterThan(51200)
    expect(report.compression).toEqual({ targetRequested: 51200, targetMet: false, jpegQuality: 10 })
  })

  test('a transparent background becomes white; applies orientation, profile and inks correctly', async () => {
    const clear = await put(folder, 'clear.png', fromSamples(photo(900, 700, 4)).png())
    const turned = await put(
      folder,
      'turned.jpg',
      jpegWithExif(
        jpegWithProfile(
          await sharp(await noisy('n.png'))
            .jpeg({ quality: 100 })
            .toBuffer(),
          swappedProfile(),
        ),
        exifBlock(6),
      ),
    )
    const { images, pdf } = await made([clear, turned], { targetSize: { value: 100, unit: 'KB' } })
    expect(images.map(({ facts, mask }) => [facts.width, facts.height, facts.space, mask])).toEqual([
      [900, 700, 'DeviceRGB', undefined],
      [700, 900, 'DeviceRGB', undefined],
    ])
    const top = at(await seen(pdf, 1), 297, 210)
    expect(Math.min(...top)).toBeGreaterThan(225)
  })

  test.each([
    [{ value: 49, unit: 'KB' }, /at least 50 KB, got 49 KB/],
    [{ value: 0.01, unit: 'MB' }, /at least 50 KB, got 0.01 MB/],
    [{ value: -1, unit: 'KB' }, /targetSize.value/],
    [{ value: 100 }, /targetSize.unit/],
    [{ value: 100, unit: 'GB' }, /targetSize.unit/],
  ])('refuses %j', async (targetSize, message) => {
    await expect(made([await red(5, 5)], { targetSize })).rejects.toMatchObject({ code: 'INVALID_SETTINGS', message })
  })
})

test('refuses a margin larger than the page', async () => {
  await expect(made([await red(5, 5)], { pageSize: 'A5', margin: 210 })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: 'A margin of 210 points leaves no space on A5',
  })
})

test('refuses all if a picture is damaged, and names it', async () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const whole = await fromSamples(photo(300, 200)).toFormat(format).toBuffer()
    const bad = await put(folder, `bad.${format}`, damaged(whole))
    for (const settings of [{}, { targetSize: { value: 50, unit: 'KB' } }])
      await expect(made([await red(5, 5), bad], settings), format).rejects.toMatchObject({
        code: 'INVALID_FILE',
        message: expect.stringContaining(`bad.${format}`),
      })
  }
})

test('shows the available part of a picture that ends early', async () => {
  for (const format of ['jpeg', 'png'] as const) {
    const picture = await fromSamples(photo(300, 200)).toFormat(format).toBuffer()
    const [whole, part] = [
      await made([await put(folder, `whole.${format}`, picture)]),
      await made([await put(folder, `part.${format}`, picture.subarray(0, picture.length * 0.6))]),
    ]
    expect(part.report, format).toEqual({ pages: 1, truncated: true })
    expect(part.warnings, format).toEqual([expect.stringMatching(`^part.${format} ends too early`)])
    expect(part.images[0]!.facts, format).toMatchObject({ width: 300, height: 200 })
    const [left, top, right, bottom] = inkBounds(await seen(whole.pdf)) as [number, number, number, number]
    const shown = await seen(part.pdf)
    const near = at(await seen(whole.pdf), (left + right) >> 1, top + 20)
    expect(at(shown, (left + right) >> 1, top + 20), format).toEqual(near.map((value) => expect.closeTo(value, -1)))
    expect(at(shown, (left + right) >> 1, bottom - 5), format).not.toEqual(
      at(await seen(whole.pdf), (left + right) >> 1, bottom - 5),
    )
  }
})

describe.skipIf(!existsSync(CORPUS))('real pictures', () => {
  test('photos, a fax and a drawing with CMYK between them', async () => {
    const inputs = [
      'photos/nokia-8.3.jpg',
      'metadata/orientation-6-portrait.jpg',
      'formats/cmyk-with-profile.jpg',
      'formats/multipage-fax.tif',
      'formats/grey-alpha-16bit.png',
      'formats/alpha-512.heic',
      'formats/photoshop.tiff',
    ].map((name) => join(CORPUS, name))
    const { report, images, pdf } = await made(inputs)
    expect(report).toEqual({ pages: 8 })
    expect(images.slice(0, 3).map(({ facts }) => facts.filter)).toEqual(['DCTDecode', 'DCTDecode', 'DCTDecode'])
    const jpegs = await Promise.all(inputs.slice(0, 3).map((path) => readFile(path)))
    expect(jpegs.map((jpeg, index) => images[index]!.raw.equals(jpeg))).toEqual([true, true, true])
    expect(images.slice(3, 5).map(({ facts }) => facts.bits)).toEqual([1, 1])
    // CMYK with its profile looks as in sharp.
    const page = await seen(pdf, 3)
    const [left, top, right, bottom] = inkBounds(page) as [number, number, number, number]
    const { width, height } = { width: right - left, height: bottom - top }
    const shown = await sharp(page.data as Uint8Array, { raw: { width: page.width, height: page.height, channels: 3 } })
      .extract({ left, top, width, height })
      .resize(12, 8, { fit: 'fill' })
      .png()
      .toBuffer()
    const wanted = await sharp(inputs[2]).toColourspace('srgb').resize(12, 8, { fit: 'fill' }).png().toBuffer()
    expect(difference(await readRgba(shown), await readRgba(wanted)).mean).toBeLessThan(6)
  })
})
