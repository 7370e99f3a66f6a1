import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool, readTags, writeTags } from '../../../src/engines/exiftool.ts'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFormatId } from '../../../src/media/image/formats.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { exifDensity } from '../../../src/media/image/metadata/resolution.ts'
import { keepUnequalResolution } from '../../../src/media/image/metadata/unequal-resolution.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import rotate from '../../../tools/image/geometry/rotate.ts'
import strip from '../../../tools/image/metadata/strip-metadata.ts'
import { ARTIST, exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import { animation, difference, frameOf, fromSamples, photo, put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const picture = () => fromSamples(photo(40, 30))

/** A JFIF segment of `density` dots per inch (JFIF 1.02): sharp writes none without EXIF. */
function jpegWithJfif(jpeg: Buffer, density: number): Buffer {
  const segment = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 2, 1, 0, 0, 0, 0, 0, 0])
  segment.writeUInt16BE(density, 12)
  segment.writeUInt16BE(density, 14)
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}

/** A PNG with only a pHYs chunk: the EXIF block that sharp adds is removed. */
async function pngWithDensity(density: number): Promise<Buffer> {
  const png = await picture().withDensity(density).png().toBuffer()
  const at = png.indexOf('eXIf', 0, 'latin1') - 4
  return Buffer.concat([png.subarray(0, at), png.subarray(at + 12 + png.readUInt32BE(at))])
}

const SOURCES: Record<string, { name: string; make: () => Promise<Buffer> }> = {
  'JPEG with JFIF alone': { name: 'jfif.jpg', make: async () => jpegWithJfif(await picture().jpeg().toBuffer(), 300) },
  'JPEG with EXIF': { name: 'exif.jpg', make: () => picture().withDensity(300).jpeg().toBuffer() },
  'PNG with pHYs alone': { name: 'phys.png', make: () => pngWithDensity(300) },
  'PNG with EXIF': { name: 'exif.png', make: () => picture().withDensity(300).png().toBuffer() },
  WebP: { name: 'a.webp', make: () => picture().withDensity(300).webp().toBuffer() },
  AVIF: { name: 'a.avif', make: () => picture().withDensity(300).avif().toBuffer() },
  TIFF: { name: 'a.tiff', make: () => picture().withDensity(300).tiff({ compression: 'lzw' }).toBuffer() },
}

/** Pixel operations of tools, one of each family. */
const FAMILIES: Record<string, (frame: ImageFrame) => Promise<ImageFrame>> = {
  'decoded only': async (frame) => frame,
  'one operation': (frame) => frame.apply((image) => image.modulate({ brightness: 1.1 })),
  'two operations': async (frame) => (await frame.apply((image) => image.blur(1))).apply((image) => image.flip()),
  'in sRGB': async (frame) => (await frame.toSrgb()).apply((image) => image.flip(), { srgb: true }),
  samples: async (frame) => frame.withSamples(await frame.samples()),
  'drawn pixels': async (frame) => frame.withPixels(await frame.pixels()),
  'deep samples': async (frame) => {
    const { data, ...about } = await frame.samples()
    return frame.withSamples({ ...about, data: Uint16Array.from(data, (value) => value * 257) })
  },
  composite: (frame) =>
    frame.composite([
      { input: Buffer.from([0, 0, 255, 255]), raw: { width: 1, height: 1, channels: 4 }, left: 3, top: 2 },
    ]),
}

/** The resolution of a file, from all of its fields. */
async function densityOf(path: string): Promise<number | undefined> {
  const { density, exif } = await sharp(path).metadata()
  const inExif = exif && exifDensity(exif)
  if (density !== undefined && inExif !== undefined) expect(density).toBeCloseTo(inExif, 0)
  return density ?? inExif
}

async function written(frame: ImageFrame, format?: ImageFormatId): Promise<string> {
  const wanted = format ? frame.withTarget({ format }) : frame
  const path = join(folder, `out-${Math.random()}`)
  await encodeImage(wanted, path)
  return path
}

describe.each(Object.entries(SOURCES))('%s of 300 dpi', (_title, { name, make }) => {
  test.each(Object.entries(FAMILIES))('%s: 300 dpi comes out', async (_family, change) => {
    const frame = await frameOf(await put(folder, name, await make()))
    expect(await densityOf(await written(await change(frame)))).toBeCloseTo(300, 0)
  })

  test.each(['jpg', 'png', 'webp', 'avif', 'tiff'] as const)('as %s, too', async (format) => {
    const frame = await frameOf(await put(folder, name, await make()))
    expect(await densityOf(await written(frame, format))).toBeCloseTo(300, 0)
  })
})

describe.skipIf(!(await hasExiftool()))('non-square pixels', () => {
  const [ACROSS, DOWN] = [204, 98]
  const made = new Map<string, Promise<string>>()
  const fax = (name: string): Promise<string> => {
    made.set(name, made.get(name) ?? make(name))
    return made.get(name)!
  }

  /** sharp writes the same value for both directions. */
  async function make(name: string): Promise<string> {
    const path = await put(folder, name, await SOURCES[UNEQUAL[name]!]!.make())
    const exif = ['-IFD0:XResolution=204', '-IFD0:YResolution=98', '-IFD0:ResolutionUnit=inches']
    const jfif = ['-JFIF:XResolution=204', '-JFIF:YResolution=98', '-JFIF:ResolutionUnit=inches']
    const chunk = ['-PNG-pHYs:PixelsPerUnitX=8031', '-PNG-pHYs:PixelsPerUnitY=3858', '-PNG-pHYs:PixelUnits=meters']
    const own = name === 'bare.jpg' ? jfif : name === 'bare.png' ? chunk : exif
    await writeTags(path, own)
    return path
  }
  const UNEQUAL: Record<string, string> = {
    'bare.jpg': 'JPEG with JFIF alone',
    'tagged.jpg': 'JPEG with EXIF',
    'bare.png': 'PNG with pHYs alone',
    'tagged.webp': 'WebP',
    'tagged.avif': 'AVIF',
    'fax.tiff': 'TIFF',
  }

  /** All its resolution fields, in dots per inch, horizontal and vertical. */
  async function statedBy(path: string): Promise<Record<string, [number, number]>> {
    const [tags] = (await readTags([path], { scope: 'whole' })) as [Record<string, number>]
    const groups = Object.keys(tags).filter((tag) => /:(XResolution|PixelsPerUnitX)$/.test(tag))
    const inches = { 'PNG-pHYs': 0.0254 } as Record<string, number>
    return Object.fromEntries(
      groups.map((tag) => {
        const group = tag.split(':')[0]!
        const down = tags[tag.replace(/X/, 'Y')] ?? tags[tag.replace(/X$/, 'Y')]!
        return [group, [tags[tag]! * (inches[group] ?? 1), down * (inches[group] ?? 1)]]
      }),
    )
  }

  function expectEach(stated: Record<string, [number, number]>, across: number, down: number): void {
    expect(Object.keys(stated).length).toBeGreaterThan(0)
    for (const [group, [x, y]] of Object.entries(stated)) {
      expect(Math.abs(x - across), `${group} ${x}`).toBeLessThan(0.6)
      expect(Math.abs(y - down), `${group} ${y}`).toBeLessThan(0.6)
    }
  }

  test.each(Object.keys(UNEQUAL))('%s stays as it is', async (name) => {
    const path = join(folder, `kept-${name}`)
    const frame = await (await frameOf(await fax(name))).apply((image) => image.modulate({ brightness: 1.1 }))
    const { loss } = await encodeImage(frame, path)
    expect(loss).toBeUndefined()
    expectEach(await statedBy(path), ACROSS, DOWN)
  })

  test.each(['jpg', 'png'] as const)('a fax as %s, half as large', async (format) => {
    const half = { width: 20, height: 15 }
    const frame = await (await frameOf(await fax('fax.tiff'))).apply((image) => image.resize(half), { size: half })
    expectEach(await statedBy(await written(frame, format)), ACROSS, DOWN)
  })

  test('a quarter turn swaps it, and a crop keeps it', async () => {
    const turned = await run(rotate, folder, [await fax('fax.tiff')], { angle: 90 })
    expectEach(await statedBy(turned.paths[0]!), DOWN, ACROSS)
    const part = await run(crop, folder, [await fax('fax.tiff')], { left: 3, top: 2, width: 9, height: 20 })
    expectEach(await statedBy(part.paths[0]!), ACROSS, DOWN)
  })

  test('reports a resolution that the format or shape does not support', async () => {
    const input = await fax('fax.tiff')
    const { loss } = await encodeImage((await frameOf(input)).withTarget({ format: 'gif' }), join(folder, 'fax.gif'))
    expect(loss).toContain('204 x 98 to the inch')
    expect(loss).toContain('GIF')
    const squeezed = await run(resize, folder, [input], { width: 40, height: 10, fit: 'fill' })
    expect(squeezed.warnings.join()).toContain('the picture was reshaped')
  })
})

test('if the resolution is unknown, kept EXIF does not state 25.4, and neither does a TIFF', async () => {
  const jpeg = jpegWithExif(await picture().jpeg().toBuffer(), exifBlock())
  const path = await put(folder, 'unknown.jpg', jpeg)
  for (const format of ['jpg', 'webp', 'tiff'] as const)
    expect(await densityOf(await written(await frameOf(path), format)), format).toBeCloseTo(72, 3)
})

test('chunks that point beyond the end of a PNG are ignored', async () => {
  const frame = await frameOf(
    await put(folder, 'leads-on.png', fromSamples(photo(8, 8)).png().withMetadata({ density: 72 })),
  )
  const held = Buffer.from(frame.origin.held!)
  // The length of the header's chunk, which is the first.
  held.writeUInt32BE(0x7fffffff, 8)
  Object.assign(frame.origin, { held })
  expect(await keepUnequalResolution(frame, 'unwritten.png', formatOf(frame))).toEqual({})
})

test('a picture without metadata and resolution gets none', async () => {
  for (const format of ['jpg', 'webp', 'avif', 'png'] as const) {
    const source = await put(folder, `bare.${format}`, picture().toFormat(format === 'jpg' ? 'jpeg' : format))
    const { exif } = await sharp(await written(await FAMILIES.samples!(await frameOf(source)))).metadata()
    expect(exif, format).toBeUndefined()
  }
})

test('an animation keeps its frames and the resolution', async () => {
  const source = await animation(join(folder, 'moving.webp'), ['#ff0000', '#0000ff'])
  const tagged = await put(folder, 'tagged.webp', sharp(source, { animated: true }).withDensity(300).webp())
  const path = await written(await FAMILIES['drawn pixels']!(await frameOf(tagged)))
  expect(await sharp(path).metadata()).toMatchObject({ pages: 2 })
})

describe.skipIf(!(await hasExiftool()))('tags of TIFF', () => {
  const TAGS = {
    'IFD0:Artist': ARTIST,
    'ExifIFD:DateTimeOriginal': '2020:01:02 03:04:05',
    'GPS:GPSLatitude': 52.52,
  }

  async function taggedTiff(name: string): Promise<string> {
    const path = await put(folder, name, picture().tiff({ compression: 'lzw' }))
    await writeTags(path, [
      `-IFD0:Artist=${ARTIST}`,
      '-DateTimeOriginal=2020:01:02 03:04:05',
      '-GPSLatitude=52.52',
      '-GPSLatitudeRef=N',
      '-IFD0:Orientation#=1',
    ])
    return path
  }

  test.each(['tiff', 'jpg', 'png', 'webp'] as const)(
    'keeps artist, coordinates and time of a TIFF in %s',
    async (format) => {
      const frame = await frameOf(await taggedTiff('50%d tags.tiff'))
      const path = await written(await FAMILIES['one operation']!(frame), format)
      const [tags] = await readTags([path], { scope: 'descriptive' })
      expect(tags).toMatchObject(TAGS)
      expect((await sharp(path).metadata()).width).toBe(40)
    },
  )

  test('resize keeps them, and updates size and pixel tags', async () => {
    const { paths } = await run(resize, folder, [await taggedTiff('small.tiff')], { width: 20 })
    const [tags] = await readTags(paths, { scope: 'descriptive' })
    expect(tags).toMatchObject({ ...TAGS, 'IFD0:ImageWidth': 20, 'IFD0:ImageHeight': 15 })
    expect(await readPixels(paths[0]!)).toMatchObject({ width: 20, height: 15 })
  })

  test('copies EXIF of a JPEG to a TIFF, without orientation and thumbnail', async () => {
    const jpeg = jpegWithExif(await picture().jpeg().toBuffer(), exifBlock(6))
    const path = await written(await frameOf(await put(folder, 'turned.jpg', jpeg)), 'tiff')
    const [tags] = await readTags([path], { scope: 'descriptive' })
    expect(tags).toMatchObject({ 'IFD0:Artist': ARTIST, 'IFD0:Orientation': 1, 'IFD0:ImageWidth': 30 })
  })

  test('strip-metadata removes all, or all but the coordinates', async () => {
    const source = await taggedTiff('private.tiff')
    const bare = await run(strip, folder, [source])
    expect((await readTags(bare.paths, { scope: 'descriptive' }))[0]).not.toHaveProperty('IFD0:Artist')
    const placeless = await run(strip, folder, [source], { stripAll: false, stripGps: true })
    const [tags] = await readTags(placeless.paths, { scope: 'descriptive' })
    expect(tags).toMatchObject({ 'IFD0:Artist': ARTIST })
    expect(Object.keys(tags!).filter((name) => /GPS(Lat|Lon)/.test(name))).toEqual([])
    expect(difference(await readPixels(placeless.paths[0]!), await readPixels(source)).most).toBe(0)
  })
})
