import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { ARTIST, exifBlock, jpegWithExif } from '../../helpers/exif.ts'
import {
  animation,
  at,
  difference,
  frameOf,
  fromSamples,
  jpegWithProfile,
  photo,
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
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
let counter = 0

async function written(frame: ImageFrame, extension = 'png'): Promise<string> {
  const path = join(folder, `${++counter}.${extension}`)
  await encodeImage(frame, path)
  return path
}

const half = (frame: ImageFrame) => {
  const size = { width: Math.round(frame.width / 2), height: Math.round(frame.height / 2) }
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
}
const quarterTurn = (frame: ImageFrame) =>
  frame.apply((image) => image.rotate(90), { size: { width: frame.height, height: frame.width }, pagewise: true })
const middle = (frame: ImageFrame) => {
  const size = { width: frame.width - 10, height: frame.height - 6 }
  return frame.apply((image) => image.extract({ left: 4, top: 2, ...size }), { size, pagewise: true })
}

describe('a chain in one frame equals the single steps', () => {
  const steps = [half, quarterTurn, middle]

  async function bothWays(path: string, extension: string): Promise<[string, string]> {
    let frame = await frameOf(path)
    for (const step of steps) frame = await step(frame)
    const fused = await written(frame, extension)
    let single = path
    for (const step of steps) single = await written(await step(await frameOf(single)), extension)
    return [fused, single]
  }

  test('8-bit PNG with alpha', async () => {
    const source = await put(folder, 'alpha.png', fromSamples(photo(60, 40, 4)).png())
    const [fused, single] = await bothWays(source, 'png')
    expect(difference(await readPixels(fused), await readPixels(single)).most).toBe(0)
    expect(await readPixels(fused)).toMatchObject({ width: 10, height: 24, channels: 4 })
  })

  test('16-bit PNG with a profile: samples, depth and profile', async () => {
    const profile = swappedProfile()
    const source = await put(folder, 'wide.png', pngWithProfile(await png16(ramp16(2000, 40, 3)), profile))
    const [fused, single] = await bothWays(source, 'png')
    const samples = await read16(fused)
    expect(difference(samples, await read16(single)).most).toBe(0)
    // Of the 1000 columns, now rows, six were cut off; every one is a level of its own.
    expect(new Set(samples.data).size).toBe(994)
    const { icc, depth } = await sharp(fused).metadata()
    expect(depth).toBe('ushort')
    expect(icc?.equals(profile)).toBe(true)
  })

  test('16-bit grey TIFF stays grey', async () => {
    const source = await put(
      folder,
      'grey.tiff',
      sharp(await png16(ramp16(1200, 30)))
        .pipelineColourspace('grey16')
        .toColourspace('grey16')
        .tiff({ compression: 'lzw' }),
    )
    expect((await sharp(source).metadata()).space).toBe('grey16')
    const [fused, single] = await bothWays(source, 'tiff')
    expect(difference(await read16(fused), await read16(single)).most).toBe(0)
    expect(await sharp(fused).metadata()).toMatchObject({ space: 'grey16', channels: 1, depth: 'ushort' })
  })

  test('JPEG with EXIF, orientation and profile: one encode, keeps all, rotates once', async () => {
    const profile = swappedProfile()
    const jpeg = await fromSamples(photo(160, 100)).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
    const source = await put(folder, 'turned.jpg', jpegWithExif(jpegWithProfile(jpeg, profile), exifBlock(6)))
    const [fused, single] = await bothWays(source, 'jpg')
    expect(difference(await readPixels(fused), await readPixels(single)).mean).toBeLessThan(1.5)
    for (const path of [fused, single]) {
      const { icc, exif, orientation, width, height } = await sharp(path).metadata()
      expect({ width, height, orientation }).toEqual({ width: 70, height: 44, orientation: 1 })
      expect(icc?.equals(profile)).toBe(true)
      expect(exif?.includes(ARTIST)).toBe(true)
    }
  })

  test('CMYK JPEG stays CMYK', async () => {
    const source = await put(
      folder,
      'inks.jpg',
      fromSamples(photo(160, 100)).toColourspace('cmyk').jpeg({ quality: 100 }),
    )
    const [fused, single] = await bothWays(source, 'jpg')
    expect(await sharp(fused).metadata()).toMatchObject({ space: 'cmyk', channels: 4, width: 40, height: 74 })
    expect(difference(await readRgba(fused), await readRgba(single)).mean).toBeLessThan(2)
  })

  test('animation: every frame, delays and loop', async () => {
    const source = await animation(join(folder, 'chain.webp'), ['#ff0000', '#00ff00', '#0000ff'], {
      width: 60,
      height: 40,
      delay: [40, 90, 200],
      loop: 2,
    })
    let frame = await frameOf(source)
    for (const step of steps) frame = await step(frame)
    const path = await written(frame.withTarget({ lossless: true }), 'webp')
    expect(await sharp(path, { animated: true }).metadata()).toMatchObject({
      pages: 3,
      width: 10,
      pageHeight: 24,
      delay: [40, 90, 200],
      loop: 2,
    })
    expect(at(await readRgba(path, 1), 5, 12)).toEqual([0, 255, 0])
    expect(at(await readRgba(path, 2), 5, 12)).toEqual([0, 0, 255])
  })
})

describe('pixels', () => {
  test('returns sRGB for a picture with a profile, and grey only if allowed', async () => {
    const source = await put(folder, 'swapped.png', pngWithProfile(await quarters(8, 8), swappedProfile()))
    const { data, channels, width } = await (await frameOf(source)).pixels()
    const [r, g, b] = at({ data, channels, width, height: 8 }, 1, 1)
    // Red and green are exchanged in the profile.
    expect(r).toBeLessThan(30)
    expect(g).toBeGreaterThan(240)
    expect(b).toBeLessThan(30)
    const grey = await frameOf(
      await put(
        folder,
        'grey.png',
        fromSamples(photo(9, 7, 1))
          .toColourspace('b-w')
          .png(),
      ),
    )
    expect((await grey.pixels()).channels).toBe(3)
    expect((await grey.pixels({ grey: true })).channels).toBe(1)
    expect((await grey.pixels({ alpha: 'add' })).channels).toBe(4)
  })

  test('withPixels accepts the output of pixels', async () => {
    const source = await animation(join(folder, 'round.webp'), ['#102030', '#405060'])
    const frame = await frameOf(source)
    const again = await frame.withPixels(await frame.pixels())
    expect(again).toMatchObject({ width: 40, height: 24, pages: 2, hasAlpha: frame.hasAlpha })
    const path = await written(again.withTarget({ lossless: true }), 'webp')
    expect(at(await readRgba(path, 1), 3, 3)).toEqual([64, 80, 96])
  })

  test('firstPage after an operation on all', async () => {
    const frame = await frameOf(await animation(join(folder, 'first.gif'), ['#ff0000', '#0000ff']))
    const first = await (await half(frame)).firstPage()
    expect(first).toMatchObject({ width: 20, height: 12, pages: 1 })
    const path = await written(first.withTarget({ format: 'png' }))
    expect(await readPixels(path)).toMatchObject({ width: 20, height: 12 })
    expect(at(await readRgba(path), 5, 5)).toEqual([255, 0, 0])
  })
})

describe('composite', () => {
  const layer = {
    input: Buffer.from([0, 0, 255, 255]),
    raw: { width: 1, height: 1, channels: 4 as const },
    left: 3,
    top: 2,
  }

  test("on 16 bit: keeps the depth and the layer's exact colour", async () => {
    const source = await put(folder, 'deep.png', await png16(ramp16(600, 8, 3)))
    const path = await written(await (await frameOf(source)).composite([layer]))
    const samples = await read16(path)
    expect(at(samples, 3, 2).slice(0, 3)).toEqual([0, 0, 65535])
    expect(at(samples, 300, 2)[0]).toBe(ramp16(600, 8).data[300])
  })

  test('on grey and on a picture with alpha', async () => {
    const grey = await put(
      folder,
      'flat.png',
      fromSamples(photo(20, 10, 1))
        .toColourspace('b-w')
        .png(),
    )
    const path = await written(await (await frameOf(grey)).composite([layer]))
    const drawn = await readRgba(path)
    const before = await readRgba(grey)
    expect(at(drawn, 10, 5)).toEqual(at(before, 10, 5))
    expect(at(drawn, 3, 2)).not.toEqual(at(before, 3, 2))
    const alpha = await put(folder, 'clear.png', fromSamples(photo(20, 10, 4)).png())
    const over = await readRgba(await written(await (await frameOf(alpha)).composite([layer])))
    expect(at(over, 3, 2)).toEqual([0, 0, 255])
    expect(at(over, 10, 5)).toEqual(at(await readRgba(alpha), 10, 5))
  })
})
