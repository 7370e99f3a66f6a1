import { describe, expect, test } from 'vitest'
import { decodeDds } from '../../../src/media/codecs/dds/dds.ts'
import { expectCutsRefused, expectSafe, hasProgram, little, picture, throughProgram } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeDds(bytes, 0)

interface Parts {
  width: number
  height: number
  flags: number
  code?: string
  bits?: number
  masks?: [number, number, number, number]
  body: number[]
}

function dds({ width, height, flags, code = '\0\0\0\0', bits = 0, masks = [0, 0, 0, 0], body }: Parts): Buffer {
  return Buffer.concat([
    Buffer.from('DDS '),
    little([124, 4], [0x1007, 4], [height, 4], [width, 4], [0, 4], [0, 4], [1, 4]),
    Buffer.alloc(44),
    little([32, 4], [flags, 4]),
    Buffer.from(code, 'latin1'),
    little([bits, 4], ...masks.map((mask): [number, 4] => [mask, 4])),
    little([0x1000, 4], [0, 4], [0, 4], [0, 4], [0, 4]),
    Buffer.from(body),
  ])
}

const block = (code: string, body: number[], width = 4, height = 4) => dds({ width, height, flags: 4, code, body })
const pixels = (bytes: Uint8Array) => {
  const { data, channels } = withoutLimit(bytes)
  return Array.from({ length: data.length / channels }, (_, index) =>
    Array.from(data.subarray(index * channels, (index + 1) * channels)),
  )
}

describe('uncompressed', () => {
  test('masks of 32, 24 and 16 bits', () => {
    const bgra = dds({
      width: 1,
      height: 1,
      flags: 0x41,
      bits: 32,
      masks: [0xff0000, 0xff00, 0xff, 0xff000000],
      body: [3, 2, 1, 4],
    })
    expect(withoutLimit(bgra)).toMatchObject({ channels: 4, data: Uint8Array.of(1, 2, 3, 4) })
    const rgb = dds({
      width: 2,
      height: 1,
      flags: 0x40,
      bits: 24,
      masks: [0xff, 0xff00, 0xff0000, 0],
      body: [1, 2, 3, 4, 5, 6],
    })
    expect(withoutLimit(rgb)).toMatchObject({ channels: 3, data: Uint8Array.of(1, 2, 3, 4, 5, 6) })
    const short = dds({
      width: 1,
      height: 1,
      flags: 0x40,
      bits: 16,
      masks: [0xf800, 0x7e0, 0x1f, 0],
      body: [0xe0, 0x07],
    })
    expect(withoutLimit(short).data).toEqual(Uint8Array.of(0, 255, 0))
  })

  test('luminance with empty masks is not black', () => {
    for (const mask of [0, 0xff000000]) {
      const grey = dds({ width: 2, height: 1, flags: 0x20000, bits: 8, masks: [mask, mask, mask, 0], body: [7, 250] })
      expect(withoutLimit(grey)).toMatchObject({ channels: 1, data: Uint8Array.of(7, 250) })
    }
    const alpha = dds({ width: 1, height: 1, flags: 0x20001, bits: 16, masks: [0, 0, 0, 0xff00], body: [9, 200] })
    expect(withoutLimit(alpha)).toMatchObject({ channels: 2, data: Uint8Array.of(9, 200) })
  })

  test('luminance with and without alpha, alpha alone', () => {
    const grey = dds({ width: 2, height: 1, flags: 0x20000, bits: 8, masks: [0xff, 0, 0, 0], body: [5, 6] })
    expect(withoutLimit(grey)).toMatchObject({ channels: 1, data: Uint8Array.of(5, 6) })
    const both = dds({ width: 1, height: 1, flags: 0x20001, bits: 16, masks: [0xff, 0, 0, 0xff00], body: [5, 6] })
    expect(withoutLimit(both)).toMatchObject({ channels: 2, data: Uint8Array.of(5, 6) })
    const alpha = dds({ width: 1, height: 1, flags: 2, bits: 8, masks: [0, 0, 0, 0xff], body: [77] })
    expect(withoutLimit(alpha)).toMatchObject({ channels: 2, data: Uint8Array.of(0, 77) })
  })

  test('the extended header', () => {
    const body = [...little([28, 4], [3, 4], [0, 4], [1, 4], [0, 4]), 1, 2, 3, 4]
    expect(withoutLimit(block('DX10', body, 1, 1)).data).toEqual(Uint8Array.of(1, 2, 3, 4))
    const unknown = [...little([10, 4], [3, 4], [0, 4], [1, 4], [0, 4]), ...Array(16).fill(0)]
    expect(() => withoutLimit(block('DX10', unknown))).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_FILE_TYPE' }),
    )
  })
})

describe('blocks', () => {
  // Red 0xf800 is larger than blue 0x001f: four colours. The rows choose 0,1,2,3; 0; 1; 3.
  const redBlue = [0x00, 0xf8, 0x1f, 0x00, 0b11100100, 0, 0b01010101, 0xff]

  test('DXT1 with four colours is opaque RGB, with thirds', () => {
    expect(pixels(block('DXT1', redBlue))).toEqual([
      [255, 0, 0],
      [0, 0, 255],
      [170, 0, 85],
      [85, 0, 170],
      ...Array(4).fill([255, 0, 0]),
      ...Array(4).fill([0, 0, 255]),
      ...Array(4).fill([85, 0, 170]),
    ])
  })

  test('DXT1 with three colours: the half, and transparent black', () => {
    const blueRed = [0x1f, 0x00, 0x00, 0xf8, 0b11100100, 0, 0, 0]
    expect(pixels(block('DXT1', blueRed)).slice(0, 4)).toEqual([
      [0, 0, 255, 255],
      [255, 0, 0, 255],
      [128, 0, 128, 255],
      [0, 0, 0, 0],
    ])
  })

  test('DXT3 has four bits of alpha per pixel', () => {
    const alphas = [0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe]
    const result = pixels(block('DXT3', [...alphas, ...redBlue]))
    expect(result.map((pixel) => pixel[3])).toEqual(Array.from({ length: 16 }, (_, index) => index * 17))
    expect(result[2]!.slice(0, 3)).toEqual([170, 0, 85])
  })

  test('DXT5: eight and six steps of alpha', () => {
    // Indices 0 to 7, twice, of three bits each.
    const indices = [0b10001000, 0b11000110, 0b11111010, 0b10001000, 0b11000110, 0b11111010]
    const eight = pixels(block('DXT5', [210, 0, ...indices, ...redBlue])).map((pixel) => pixel[3])
    expect(eight).toEqual([210, 0, 180, 150, 120, 90, 60, 30, 210, 0, 180, 150, 120, 90, 60, 30])
    const six = pixels(block('DXT5', [0, 100, ...indices, ...redBlue])).map((pixel) => pixel[3])
    expect(six.slice(0, 8)).toEqual([0, 100, 20, 40, 60, 80, 0, 255])
  })

  test('DXT2 and DXT4 are premultiplied', () => {
    const half = Array(8).fill(0x88)
    const dim = [0x00, 0x80, 0x00, 0x80, 0, 0, 0, 0]
    const red = Math.round((16 * 255) / 31)
    expect(pixels(block('DXT2', [...half, ...dim]))[0]).toEqual([Math.round((red * 255) / 136), 0, 0, 136])
    expect(pixels(block('DXT3', [...half, ...dim]))[0]).toEqual([red, 0, 0, 136])
  })

  test('sizes that are not a multiple of four', () => {
    const result = withoutLimit(block('DXT1', [...redBlue, ...redBlue], 5, 3))
    expect(result).toMatchObject({ width: 5, height: 3, channels: 3 })
    expect(Array.from(result.data.subarray(12, 15))).toEqual([255, 0, 0])
  })
})

describe('refusals', () => {
  const coded = block(
    'DXT5',
    Array.from({ length: 16 * 25 }, (_, index) => index & 255),
    20,
    20,
  )
  const plain = dds({
    width: 20,
    height: 20,
    flags: 0x40,
    bits: 24,
    masks: [0xff, 0xff00, 0xff0000, 0],
    body: Array(1200).fill(5),
  })

  test('cut files', () => {
    expectCutsRefused(coded, withoutLimit)
    expectCutsRefused(plain, withoutLimit)
  })

  test('damage only throws MediaprocErrors', () => {
    for (const bytes of [coded, plain]) expectSafe(bytes, (damaged) => decodeDds(damaged, 1e6))
  })

  test('limit and unknown kinds', () => {
    expect(() => decodeDds(coded, 399)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => withoutLimit(block('YUY2', Array(16).fill(0)))).toThrow('the pixel format YUY2')
    expect(() => withoutLimit(dds({ width: 1, height: 1, flags: 0x40, bits: 12, body: [0, 0] }))).toThrow(
      '12 bits per pixel',
    )
  })
})

test.skipIf(!hasProgram('convert'))('matches ImageMagick on its own DXT5 within rounding', () => {
  const { data } = picture(32, 24, 4)
  const size = ['-size', '32x24', '-depth', '8']
  const file = throughProgram(
    'convert',
    [...size, 'rgba:{in}', '-define', 'dds:compression=dxt5', '{out}'],
    data as Uint8Array,
    'raw',
    'dds',
  )
  const wanted = throughProgram('convert', ['{in}', '-depth', '8', 'rgba:{out}'], file, 'dds')
  const result = withoutLimit(file)
  expect(result).toMatchObject({ width: 32, height: 24, channels: 4 })
  expect(Math.max(...wanted.map((value, index) => Math.abs(value - result.data[index]!)))).toBeLessThanOrEqual(1)
})

test('blocks of one level are grey, of two red and green', () => {
  // Ends 200 and 60, numbers 0 to 7 and back to 0, three bits each.
  const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]
  const bits = numbers.reduce((sum, number, index) => sum | (BigInt(number) << BigInt(index * 3)), 0n)
  const body = [200, 60, ...Array.from({ length: 6 }, (_, index) => Number((bits >> BigInt(index * 8)) & 255n))]
  const levels = numbers.map((number) =>
    number === 0 ? 200 : number === 1 ? 60 : Math.round(((8 - number) * 200 + (number - 1) * 60) / 7),
  )
  for (const code of ['ATI1', 'BC4U']) expect(pixels(block(code, body)).flat()).toEqual(levels)
  const flat = [9, 9, 0, 0, 0, 0, 0, 0]
  expect(pixels(block('ATI2', [...body, ...flat]))).toEqual(levels.map((level) => [level, 9, 0]))
  expectCutsRefused(block('BC5U', [...body, ...flat]), withoutLimit)
})

test('signed blocks have 0 in the middle', () => {
  // Ends 100 and -100; the numbers 0, 1 and 2 in the first three pixels.
  const body = [100, 156, 0b10001000, 0, 0, 0, 0, 0]
  const middle = [0, 0, 0, 0, 0, 0, 0, 0]
  expect(pixels(block('BC4S', body)).flat().slice(0, 3)).toEqual([228, 28, Math.round((6 * 228 + 28) / 7)])
  expect(pixels(block('BC5S', [...body, ...middle]))[0]).toEqual([228, 128, 128])
})
