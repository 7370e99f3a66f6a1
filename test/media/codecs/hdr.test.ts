import { describe, expect, test } from 'vitest'
import { decodeHdr } from '../../../src/media/codecs/hdr.ts'
import { expectCutsRefused, expectSafe, randomNumbers } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeHdr(bytes, 0)

function hdr(size: string, body: number[], format = '32-bit_rle_rgbe'): Buffer {
  const header = `#?RADIANCE\n# by hand\nFORMAT=${format}\nEXPOSURE=1.0\n\n${size}\n`
  return Buffer.concat([Buffer.from(header), Buffer.from(body)])
}

/** A pixel whose red mantissa encodes its position: value / 256 at exponent 128. */
const place = (value: number) => [value, 0, 0, 128]
const reds = (bytes: Uint8Array) =>
  Array.from(withoutLimit(bytes).data)
    .filter((_, index) => index % 3 === 0)
    .map((red) => red * 256)

/** The new coding: each component of a row separately. */
function codeRow(row: number[][]): number[] {
  const coded = [2, 2, row.length >> 8, row.length & 255]
  for (let component = 0; component < 4; component++) {
    const values = row.map((pixel) => pixel[component]!)
    for (let x = 0; x < values.length; ) {
      let end = x + 1
      while (end < values.length && end - x < 127 && values[end] === values[x]) end++
      if (end - x > 2) coded.push(128 + end - x, values[x]!)
      else {
        end = Math.min(values.length, x + 5)
        coded.push(end - x, ...values.slice(x, end))
      }
      x = end
    }
  }
  return coded
}

describe('decoding', () => {
  test('uncompressed pixels: mantissa times two to the exponent', () => {
    const body = [128, 64, 32, 129, 255, 0, 1, 136, 1, 2, 3, 0, 200, 100, 50, 120]
    expect(withoutLimit(hdr('-Y 2 +X 2', body))).toEqual({
      width: 2,
      height: 2,
      channels: 3,
      depth: 32,
      data: Float32Array.of(1, 0.5, 0.25, 255, 0, 1, 0, 0, 0, 200 / 65536, 100 / 65536, 50 / 65536),
    })
  })

  test('the old coding: 1,1,1 repeats, a second count weighs 256 times as much', () => {
    const body = [...place(7), 1, 1, 1, 2, 1, 1, 1, 1, ...place(9)]
    const row = reds(hdr('-Y 1 +X 260', body))
    expect(row.slice(0, 259)).toEqual(Array(259).fill(7))
    expect(row[259]).toBe(9)
  })

  test('the new coding gives the same as uncompressed pixels', () => {
    const random = randomNumbers(5)
    const rows = Array.from({ length: 12 }, (_, y) =>
      Array.from({ length: 40 }, (_, x) =>
        y % 2 ? [x >> 3, y, 200, 128] : [3 + random() * 250, random() * 250, 9, 120 + y].map(Math.floor),
      ),
    )
    const plain = withoutLimit(hdr('-Y 12 +X 40', rows.flat(2)))
    const coded = withoutLimit(hdr('-Y 12 +X 40', rows.flatMap(codeRow)))
    expect(coded).toEqual(plain)
  })

  test('all eight axis orders show the same picture', () => {
    // Shown: 1 2 3 / 4 5 6.
    const orders: [size: string, places: number[]][] = [
      ['-Y 2 +X 3', [1, 2, 3, 4, 5, 6]],
      ['-Y 2 -X 3', [3, 2, 1, 6, 5, 4]],
      ['+Y 2 +X 3', [4, 5, 6, 1, 2, 3]],
      ['+Y 2 -X 3', [6, 5, 4, 3, 2, 1]],
      ['+X 3 -Y 2', [1, 4, 2, 5, 3, 6]],
      ['-X 3 -Y 2', [3, 6, 2, 5, 1, 4]],
      ['+X 3 +Y 2', [4, 1, 5, 2, 6, 3]],
      ['-X 3 +Y 2', [6, 3, 5, 2, 4, 1]],
    ]
    for (const [size, places] of orders) {
      const bytes = hdr(
        size,
        places.flatMap((value) => place(value * 20)),
      )
      expect(withoutLimit(bytes), size).toMatchObject({ width: 3, height: 2 })
      expect(reds(bytes), size).toEqual([20, 40, 60, 80, 100, 120])
    }
  })

  test('XYZ white of D65 becomes equal red, green and blue', () => {
    // A step of the mantissa is 1/128 here.
    const [red, green, blue] = withoutLimit(hdr('-Y 1 +X 1', [122, 128, 139, 129], '32-bit_rle_xyze')).data
    for (const value of [red!, green!, blue!]) expect(Math.abs(value - 1)).toBeLessThan(0.015)
  })
})

describe('refusals', () => {
  const rows = Array.from({ length: 20 }, (_, y) => Array.from({ length: 30 }, (_, x) => [x, y, (x * y) & 255, 128]))
  const coded = hdr('-Y 20 +X 30', rows.flatMap(codeRow))
  const plain = hdr('-Y 20 +X 5', rows.flatMap((row) => row.slice(0, 5)).flat())

  test('cut files', () => {
    expectCutsRefused(coded, withoutLimit)
    expectCutsRefused(plain, withoutLimit)
    expect(() => withoutLimit(hdr('-Y 2 +X 2', [1, 2, 3, 4, 5, 6, 7, 8]))).toThrow('it has 2 of 4 pixels')
  })

  test('damage only throws MediaprocErrors', () => {
    for (const bytes of [coded, plain]) expectSafe(bytes, (damaged) => decodeHdr(damaged, 1e6))
  })

  test('limit, format, size line', () => {
    expect(() => decodeHdr(coded, 599)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => withoutLimit(hdr('-Y 1 +X 1', [0, 0, 0, 0], 'float'))).toThrow('the pixel format float')
    expect(() => withoutLimit(hdr('-Y 1 +Y 1', [0, 0, 0, 0]))).toThrow('does not state its size')
    expect(() => withoutLimit(Buffer.from('text\n'))).toThrow('does not begin with #?')
  })
})
