import { describe, expect, test } from 'vitest'
import { decodeBmp, encodeBmp } from '../../../src/media/codecs/bmp/bmp.ts'
import { sniffBytes } from '../../../src/media/sniff.ts'
import { expectCutsRefused, expectSafe, ffmpegPixels, hasProgram, little, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeBmp(bytes, 0)

interface Parts {
  width: number
  height: number
  bits: number
  compression?: number
  masks?: number[]
  palette?: [number, number, number][]
  pixels: number[]
}

/** A BMP of the classic 40-byte header. Palette colours are RGB. */
function bmp({ width, height, bits, compression = 0, masks = [], palette = [], pixels }: Parts): Buffer {
  const colours = palette.flatMap(([red, green, blue]) => [blue, green, red, 0])
  const start = 54 + masks.length * 4 + colours.length
  return Buffer.concat([
    Buffer.from('BM'),
    little([start + pixels.length, 4], [0, 4], [start, 4], [40, 4], [width, 4], [height, 4], [1, 2], [bits, 2]),
    little([compression, 4], [pixels.length, 4], [0, 4], [0, 4], [palette.length, 4], [0, 4]),
    little(...masks.map((mask): [number, 4] => [mask, 4])),
    Buffer.from(colours),
    Buffer.from(pixels),
  ])
}

const RED: [number, number, number] = [255, 0, 0]
const GREEN: [number, number, number] = [0, 255, 0]
const BLUE: [number, number, number] = [0, 0, 255]
const BLACK: [number, number, number] = [0, 0, 0]
const palette = [RED, GREEN, BLUE, BLACK]
const rgb = (...colours: number[][]) => new Uint8Array(colours.flat())

test('pixels after the palette, if the file gives the offset of the palette', () => {
  const file = bmp({ width: 4, height: 1, bits: 8, palette, pixels: [0, 1, 2, 3] })
  const right = withoutLimit(file)
  file.writeUInt32LE(54, 10)
  expect(Array.from(right.data)).toEqual([RED, GREEN, BLUE, BLACK].flat())
  expect(withoutLimit(file)).toEqual(right)
})

test('a bitmap without file header, as in the clipboard of Windows', () => {
  const file = bmp({ width: 4, height: 1, bits: 8, palette, pixels: [0, 1, 2, 3] })
  const dib = file.subarray(14)
  expect(sniffBytes(dib).id).toBe('bmp')
  expect(withoutLimit(dib)).toEqual(withoutLimit(file))
  expectCutsRefused(dib, withoutLimit)
})

describe('round trip', () => {
  test.each([
    [3, 3, 1, 1],
    [3, 3, 61, 33],
    [4, 4, 62, 17],
    [1, 3, 9, 5],
    [2, 4, 9, 5],
  ] as const)('%i channels come back as %i, %i × %i', (channels, expected, width, height) => {
    const source = picture(width, height, channels)
    const result = withoutLimit(encodeBmp(source))
    expect(result).toMatchObject({ width, height, channels: expected, depth: 8 })
    const colours = Array.from(source.data)
    const wanted =
      channels === 1
        ? colours.flatMap((grey) => [grey, grey, grey])
        : channels === 2
          ? colours.flatMap((value, index) => (index % 2 ? [value] : [value, value, value]))
          : colours
    expect(Array.from(result.data)).toEqual(wanted)
  })

  test('alpha is explicit: fully transparent and fully opaque rasters keep their four channels', () => {
    for (const alpha of [0, 255]) {
      const source = {
        width: 2,
        height: 1,
        channels: 4,
        depth: 8,
        data: Uint8Array.of(1, 2, 3, alpha, 4, 5, 6, alpha),
      } as const
      expect(withoutLimit(encodeBmp(source))).toEqual(source)
    }
  })

  test('rounds 16 bits to 8, and writes the density in dots per metre', () => {
    const source = { width: 2, height: 1, channels: 1, depth: 16, data: Uint16Array.of(0x8080, 0xffff) } as const
    const file = encodeBmp(source, 300)
    expect(withoutLimit(file).data).toEqual(Uint8Array.of(128, 128, 128, 255, 255, 255))
    expect(Buffer.from(file).readInt32LE(38)).toBe(11811)
  })
})

describe('decoding', () => {
  test('1 bit: leftmost pixel in the top bit, rows from the bottom', () => {
    const file = bmp({ width: 9, height: 2, bits: 1, palette: [RED, BLUE], pixels: [0x80, 0x80, 0, 0, 0x01, 0, 0, 0] })
    const [r, b] = [RED, BLUE]
    expect(withoutLimit(file).data).toEqual(rgb(r, r, r, r, r, r, r, b, r, b, r, r, r, r, r, r, r, b))
  })

  test('4 and 8 bits; a colour outside the palette is black', () => {
    const four = bmp({ width: 3, height: 1, bits: 4, palette, pixels: [0x12, 0xf0, 0, 0] })
    expect(withoutLimit(four).data).toEqual(rgb(GREEN, BLUE, BLACK))
    const eight = bmp({ width: 3, height: 1, bits: 8, palette, pixels: [0, 2, 200, 0] })
    expect(withoutLimit(eight).data).toEqual(rgb(RED, BLUE, BLACK))
  })

  test('16 bits: 5-5-5 without masks, 5-6-5 with', () => {
    const plain = bmp({ width: 2, height: 1, bits: 16, pixels: [0x00, 0x7c, 0x1f, 0x00] })
    expect(withoutLimit(plain).data).toEqual(rgb(RED, BLUE))
    const masked = bmp({
      width: 2,
      height: 1,
      bits: 16,
      compression: 3,
      masks: [0xf800, 0x07e0, 0x001f],
      pixels: [0xe0, 0x07, 0x00, 0x80],
    })
    expect(withoutLimit(masked).data).toEqual(rgb(GREEN, [Math.round((16 * 255) / 31), 0, 0]))
  })

  test('16 bits with an alpha mask (compression 6) and 10-bit masks of 32 bits', () => {
    const four = bmp({
      width: 2,
      height: 1,
      bits: 16,
      compression: 6,
      masks: [0xf00, 0xf0, 0xf, 0xf000],
      pixels: [0x21, 0x84, 0xf0, 0x00],
    })
    expect(withoutLimit(four)).toMatchObject({ channels: 4, data: Uint8Array.of(68, 34, 17, 136, 0, 255, 0, 0) })
    const deep = bmp({
      width: 1,
      height: 1,
      bits: 32,
      compression: 3,
      masks: [0x3ff00000, 0xffc00, 0x3ff],
      pixels: [0xff, 0x03, 0xf0, 0x3f],
    })
    expect(withoutLimit(deep).data).toEqual(Uint8Array.of(255, 0, 255))
  })

  test('32 bits without masks: the fourth byte is alpha only if it varies', () => {
    const at = (...alphas: number[]) =>
      bmp({ width: 2, height: 1, bits: 32, pixels: alphas.flatMap((alpha) => [3, 2, 1, alpha]) })
    expect(withoutLimit(at(0, 0))).toMatchObject({ channels: 3, data: Uint8Array.of(1, 2, 3, 1, 2, 3) })
    expect(withoutLimit(at(255, 255))).toMatchObject({ channels: 3 })
    expect(withoutLimit(at(0, 128))).toMatchObject({ channels: 4, data: Uint8Array.of(1, 2, 3, 0, 1, 2, 3, 128) })
  })

  test.each([
    ['V3', 40, 3],
    ['V4', 108, 3],
    ['V5', 124, 3],
  ] as const)(
    '32 bits, %s header with masks but none of alpha: the unused byte is no alpha',
    (_, size, compression) => {
      const masks = [0xff, 0xff00, 0xff0000]
      const inHeader = size > 40 ? [...masks, 0, ...Array<number>((size - 56) / 4).fill(0)] : []
      const file = Buffer.concat([
        Buffer.from('BM'),
        little([0, 4], [0, 4], [14 + size + (size > 40 ? 0 : 12), 4], [size, 4], [2, 4], [1, 4], [1, 2], [32, 2]),
        little([compression, 4], [8, 4], [0, 4], [0, 4], [0, 4], [0, 4]),
        little(...(size > 40 ? inHeader : masks).map((mask): [number, 4] => [mask, 4])),
        Buffer.from([10, 20, 30, 5, 40, 50, 60, 9]),
      ])
      expect(withoutLimit(file)).toMatchObject({ channels: 3, data: Uint8Array.of(10, 20, 30, 40, 50, 60) })
    },
  )

  test.each([
    ['no alpha mask', 0, { channels: 3, data: Uint8Array.of(255, 0, 0, 0, 0, 255) }],
    ['an alpha mask', 0x8000, { channels: 4, data: Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0) }],
  ])('16 bits, V5 header with %s: the top bit', (_, alpha, expected) => {
    const file = Buffer.concat([
      Buffer.from('BM'),
      little([0, 4], [0, 4], [14 + 124, 4], [124, 4], [2, 4], [1, 4], [1, 2], [16, 2], [3, 4], [4, 4], [0, 4], [0, 4]),
      little([0, 4], [0, 4], [0x7c00, 4], [0x3e0, 4], [0x1f, 4], [alpha, 4]),
      Buffer.alloc(124 - 56),
      little([0xfc00, 2], [0x001f, 2]),
    ])
    expect(withoutLimit(file)).toMatchObject(expected)
  })

  test('top-down files and the header of OS/2', () => {
    const down = bmp({ width: 1, height: -2, bits: 8, palette, pixels: [0, 0, 0, 0, 1, 0, 0, 0] })
    expect(withoutLimit(down).data).toEqual(rgb(RED, GREEN))
    const core = Buffer.concat([
      Buffer.from('BM'),
      little([36, 4], [0, 4], [32, 4], [12, 4], [2, 2], [1, 2], [1, 2], [1, 2]),
      Buffer.from([255, 0, 0, 0, 255, 0, 0x40, 0, 0, 0]),
    ])
    expect(withoutLimit(core).data).toEqual(rgb(BLUE, GREEN))
  })

  test('RLE8: run, literal with padding, end of line, skip, end', () => {
    const pixels = [2, 1, 0, 3, 2, 0, 2, 0, 0, 0, 1, 2, 0, 2, 2, 0, 1, 1, 0, 1]
    const file = bmp({ width: 5, height: 2, bits: 8, compression: 1, palette, pixels })
    const [r, g, b] = [RED, GREEN, BLUE]
    expect(withoutLimit(file).data).toEqual(rgb(b, r, r, g, r, g, g, b, r, b))
  })

  test('RLE4: the two halves of a byte alternate', () => {
    const file = bmp({ width: 5, height: 1, bits: 4, compression: 2, palette, pixels: [3, 0x12, 2, 0x20, 0, 1] })
    expect(withoutLimit(file).data).toEqual(rgb(GREEN, BLUE, GREEN, BLUE, RED))
    const literal = bmp({
      width: 5,
      height: 1,
      bits: 4,
      compression: 2,
      palette,
      pixels: [0, 5, 0x12, 0x01, 0x20, 0, 0, 1],
    })
    expect(withoutLimit(literal).data).toEqual(rgb(GREEN, BLUE, RED, GREEN, BLUE))
  })

  test('missing padding after the last row is no damage', () => {
    const file = bmp({ width: 1, height: 1, bits: 24, pixels: [3, 2, 1] })
    expect(withoutLimit(file).data).toEqual(Uint8Array.of(1, 2, 3))
  })
})

describe('refusals', () => {
  const coded = bmp({
    width: 6,
    height: 40,
    bits: 8,
    compression: 1,
    palette,
    pixels: [...Array(40).fill([6, 1, 0, 0]).flat(), 0, 1],
  })

  test('refuses a cut file with its numbers', () => {
    const file = encodeBmp(picture(40, 30, 3))
    expect(() => withoutLimit(file.subarray(0, 1000))).toThrow(
      'The BMP file is cut off: it has 1000 bytes and needs at least 3654',
    )
    expectCutsRefused(file, withoutLimit)
    expectCutsRefused(coded, withoutLimit)
  })

  test('damage only throws MediaprocErrors', () => {
    const limited = (bytes: Uint8Array) => decodeBmp(bytes, 1e6)
    for (const file of [encodeBmp(picture(20, 20, 3)), encodeBmp(picture(20, 20, 4)), coded]) expectSafe(file, limited)
  })

  test('limits, sizes and codings', () => {
    const file = encodeBmp(picture(40, 30, 3))
    expect(() => decodeBmp(file, 1199)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(decodeBmp(file, 1200)).toMatchObject({ width: 40, height: 30 })
    expect(() => withoutLimit(bmp({ width: 0, height: 5, bits: 24, pixels: [] }))).toThrow('a picture of 0 × 5 pixels')
    expect(() => withoutLimit(bmp({ width: -4, height: 5, bits: 24, pixels: [] }))).toThrow(
      'a picture of -4 × 5 pixels',
    )
    expect(() => withoutLimit(bmp({ width: 1, height: 1, bits: 7, pixels: [0, 0, 0, 0] }))).toThrow('7 bits per pixel')
    expect(() => withoutLimit(bmp({ width: 1, height: 1, bits: 24, compression: 4, pixels: [0, 0, 0, 0] }))).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_FILE_TYPE' }),
    )
    expect(() => withoutLimit(Buffer.from('this is no picture at all'))).toThrow('does not begin with BM')
  })

  test('a huge declared size allocates no memory', () => {
    const file = bmp({ width: 2 ** 31 - 1, height: 2 ** 31 - 1, bits: 24, pixels: [] })
    expect(() => withoutLimit(file)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
  })
})

test.skipIf(!hasProgram('ffmpeg'))('ffmpeg reads the same pixels from the encoded file', () => {
  const opaque = picture(35, 21, 3)
  expect(ffmpegPixels(encodeBmp(opaque), 'bmp', 'rgb24')).toEqual(Buffer.from(opaque.data))
  const clear = picture(35, 21, 4)
  expect(ffmpegPixels(encodeBmp(clear), 'bmp', 'rgba')).toEqual(Buffer.from(clear.data))
})
