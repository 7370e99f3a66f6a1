import { spawnSync } from 'node:child_process'
import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { encodeAscii85, encodeEps } from '../../../src/media/codecs/eps.ts'
import { inspectJpeg } from '../../../src/media/codecs/jpeg/jpeg-header.ts'
import { picture, throughProgram } from './helpers.ts'

/** Base 85 as the PostScript Language Reference describes it. */
function decodeAscii85(text: string): Buffer {
  const body = text.slice(0, text.indexOf('~>')).replace(/\s/g, '').replace(/z/g, '!!!!!')
  const bytes: number[] = []
  for (let at = 0; at < body.length; at += 5) {
    const group = body.slice(at, at + 5)
    let value = 0
    for (const character of group.padEnd(5, 'u')) value = value * 85 + character.charCodeAt(0) - 33
    const four = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) & 255)
    bytes.push(...four.slice(0, group.length - 1))
  }
  return Buffer.from(bytes)
}

const textOf = (file: Uint8Array) => Buffer.from(file).toString('latin1')
const dataOf = (file: Uint8Array) => decodeAscii85(textOf(file).split('\nimage\n')[1]!)
const pixelsOf = (channels: 1 | 3) => picture(150, 75, channels).data as Uint8Array
const raw = (channels: 1 | 3) => sharp(pixelsOf(channels), { raw: { width: 150, height: 75, channels } })

describe('base 85', () => {
  test('known text, zeros, and every length of the last group', () => {
    expect(textOf(encodeAscii85(Buffer.from('Man is d')))).toBe('9jqo^BlbD-~>\n')
    expect(textOf(encodeAscii85(Buffer.alloc(8)))).toBe('zz~>\n')
    for (let length = 0; length < 12; length++) {
      const bytes = Buffer.from([0, 0, 0, 0, 255, 255, 255, 255, 1, 2, 3, 4]).subarray(0, length)
      expect(decodeAscii85(textOf(encodeAscii85(bytes)))).toEqual(bytes)
    }
  })

  test('lines are short, and none starts with a percent sign', () => {
    // Groups that start with %: the value of the first digit is 4.
    const bytes = Buffer.alloc(40000)
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32BE(4 * 85 ** 4 + (at % 85 ** 4), at)
    const text = textOf(encodeAscii85(bytes))
    const lines = text.trimEnd().split('\n')
    expect(lines.some((line) => line.startsWith(' %'))).toBe(true)
    expect(lines.filter((line) => line.startsWith('%'))).toEqual([])
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(79)
    expect(decodeAscii85(text)).toEqual(bytes)
  })
})

describe('structure', () => {
  test('round-trips pixels; the bounding box is the paper size rounded up', () => {
    const pixels = pixelsOf(3)
    const file = encodeEps({ width: 150, height: 75, channels: 3, density: 200, pixels })
    const text = textOf(file)
    expect(text.startsWith('%!PS-Adobe-3.0 EPSF-3.0\n')).toBe(true)
    expect(text).toContain('\n%%BoundingBox: 0 0 54 27\n%%HiResBoundingBox: 0 0 54 27\n%%LanguageLevel: 3\n')
    expect(text.endsWith('~>\ngrestore\nshowpage\n%%EOF\n')).toBe(true)
    expect(inflateSync(dataOf(file))).toEqual(Buffer.from(pixels))
    const odd = textOf(encodeEps({ width: 150, height: 75, channels: 1, density: 300, pixels: pixelsOf(1) }))
    expect(odd).toContain('%%BoundingBox: 0 0 36 18\n%%HiResBoundingBox: 0 0 36 18\n')
    expect(textOf(encodeEps({ width: 7, height: 2, channels: 1, density: 100, pixels: new Uint8Array(14) }))).toContain(
      '%%BoundingBox: 0 0 6 2\n%%HiResBoundingBox: 0 0 5.04 1.44\n',
    )
  })

  test("embeds a JPEG unchanged: level 2 if baseline, 3 if progressive; inverts Adobe's CMYK", async () => {
    const plain = await raw(3).jpeg().toBuffer()
    const file = encodeEps({ width: 150, height: 75, channels: 3, jpeg: plain })
    expect(dataOf(file)).toEqual(plain)
    expect(textOf(file)).toContain('%%LanguageLevel: 2\n')
    expect(textOf(file)).toContain('/Decode [0 1 0 1 0 1]')
    const progressive = await raw(3).jpeg({ progressive: true }).toBuffer()
    expect(textOf(encodeEps({ width: 150, height: 75, channels: 3, jpeg: progressive }))).toContain(
      '%%LanguageLevel: 3\n',
    )
    const inks = await raw(3).toColourspace('cmyk').jpeg().toBuffer()
    expect(inspectJpeg(inks)).toMatchObject({ width: 150, height: 75, channels: 4, bits: 8, hasAdobeMarker: true })
    const cmyk = textOf(encodeEps({ width: 150, height: 75, channels: 4, jpeg: inks }))
    expect(cmyk).toContain('/DeviceCMYK setcolorspace')
    expect(cmyk).toContain('/Decode [1 0 1 0 1 0 1 0]')
  })

  test('refuses a mismatching JPEG, other data, and pixels of another size', async () => {
    const jpeg = await raw(1).toColourspace('b-w').jpeg().toBuffer()
    expect(inspectJpeg(jpeg)).toMatchObject({ channels: 1, isProgressive: false })
    expect(() => encodeEps({ width: 150, height: 75, channels: 3, jpeg })).toThrow(
      'The JPEG holds 150 × 75 pixels of 1 channels in place of 150 × 75 of 3',
    )
    expect(() => encodeEps({ width: 1, height: 1, channels: 3, jpeg: Buffer.from('text') })).toThrow('not a JPEG')
    for (let length = 0; length < jpeg.length; length += 7) {
      const cut = jpeg.subarray(0, length)
      // The frame header of this file is in its first 200 bytes.
      if (length < 80) expect(() => inspectJpeg(cut)).toThrow(expect.objectContaining({ code: 'INVALID_FILE' }))
      if (length > 200) expect(inspectJpeg(cut).width).toBe(150)
    }
    expect(() => encodeEps({ width: 2, height: 2, channels: 3, pixels: new Uint8Array(11) })).toThrow(
      '11 samples in place of 12',
    )
  })
})

const hasGhostscript = spawnSync('gs', ['--version']).status === 0

describe.skipIf(!hasGhostscript)('Ghostscript', () => {
  const draw = (file: Uint8Array, density: number) => {
    const options = [
      '-q',
      '-dSAFER',
      '-dBATCH',
      '-dNOPAUSE',
      '-dEPSCrop',
      `-r${density}`,
      '-sDEVICE=ppmraw',
      '-sOutputFile={out}',
      '{in}',
    ]
    const result = throughProgram('gs', options, file, 'eps', 'ppm')
    const size = /\n(\d+) (\d+)\n/.exec(result.toString('latin1', 0, 200))
    return {
      width: Number(size?.[1]),
      height: Number(size?.[2]),
      data: result.subarray(-Number(size?.[1]) * Number(size?.[2]) * 3),
    }
  }

  test('draws the pixels with their position and values', () => {
    const pixels = pixelsOf(3)
    const shown = draw(encodeEps({ width: 150, height: 75, channels: 3, density: 144, pixels }), 144)
    expect(shown).toEqual({ width: 150, height: 75, data: Buffer.from(pixels) })
  })

  test('draws a progressive JPEG as sharp decodes it', async () => {
    const jpeg = await raw(3).jpeg({ progressive: true }).toBuffer()
    const shown = draw(encodeEps({ width: 150, height: 75, channels: 3, density: 144, jpeg }), 144)
    const wanted = await sharp(jpeg).raw().toBuffer()
    expect(Math.max(...wanted.map((value, index) => Math.abs(value - shown.data[index]!)))).toBeLessThanOrEqual(2)
  })

  test('draws CMYK with the correct polarity', async () => {
    const halves = Buffer.alloc(64 * 64 * 3, 255)
    for (let y = 0; y < 64; y++) halves.fill(0, (y * 64 + 32) * 3, (y + 1) * 64 * 3)
    const jpeg = await sharp(halves, { raw: { width: 64, height: 64, channels: 3 } })
      .toColourspace('cmyk')
      .jpeg({ quality: 95 })
      .toBuffer()
    const { data } = draw(encodeEps({ width: 64, height: 64, channels: 4, jpeg }), 72)
    const at = (x: number) => data[(32 * 64 + x) * 3]!
    expect(at(8)).toBeGreaterThan(245)
    expect(at(56)).toBeLessThan(60)
    const pixels = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 255)
    const inks = draw(encodeEps({ width: 2, height: 1, channels: 4, pixels }), 72).data
    expect(inks[0]).toBe(255)
    expect(inks[3]).toBeLessThan(60)
  })
})
