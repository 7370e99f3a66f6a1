import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { decodeHeif } from '../../../src/engines/pictures/libheif.ts'
import { encodeBmp } from '../../../src/media/codecs/bmp/bmp.ts'
import { encodeIco } from '../../../src/media/codecs/ico.ts'
import { encodePnm } from '../../../src/media/codecs/pnm.ts'
import { encodePsd } from '../../../src/media/codecs/psd/psd.ts'
import { encodeQoi } from '../../../src/media/codecs/qoi.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { encodeTga } from '../../../src/media/codecs/tga.ts'
import { inkTiff } from '../../../src/media/image/decode/carrier-tiff.ts'
import convert from '../../../tools/image/convert/convert.ts'
import crop from '../../../tools/image/geometry/crop.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import {
  at,
  CORPUS,
  difference,
  frameOf,
  fromSamples,
  photo,
  plain,
  put,
  ramp16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const rgb: Raster = { ...photo(40, 30), channels: 3, depth: 8 }
const rgba: Raster = { ...photo(40, 30, 4), channels: 4, depth: 8 }
const grey: Raster = { ...photo(40, 30, 1), channels: 1, depth: 8 }

const le32 = (...values: number[]) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      return bytes
    }),
  )

/** A scripted uncompressed DDS of 32 bits (Microsoft, DDS_HEADER): blue, green, red, alpha. */
function dds({ width, height, data }: Raster): Buffer {
  const pixels = Buffer.alloc(width * height * 4)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 4; channel++)
      pixels[pixel * 4 + [2, 1, 0, 3][channel]!] = data[pixel * 4 + channel]!
  const format = le32(32, 0x41, 0, 32, 0xff0000, 0xff00, 0xff, 0xff000000)
  return Buffer.concat([
    Buffer.from('DDS '),
    le32(124, 0x100f, height, width, width * 4, 0, 0),
    Buffer.alloc(44),
    format,
    le32(0x1000, 0, 0, 0, 0),
    pixels,
  ])
}

/** A flat Radiance HDR of one colour: RGBE with a mantissa of 128 is 0.5, exponent 128. */
const hdr = (width: number, height: number) =>
  Buffer.concat([
    Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${height} +X ${width}\n`, 'latin1'),
    Buffer.alloc(width * height * 4, Buffer.from([128, 128, 128, 128])),
  ])

describe('small formats through resize and crop', () => {
  const inputs: [string, () => Uint8Array | Promise<Uint8Array>, Raster, string][] = [
    ['bmp', () => encodeBmp(rgb), rgb, 'jpg'],
    ['bmp', () => encodeBmp(rgba), rgba, 'png'],
    ['tga', () => encodeTga(rgb), rgb, 'jpg'],
    ['tga', () => encodeTga(rgba), rgba, 'png'],
    ['qoi', () => encodeQoi(rgba), rgba, 'png'],
    ['ppm', () => encodePnm(rgb), rgb, 'png'],
    ['pgm', () => encodePnm(grey), grey, 'png'],
    ['psd', () => encodePsd(rgb), rgb, 'jpg'],
    ['psd', () => encodePsd(rgba), rgba, 'png'],
    ['psd', () => encodePsd(grey), grey, 'jpg'],
    ['dds', () => dds(rgba), rgba, 'png'],
    [
      'ico',
      async () =>
        encodeIco([
          {
            width: 40,
            height: 30,
            png: await fromSamples(rgba as never)
              .png()
              .toBuffer(),
          },
        ]),
      rgba,
      'png',
    ],
  ]

  test.each(inputs)('%s', async (extension, encode, raster, kept) => {
    const path = await put(folder, `small.${extension}`, await encode())
    const whole = await run(crop, folder, [path], { left: 0, top: 0, width: 40, height: 30 })
    expect(whole.names).toEqual([`small_crop.${kept}`])
    const visible = async (input: Buffer) =>
      readPixels(await sharp(input).flatten({ background: '#808080' }).toColourspace('srgb').png().toBuffer())
    const wanted = await visible(
      await fromSamples(raster as never)
        .png()
        .toBuffer(),
    )
    const { mean } = difference(await visible(await readFile(whole.paths[0]!)), wanted)
    expect(mean).toBeLessThan(kept === 'jpg' ? 1.5 : 0.6)
    const small = await run(resize, folder, [path], { width: 20 })
    expect(await sharp(small.paths[0]!).metadata()).toMatchObject({ width: 20, height: 15 })
  })

  test('hdr: tone-mapped to sRGB', async () => {
    const { paths } = await run(convert, folder, [await put(folder, 'flat.hdr', hdr(12, 8))], { format: 'png' })
    const pixels = await readPixels(paths[0]!)
    expect(pixels).toMatchObject({ width: 12, height: 8 })
    // 0.5 of linear light is 188 in sRGB.
    expect(at(pixels, 6, 4).every((value) => Math.abs(value - 188) <= 1)).toBe(true)
  })
})

describe('PSD', () => {
  test('profile, density and EXIF-free: the profile byte for byte, with its numbers', async () => {
    const icc = swappedProfile()
    const path = await put(folder, 'own.psd', encodePsd(rgb, { icc, density: 300 }))
    const { paths } = await run(convert, folder, [path], { format: 'png' })
    const about = await sharp(paths[0]!).metadata()
    expect(about.icc?.equals(icc)).toBe(true)
    expect(about.density).toBe(300)
    expect(difference(await readPixels(paths[0]!), rgb as never).most).toBe(0)
  })

  test('16 bit stays 16 bit', async () => {
    const ramp = ramp16(1000, 2)
    const frame = await frameOf(await put(folder, 'deep.psd', encodePsd({ ...ramp, channels: 1, depth: 16 })))
    expect(frame).toMatchObject({ bits: 16, space: 'grey', width: 1000, height: 2 })
  })
})

describe('scripted PSD files of inks and of Lab', () => {
  /** One pixel; planes as stored, the layers declare whether there is transparency. */
  function onePixel(mode: number, samples: number[], transparent = false): Buffer {
    const [wide, long] = [
      (value: number) => [value >> 8, value & 255],
      (value: number) => [0, 0, value >> 8, value & 255],
    ]
    const layers = transparent ? [...long(12), ...long(4), 255, 255, 0, 0, ...long(0)] : long(0)
    const head = [
      ...wide(1),
      ...Array(6).fill(0),
      ...wide(samples.length),
      ...long(1),
      ...long(1),
      ...wide(8),
      ...wide(mode),
    ]
    return Buffer.concat([
      Buffer.from('8BPS'),
      Buffer.from([...head, ...long(0), ...long(0), ...layers, 0, 0, ...samples]),
    ])
  }

  const shown = async (name: string, bytes: Buffer) => {
    const { paths, names } = await run(convert, folder, [await put(folder, name, bytes)], { format: 'png' })
    expect(names).toEqual([name.replace('psd', 'png')])
    return at(await readRgba(paths[0]!), 0, 0) as [number, number, number, number?]
  }

  test('CMYK: no ink is white, full yellow is yellow; stays CMYK in JPEG', async () => {
    expect(await shown('paper.psd', onePixel(4, [255, 255, 255, 255]))).toEqual([255, 255, 255])
    const [r, g, b] = await shown('yellow.psd', onePixel(4, [255, 255, 0, 255]))
    expect([r > 240, g > 220, b < 60]).toEqual([true, true, true])
    const { paths } = await run(resize, folder, [await put(folder, 'inks.psd', onePixel(4, [255, 255, 0, 255]))], {
      width: 2,
    })
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ format: 'jpeg', space: 'cmyk' })
  })

  test('CMYK with transparency', async () => {
    const [r, g, b, alpha] = await shown('half.psd', onePixel(4, [255, 255, 128, 255, 127], true))
    expect([r > 240, g > 220, b < 70, alpha]).toEqual([true, true, true, 127])
  })

  test('Lab', async () => {
    const [r, g, b] = await shown('lab.psd', onePixel(9, [138, 128 + 81, 128 + 70]))
    expect([r > 245, g < 25, b < 25]).toEqual([true, true, true])
  })
})

describe('CMYK and Lab in a TIFF carrier', () => {
  test('inks reach sharp unchanged, with profile and density', async () => {
    const data = Uint8Array.of(0, 0, 0, 0, 255, 0, 0, 0, 10, 20, 30, 40)
    const tiff = inkTiff({ width: 3, height: 1, space: 'cmyk', data, density: 240 })
    expect(await sharp(tiff).metadata()).toMatchObject({ space: 'cmyk', channels: 4, width: 3, density: 240 })
    const raw = await sharp(tiff).pipelineColourspace('cmyk').toColourspace('cmyk').raw().toBuffer()
    expect([...raw]).toEqual([...data])
  })

  test('Lab: white, black and the red of sRGB', async () => {
    // sRGB red is Lab 54.3, 80.8, 69.9 under D50 (Lindbloom).
    const [full, middle] = [65535, 32768]
    const red = [Math.round(0.5429 * full), middle + 81 * 256, middle + 70 * 256]
    const data = Uint16Array.of(full, middle, middle, 0, middle, middle, ...red)
    const tiff = inkTiff({ width: 3, height: 1, space: 'lab', data })
    const pixels = await readPixels(await sharp(tiff).toColourspace('srgb').png().toBuffer())
    expect(at(pixels, 0, 0).every((value) => value >= 253)).toBe(true)
    expect(at(pixels, 1, 0).every((value) => value <= 2)).toBe(true)
    const [r, g, b] = at(pixels, 2, 0) as [number, number, number]
    expect([r > 245, g < 25, b < 25]).toEqual([true, true, true])
  })
})

describe('invalid input has a clear error', () => {
  const failure = async (path: string, strict = false) => {
    try {
      await run(resize, folder, [path], { width: 10 }, { strict })
      return { code: undefined, message: '' }
    } catch (error) {
      return error as { code: string; message: string }
    }
  }

  test('a cut picture of every kind', async () => {
    const image = fromSamples(photo(200, 150))
    const files: Record<string, Uint8Array> = {
      jpg: await image.clone().jpeg().toBuffer(),
      png: await image.clone().png().toBuffer(),
      webp: await image.clone().webp().toBuffer(),
      avif: await image.clone().avif({ effort: 0 }).toBuffer(),
      tiff: await image.clone().tiff({ compression: 'lzw' }).toBuffer(),
      gif: await image.clone().gif().toBuffer(),
      bmp: encodeBmp(rgb),
      psd: encodePsd(rgb),
      qoi: encodeQoi(rgb),
      ppm: encodePnm(rgb),
      tga: encodeTga(rgb),
    }
    for (const [extension, bytes] of Object.entries(files)) {
      const { code, message } = await failure(
        await put(folder, `cut.${extension}`, bytes.slice(0, Math.floor(bytes.length * 0.4))),
        true,
      )
      // These can be displayed partly; see test/media/image/cut-off.test.ts.
      const expected = ['jpg', 'png', 'gif'].includes(extension) ? 'REFUSED_BY_STRICT' : 'INVALID_FILE'
      expect(code, `${extension}: ${message}`).toBe(expected)
    }
  })

  test('text, an empty file, and other content named .jpg', async () => {
    expect(await failure(await put(folder, 'text.jpg', Buffer.from('This is no picture.\n')))).toMatchObject({
      code: 'UNSUPPORTED_FILE_TYPE',
      message: expect.stringContaining('plain text'),
    })
    expect(await failure(await put(folder, 'empty.jpg', Buffer.alloc(0)))).toMatchObject({ code: 'EMPTY_FILE' })
    expect(
      await failure(await put(folder, 'zip.jpg', Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1'))),
    ).toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
  })

  test('detected but unsupported types name the solution', async () => {
    const input = await put(folder, 'layers.xcf', Buffer.from('gimp xcf v011\0'.padEnd(64, '\0'), 'latin1'))
    expect(await failure(input)).toMatchObject({
      code: 'UNSUPPORTED_FILE_TYPE',
      message: expect.stringContaining('XCF'),
      hint: expect.stringContaining('export it as PNG or TIFF'),
    })
  })

  test('refuses a header of 65500 x 65500 pixels before any pixel', async () => {
    const small = await plain(1, 1, '#000000').png().toBuffer()
    const header = Buffer.from(small.subarray(0, 33))
    header.writeUInt32BE(65500, 16)
    header.writeUInt32BE(65500, 20)
    let crc = 0xffffffff
    for (const byte of header.subarray(12, 29)) {
      crc ^= byte
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    }
    header.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 29)
    const { code, message } = await failure(await put(folder, 'huge.png', Buffer.concat([header, small.subarray(33)])))
    expect(code).toBe('LIMIT_EXCEEDED')
    expect(message).toContain('65500 x 65500')
  })

  test('an animation with too many frames', async () => {
    const frame = await plain(2, 2, '#ff0000').png().toBuffer()
    const gif = await sharp(Array(501).fill(frame), { join: { animated: true } })
      .gif({ keepDuplicateFrames: true })
      .toBuffer()
    expect(await failure(await put(folder, 'long.gif', gif))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('501'),
    })
  })

  test('an SVG cannot read other files', async () => {
    const secret = await put(folder, 'secret.png', plain(10, 10, '#ff0000').png())
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10"><image width="10" height="10" href="file://${secret}" xlink:href="secret.png"/></svg>`
    const { paths } = await run(convert, folder, [await put(folder, 'reach.svg', Buffer.from(svg))], { format: 'png' })
    const { data } = await readRgba(paths[0]!)
    expect(data.every((value) => value === 0)).toBe(true)
  })
})

test('a drawing has 1 pixel per unit by default', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="#00f"/></svg>'
  expect(await frameOf(await put(folder, 'unit.svg', Buffer.from(svg)))).toMatchObject({ width: 30, height: 20 })
})

describe.skipIf(!existsSync(CORPUS))('real files', () => {
  test.each(['iphone-13-pro-max.heic', 'iphone-img-5195.heic'])('%s looks as in libheif', async (name) => {
    const path = join(CORPUS, 'photos', name)
    const shown = (await decodeHeif(await readFile(path)))!
    expect(await frameOf(path)).toMatchObject({ width: shown.width, height: shown.height })
    const { paths } = await run(resize, folder, [path], { width: 64 })
    const about = await sharp(paths[0]!).metadata()
    expect(about.orientation ?? 1).toBe(1)
    const small = sharp(Buffer.from(shown.data), { raw: { width: shown.width, height: shown.height, channels: 4 } })
      .removeAlpha()
      .resize(64)
    expect(difference(await readPixels(paths[0]!), await readPixels(await small.png().toBuffer())).mean).toBeLessThan(4)
  })

  test('keeps Display P3, ProPhoto and SWOP profiles byte for byte', async () => {
    for (const name of ['display-p3.png', 'cmyk-with-profile.jpg', 'photoshop.tiff']) {
      const path = join(CORPUS, 'formats', name)
      const { icc } = await sharp(path).metadata()
      const { paths } = await run(crop, folder, [path], { left: 0, top: 0, width: 8, height: 8 })
      expect((await sharp(paths[0]!).metadata()).icc?.equals(icc!), name).toBe(true)
    }
  })

  test("converts CMYK with a profile to sRGB like sharp's colour management", async () => {
    const path = join(CORPUS, 'formats', 'cmyk-with-profile.jpg')
    const { paths } = await run(convert, folder, [path], { format: 'png' })
    const wanted = await readRgba(await sharp(path).autoOrient().toColourspace('srgb').png().toBuffer())
    expect(difference(await readRgba(paths[0]!), wanted).mean).toBeLessThan(1)
  })
})

test.skipIf(!existsSync(join(CORPUS, 'formats/relax.jp2')))(
  'a JPEG 2000 with noise in its tiles is damaged, not grey',
  async () => {
    const bytes = await readFile(join(CORPUS, 'formats/relax.jp2'))
    // Every tile-part (ISO 15444-1, A.4.2): keeps its header, replaces its packets.
    for (let at = bytes.indexOf(Buffer.from([0xff, 0x90])); at >= 0; ) {
      const end = at + bytes.readUInt32BE(at + 6)
      bytes.fill(0, bytes.indexOf(Buffer.from([0xff, 0x93]), at) + 2, end)
      at = bytes.readUInt16BE(end) === 0xff90 ? end : -1
    }
    const path = await put(folder, 'noise.jp2', bytes)
    await expect(frameOf(path)).rejects.toMatchObject({ code: 'INVALID_FILE' })
  },
)
