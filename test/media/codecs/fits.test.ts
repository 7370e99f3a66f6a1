import { describe, expect, test } from 'vitest'
import { decodeFits } from '../../../src/media/codecs/fits.ts'
import { expectCutsRefused, expectSafe, ffmpegFile, hasProgram, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeFits(bytes, 0)

function padded(bytes: Uint8Array, fill: number): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((2880 - (bytes.length % 2880)) % 2880, fill)])
}

function unit(cards: [name: string, value: string | number][], data: Uint8Array = Buffer.alloc(0)): Buffer {
  const text = [
    ...cards.map(([name, value]) => `${name.padEnd(8)}= ${String(value).padStart(20)} / note`.padEnd(80)),
    'END'.padEnd(80),
  ]
  return Buffer.concat([padded(Buffer.from(text.join('')), 32), padded(data, 0)])
}

function picture2d(
  bits: number,
  width: number,
  height: number,
  data: Buffer,
  more: [string, string | number][] = [],
): Buffer {
  return unit([['SIMPLE', 'T'], ['BITPIX', bits], ['NAXIS', 2], ['NAXIS1', width], ['NAXIS2', height], ...more], data)
}

function numbers(
  values: number[],
  width: number,
  write: 'writeInt16BE' | 'writeInt32BE' | 'writeFloatBE' | 'writeDoubleBE',
): Buffer {
  const data = Buffer.alloc(values.length * width)
  values.forEach((value, index) => {
    data[write](value, index * width)
  })
  return data
}

const levels = (bytes: Uint8Array) => Array.from(withoutLimit(bytes).data)

describe('decoding', () => {
  test('8 bits: the first row of the file is the lowest, the range is stretched to 16 bits', () => {
    expect(withoutLimit(picture2d(8, 2, 2, Buffer.from([10, 20, 30, 110])))).toEqual({
      width: 2,
      height: 2,
      channels: 1,
      depth: 16,
      data: Uint16Array.of(13107, 65535, 0, 6554),
    })
  })

  test('16, 32 and 64 bits and floating point', () => {
    expect(levels(picture2d(16, 3, 1, numbers([-32768, 0, 32767], 2, 'writeInt16BE')))).toEqual([0, 32768, 65535])
    expect(levels(picture2d(32, 3, 1, numbers([-2000000000, 0, 2000000000], 4, 'writeInt32BE')))).toEqual([
      0, 32768, 65535,
    ])
    expect(levels(picture2d(-32, 3, 1, numbers([-0.5, 0, 1.5], 4, 'writeFloatBE')))).toEqual([0, 16384, 65535])
    expect(levels(picture2d(-64, 2, 1, numbers([1e300, 2e300], 8, 'writeDoubleBE')))).toEqual([0, 65535])
  })

  test('a negative BSCALE inverts the order; BZERO alone changes nothing after the stretch', () => {
    const data = numbers([0, 50, 100], 2, 'writeInt16BE')
    expect(
      levels(
        picture2d(16, 3, 1, data, [
          ['BSCALE', '-1.5D0'],
          ['BZERO', 32768],
        ]),
      ),
    ).toEqual([65535, 32768, 0])
    expect(levels(picture2d(16, 3, 1, data, [['BZERO', '32768.0']]))).toEqual([0, 32768, 65535])
  })

  test('undefined samples are black and excluded from the range; flat pictures are black', () => {
    expect(levels(picture2d(16, 3, 1, numbers([-999, 5, 7], 2, 'writeInt16BE'), [['BLANK', -999]]))).toEqual([
      0, 0, 65535,
    ])
    expect(levels(picture2d(-32, 3, 1, numbers([Number.NaN, 5, 7], 4, 'writeFloatBE')))).toEqual([0, 0, 65535])
    expect(levels(picture2d(8, 2, 1, Buffer.from([9, 9])))).toEqual([0, 0])
  })

  test('three planes are RGB, other cubes show their first plane', () => {
    const cube = (planes: number, data: number[]) =>
      unit(
        [
          ['SIMPLE', 'T'],
          ['BITPIX', 8],
          ['NAXIS', 3],
          ['NAXIS1', 2],
          ['NAXIS2', 1],
          ['NAXIS3', planes],
        ],
        Buffer.from(data),
      )
    expect(withoutLimit(cube(3, [0, 255, 51, 0, 102, 0]))).toMatchObject({
      channels: 3,
      data: Uint16Array.of(0, 13107, 26214, 65535, 0, 0),
    })
    expect(withoutLimit(cube(2, [0, 255, 1, 1]))).toMatchObject({ channels: 1, data: Uint16Array.of(0, 65535) })
  })

  test('the first picture may be in an extension, after a table', () => {
    const primary = unit([
      ['SIMPLE', 'T'],
      ['BITPIX', 8],
      ['NAXIS', 0],
    ])
    const table = unit(
      [
        ['XTENSION', "'BINTABLE'"],
        ['BITPIX', 8],
        ['NAXIS', 2],
        ['NAXIS1', 30],
        ['NAXIS2', 100],
        ['PCOUNT', 0],
        ['GCOUNT', 1],
      ],
      Buffer.alloc(3000, 1),
    )
    const image = unit(
      [
        ['XTENSION', "'IMAGE   '"],
        ['BITPIX', 8],
        ['NAXIS', 2],
        ['NAXIS1', 2],
        ['NAXIS2', 1],
      ],
      Buffer.from([1, 2]),
    )
    expect(levels(Buffer.concat([primary, table, image]))).toEqual([0, 65535])
    expect(() => withoutLimit(Buffer.concat([primary, table]))).toThrow('holds no plain picture')
  })
})

describe('refusals', () => {
  const bytes = picture2d(
    16,
    60,
    50,
    numbers(
      Array.from({ length: 3000 }, (_, index) => index),
      2,
      'writeInt16BE',
    ),
  )

  test('cut files', () => {
    // Without the padding, so that every cut takes data away.
    expectCutsRefused(bytes.subarray(0, 2880 + 6000), withoutLimit)
  })

  test('damage only throws MediaprocErrors', () => {
    expectSafe(bytes, (damaged) => decodeFits(damaged, 1e6))
  })

  test('limit, depth, other files', () => {
    expect(() => decodeFits(bytes, 2999)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => withoutLimit(picture2d(12, 1, 1, Buffer.from([1])))).toThrow('declares 12 as its BITPIX')
    expect(() => withoutLimit(picture2d(8, -5, 1, Buffer.from([1])))).toThrow('-5 × 1 pixels')
    expect(() => withoutLimit(Buffer.from('SIMPLE  =                    T'.padEnd(80)))).toThrow('no END card')
  })
})

test.skipIf(!hasProgram('ffmpeg'))("reads ffmpeg's output upright, with its full range", () => {
  const source = picture(35, 21, 1, 16)
  source.data[0] = 0
  source.data[1] = 65535
  expect(withoutLimit(ffmpegFile(source, 'gray16be', 'fits', ''))).toEqual(source)
})
