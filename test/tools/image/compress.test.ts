import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { squeezePng } from '../../../src/engines/pictures/oxipng.ts'
import { encodeBmp } from '../../../src/media/codecs/bmp/bmp.ts'
import { encodeTga } from '../../../src/media/codecs/tga.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import compress from '../../../tools/image/convert/compress.ts'
import { exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { fused } from '../../helpers/pipeline.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const picture = fromSamples(photo(320, 240))
const SOURCES: Record<string, () => Promise<string>> = {
  jpg: () => put(folder, 'photo.jpg', picture.clone().jpeg({ quality: 97 })),
  png: () => put(folder, 'photo.png', picture.clone().png()),
  webp: () => put(folder, 'photo.webp', picture.clone().webp({ quality: 97 })),
  avif: () => put(folder, 'photo.avif', picture.clone().avif({ quality: 90, effort: 2 })),
  tiff: () => put(folder, 'photo.tiff', picture.clone().tiff({ compression: 'lzw' })),
  gif: () => put(folder, 'photo.gif', picture.clone().gif()),
}

const bytesOf = async (path: string): Promise<number> => (await stat(path)).size

describe.each(Object.keys(SOURCES))('%s', (format) => {
  test('smaller, with the same format and size, and similar', async () => {
    const source = await SOURCES[format]!()
    const { paths, report } = await run(compress, folder, [source], { quality: 70 })
    expect(await bytesOf(paths[0]!)).toBeLessThan(await bytesOf(source))
    expect(report.kept).toBeUndefined()
    expect(paths[0]!.endsWith(`_compress.${format}`)).toBe(true)
    expect((await sharp(paths[0]!).metadata()).format).toBe({ jpg: 'jpeg', avif: 'heif' }[format] ?? format)
    expect(difference(await readRgba(paths[0]!), await readRgba(source)).mean).toBeLessThan(6)
  })

  test('repeated compression never enlarges', async () => {
    const first = await run(compress, folder, [await SOURCES[format]!()], { quality: 40 })
    const second = await run(compress, folder, first.paths, { quality: 95 })
    expect(await bytesOf(second.paths[0]!)).toBeLessThanOrEqual(await bytesOf(first.paths[0]!))
  })
})

describe('a byte target', () => {
  test.each(['jpg', 'webp', 'avif'])('%s: within the budget and using 95 %% of it', async (format) => {
    const source = await SOURCES[format]!()
    const small = await bytesOf((await run(compress, folder, [source], { quality: 50 })).paths[0]!)
    const targetSizeKb = (small * 1.4) / 1000
    const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb })
    const bytes = await bytesOf(paths[0]!)
    expect(report.targetMet).toBe(true)
    expect(bytes).toBeLessThanOrEqual(Math.floor(targetSizeKb * 1000))
    // If 95 % is between two qualities, the next quality would exceed the budget.
    const next = await run(compress, folder, [source], { quality: Number(report.quality) + 1 })
    expect(bytes >= targetSizeKb * 950 || (await bytesOf(next.paths[0]!)) > targetSizeKb * 1000).toBe(true)
  })

  test('JPEG: uses a budget between half and full chroma resolution', async () => {
    const source = await SOURCES.jpg!()
    const sizes = async (quality: number) => bytesOf((await run(compress, folder, [source], { quality })).paths[0]!)
    const [below, above] = [await sizes(89), await sizes(90)]
    expect(above / below).toBeGreaterThan(1.1)
    const target = below + (above - below) * 0.7
    const settings = { mode: 'targetSize', targetSizeKb: target / 1000 }
    const { paths } = await run(compress, folder, [source], settings)
    const bytes = await bytesOf(paths[0]!)
    expect(bytes).toBeLessThanOrEqual(target)
    expect(bytes).toBeGreaterThan(below * 1.03)
  })

  test('PNG: counts the size after optimising, so that a better quality fits', async () => {
    const source = await SOURCES.png!()
    for (const quality of [10, 40]) {
      const within = (await bytesOf((await run(compress, folder, [source], { quality })).paths[0]!)) * 1.01
      const { paths, report } = await run(compress, folder, [source], {
        mode: 'targetSize',
        targetSizeKb: within / 1000,
      })
      const bytes = await bytesOf(paths[0]!)
      expect(bytes, `${quality}`).toBeLessThanOrEqual(within)
      expect(bytes / within, `${quality}: quality ${report.quality}`).toBeGreaterThan(0.93)
    }
  })

  test.each(['png', 'gif'])('%s: within the budget', async (format) => {
    const source = await SOURCES[format]!()
    const targetSizeKb = ((await bytesOf(source)) * 0.6) / 1000
    const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb })
    expect(report.targetMet).toBe(true)
    expect(await bytesOf(paths[0]!)).toBeLessThanOrEqual(targetSizeKb * 1000)
  })

  test('out of reach: the smallest possible size, with a note', async () => {
    const source = await SOURCES.jpg!()
    const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb: 0.5 })
    expect(report.targetMet).toBe(false)
    const smallest = await run(compress, folder, [source], { quality: 1 })
    expect(await bytesOf(paths[0]!)).toBe(await bytesOf(smallest.paths[0]!))
  })

  test('already small enough: returns the input', async () => {
    const source = await SOURCES.jpg!()
    const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb: 5000 })
    expect(report).toMatchObject({ targetMet: true, kept: true })
    expect((await readFile(paths[0]!)).equals(await readFile(source))).toBe(true)
  })

  test('targetSize without a size uses the quality', async () => {
    const source = await SOURCES.jpg!()
    const one = await run(compress, folder, [source], { mode: 'targetSize', quality: 30 })
    const other = await run(compress, folder, [source], { quality: 30 })
    expect((await readFile(one.paths[0]!)).equals(await readFile(other.paths[0]!))).toBe(true)
    expect(one.report.targetMet).toBeUndefined()
  })
})

test('returns a rotated photograph that cannot get smaller with its orientation', async () => {
  const jpeg = await picture.clone().jpeg({ quality: 20, mozjpeg: true }).toBuffer()
  const source = await put(folder, 'turned.jpg', jpegWithExif(jpeg, exifBlock(6)))
  const { paths, report } = await run(compress, folder, [source], { quality: 95 })
  expect(report.kept).toBe(true)
  expect((await readFile(paths[0]!)).equals(await readFile(source))).toBe(true)
})

test('PNG: keeps alpha, converts colours to a palette', async () => {
  const source = await put(folder, 'alpha.png', fromSamples(photo(120, 90, 4)).png())
  const { paths } = await run(compress, folder, [source], { quality: 60 })
  const pixels = await readPixels(paths[0]!)
  expect(pixels.channels).toBe(4)
  expect((await sharp(paths[0]!).metadata()).isPalette).toBe(true)
  expect(Math.abs(at(pixels, 60, 45)[3]! - 129)).toBeLessThan(20)
})

test('an animation keeps its frames, delays and loop', async () => {
  for (const format of ['gif', 'webp']) {
    const input = await animation(join(folder, `moving.${format}`), ['#ff0000', '#00ff00', '#0000ff'], {
      width: 200,
      height: 150,
    })
    const { paths } = await run(compress, folder, [input], { quality: 50 })
    expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({
      pages: 3,
      delay: [50, 80, 110],
      loop: 3,
    })
  }
})

test('BMP: a photograph becomes JPEG, with that extension', async () => {
  const source = await put(folder, 'old.bmp', encodeBmp({ ...photo(64, 48), channels: 3, depth: 8 }))
  const { names, paths } = await run(compress, folder, [source], {})
  expect(names).toEqual(['old_compress.jpg'])
  expect((await sharp(paths[0]!).metadata()).format).toBe('jpeg')
})

test('does not enlarge a plain picture of a few bytes', async () => {
  for (const format of ['png', 'jpg', 'gif', 'webp'] as const) {
    const tiny = await put(
      folder,
      `tiny.${format}`,
      plain(2, 2, '#ff0000').toFormat(format === 'jpg' ? 'jpeg' : format),
    )
    const { paths } = await run(compress, folder, [tiny], { quality: 100 })
    expect(await bytesOf(paths[0]!), format).toBeLessThanOrEqual(await bytesOf(tiny))
  }
})

test.each([1, 2, 5, 30])(
  'BMP and TGA of %i pixels a side: not enlarged, and the returned file keeps its type',
  async (side) => {
    // Noise is incompressible.
    const noise = Uint8Array.from({ length: side * side * 3 }, (_, index) => (index * 7919 * (index + 13)) % 251)
    const picture = { width: side, height: side, channels: 3, depth: 8, data: noise } as const
    for (const [type, bytes] of [
      ['bmp', encodeBmp(picture)],
      ['tga', encodeTga(picture)],
    ] as const) {
      const source = await put(folder, `noise-${side}.${type}`, bytes)
      for (const settings of [{ quality: 100 }, { mode: 'targetSize', targetSizeKb: 1000 }]) {
        const { paths, names, report } = await run(compress, folder, [source], settings)
        expect(await bytesOf(paths[0]!), `${type} ${JSON.stringify(settings)}`).toBeLessThanOrEqual(bytes.length)
        const written = await openMediaFile(paths[0]!)
        expect(names).toEqual([`noise-${side}_compress.${written.type.id}`])
        expect(written.type.id === type).toBe(report.kept === true)
      }
    }
  },
)

test('keeps a type requested by an earlier step, even if the input is smaller', async () => {
  const source = await put(
    folder,
    'spot.bmp',
    encodeBmp({ width: 1, height: 1, channels: 3, depth: 8, data: new Uint8Array(3) }),
  )
  const { paths } = await fused([['convert', { format: 'jpg' }], ['compress']], folder, source)
  expect((await openMediaFile(paths[0]!)).type.id).toBe('jpg')
})

describe('allowResize', () => {
  test.each(['jpg', 'webp', 'png'])(
    '%s: reaches the target with fewer pixels instead of bad quality',
    async (format) => {
      const source = await SOURCES[format]!()
      const poor = await bytesOf((await run(compress, folder, [source], { quality: 40 })).paths[0]!)
      const settings = { mode: 'targetSize', targetSizeKb: poor / 2000, allowResize: true }
      const { paths, report, warnings } = await run(compress, folder, [source], settings)
      const bytes = await bytesOf(paths[0]!)
      expect([report.targetMet, warnings]).toEqual([true, []])
      expect([bytes <= poor / 2, bytes > (poor / 2) * 0.8]).toEqual([true, true])
      const { width, height } = await sharp(paths[0]!).metadata()
      expect(report.resized).toEqual({ width, height })
      expect(width! < 320 && Math.abs(width! / height! - 4 / 3) < 0.05).toBe(true)
      const before = await sharp(source).resize(width, height, { fit: 'fill' }).png().toBuffer()
      expect(difference(await readRgba(paths[0]!), await readRgba(before)).mean).toBeLessThan(12)
    },
  )

  test('an animation keeps its frames', async () => {
    const input = await animation(join(folder, 'large.gif'), ['#ff0000', '#00ff00', '#0000ff'], {
      width: 300,
      height: 200,
    })
    const settings = { mode: 'targetSize', targetSizeKb: 0.4, allowResize: true }
    const { paths } = await run(compress, folder, [input], settings)
    expect((await sharp(paths[0]!, { animated: true }).metadata()).pages).toBe(3)
  })

  test('not required: keeps the size', async () => {
    const source = await SOURCES.jpg!()
    const targetSizeKb = ((await bytesOf(source)) * 0.5) / 1000
    const { paths, report } = await run(compress, folder, [source], {
      mode: 'targetSize',
      targetSizeKb,
      allowResize: true,
    })
    expect([report.resized, (await sharp(paths[0]!).metadata()).width]).toEqual([undefined, 320])
  })

  test('reports a missed target, and what would reach it', async () => {
    const { warnings } = await run(compress, folder, [await SOURCES.jpg!()], { mode: 'targetSize', targetSizeKb: 0.5 })
    expect(warnings).toEqual([
      expect.stringMatching(/photo_compress\.jpg has .* no quality makes it smaller; --allow-resize/),
    ])
  })
})

test('line art of another format becomes a lossless PNG instead of a larger JPEG', async () => {
  const data = Uint8Array.from({ length: 300 * 200 * 3 }, (_, index) => {
    const pixel = Math.floor(index / 3)
    return ((pixel % 300) * (pixel % 300) + Math.floor(pixel / 300) ** 2) % 977 < 300 ? 255 : 0
  })
  const art = { width: 300, height: 200, channels: 3, depth: 8, data } as const
  const source = await put(folder, 'art.bmp', encodeBmp(art))
  const { paths, names } = await run(compress, folder, [source], {})
  expect(names).toEqual(['art_compress.png'])
  const jpeg = await fromSamples(art).jpeg({ quality: 80 }).toBuffer()
  expect(await bytesOf(paths[0]!)).toBeLessThan(jpeg.length)
  expect(difference(await readRgba(paths[0]!), await readRgba(await fromSamples(art).png().toBuffer())).most).toBe(0)
})

describe('PNG without loss', () => {
  /** Smooth, with many colours: a palette makes it worse and larger. */
  const gradient = () => {
    const data = new Uint8Array(160 * 90 * 3)
    for (let at = 0; at < data.length; at += 3) data.set([(at / 3) % 160, at / 480, 200], at)
    return fromSamples({ width: 160, height: 90, channels: 3, data })
  }
  const lines = () => {
    const data = Uint8Array.from({ length: 120 * 80 }, (_, pixel) => (pixel % 120 < (pixel / 120) ** 1.1 ? 0 : 255))
    return fromSamples({ width: 120, height: 80, channels: 1, data }).toColourspace('b-w')
  }

  test.each([
    ['a gradient', gradient],
    ['line art', lines],
  ])('%s is at most as large as with oxipng, and keeps its profile and EXIF', async (name, draw) => {
    const plain = await draw()
      .withIccProfile('srgb')
      .withExif({ IFD0: { Artist: 'Somebody' } })
      .png()
      .toBuffer()
    const { paths } = await run(compress, folder, [await put(folder, `${name}.png`, plain)], {})
    expect(await bytesOf(paths[0]!)).toBeLessThanOrEqual((await squeezePng(plain)).length)
    expect(difference(await readRgba(paths[0]!), await readRgba(plain)).most).toBe(0)
    const { icc, exif } = await sharp(paths[0]!).metadata()
    expect([icc !== undefined, exif?.includes('Somebody')]).toEqual([true, true])
  })

  test('meets a target losslessly if possible', async () => {
    const plain = await gradient().png().toBuffer()
    const targetSizeKb = ((await squeezePng(plain)).length + 20) / 1000
    const source = await put(folder, 'target.png', plain)
    const { paths, report } = await run(compress, folder, [source], { mode: 'targetSize', targetSizeKb })
    expect(report).toEqual({ quality: 100, targetMet: true })
    expect(difference(await readRgba(paths[0]!), await readRgba(plain)).most).toBe(0)
  })
})

test.each([1, 3] as const)('a PNG of 16 bit and %d channels shrinks like one of 8', async (channels) => {
  const { data, width, height } = photo(200, 150, channels)
  // The lower byte of a photograph is noise.
  const deep = Uint16Array.from(data, (value, index) => value * 256 + ((index * 7919) & 255))
  const source = await put(folder, `deep-${channels}.png`, await png16({ data: deep, width, height, channels }))
  const { paths } = await run(compress, folder, [source], { quality: 80 })
  expect(await bytesOf(paths[0]!)).toBeLessThan((await bytesOf(source)) / 3)
  expect(difference(await readRgba(paths[0]!), await readRgba(source)).mean).toBeLessThan(6)
})
