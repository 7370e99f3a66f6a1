import { describe, expect, test } from 'vitest'
import { decodeDpx } from '../../../src/media/codecs/dpx.ts'
import { expectCutsRefused, expectSafe, ffmpegFile, hasProgram, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeDpx(bytes, 0)

interface Parts {
  width: number
  height: number
  descriptor: number
  bits: number
  packing?: number
  orientation?: number
  coding?: number
  linePadding?: number
  isLittle?: boolean
  body: number[]
}

function dpx(parts: Parts): Buffer {
  const {
    width,
    height,
    descriptor,
    bits,
    packing = 0,
    orientation = 0,
    coding = 0,
    linePadding = 0,
    isLittle = false,
    body,
  } = parts
  const header = Buffer.alloc(2048, 0xff)
  const long = (value: number, at: number) =>
    isLittle ? header.writeUInt32LE(value, at) : header.writeUInt32BE(value, at)
  const short = (value: number, at: number) =>
    isLittle ? header.writeUInt16LE(value, at) : header.writeUInt16BE(value, at)
  header.write(isLittle ? 'XPDS' : 'SDPX', 'latin1')
  long(2048, 4)
  short(orientation, 768)
  short(1, 770)
  long(width, 772)
  long(height, 776)
  header[800] = descriptor
  header[803] = bits
  short(packing, 804)
  short(coding, 806)
  long(2048, 808)
  long(linePadding, 812)
  return Buffer.concat([header, Buffer.from(body)])
}

const ten = (value: number) => Math.round((value * 65535) / 1023)
const word = (value: number, isLittle = false) => {
  const bytes = Buffer.alloc(4)
  if (isLittle) bytes.writeUInt32LE(value >>> 0)
  else bytes.writeUInt32BE(value >>> 0)
  return [...bytes]
}

describe('decoding', () => {
  test('10 bits RGB, method A and B, both byte orders', () => {
    const wanted = Uint16Array.of(ten(1023), ten(512), ten(1), ten(0), ten(5), ten(700))
    for (const isLittle of [false, true]) {
      for (const [packing, padding] of [
        [1, 2],
        [2, 0],
      ] as const) {
        const body = [
          [1023, 512, 1],
          [0, 5, 700],
        ].flatMap(([red, green, blue]) => word(((red! << 20) | (green! << 10) | blue!) << padding, isLittle))
        expect(withoutLimit(dpx({ width: 2, height: 1, descriptor: 50, bits: 10, packing, isLittle, body }))).toEqual({
          width: 2,
          height: 1,
          channels: 3,
          depth: 16,
          data: wanted,
        })
      }
    }
  })

  test('10-bit luma fills words from the low end, and rows start a new word', () => {
    const body = [
      ...word(((3 << 20) | (2 << 10) | 1) << 2),
      ...word(4 << 2),
      ...word(((7 << 20) | (6 << 10) | 5) << 2),
      ...word(8 << 2),
    ]
    const { data } = withoutLimit(dpx({ width: 4, height: 2, descriptor: 6, bits: 10, packing: 1, body }))
    expect(Array.from(data)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(ten))
  })

  test('8 bits with padded and unpadded rows', () => {
    const padded = dpx({ width: 1, height: 2, descriptor: 50, bits: 8, body: [1, 2, 3, 0, 4, 5, 6, 0] })
    expect(withoutLimit(padded)).toMatchObject({ depth: 8, data: Uint8Array.of(1, 2, 3, 4, 5, 6) })
    const tight = dpx({ width: 1, height: 2, descriptor: 50, bits: 8, body: [1, 2, 3, 4, 5, 6] })
    expect(withoutLimit(tight).data).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6))
    const lined = dpx({
      width: 1,
      height: 2,
      descriptor: 51,
      bits: 8,
      linePadding: 2,
      body: [1, 2, 3, 4, 9, 9, 5, 6, 7, 8],
    })
    expect(withoutLimit(lined).data).toEqual(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))
  })

  test('16 bits in both byte orders, ABGR', () => {
    expect(
      withoutLimit(dpx({ width: 1, height: 1, descriptor: 51, bits: 16, body: [1, 2, 3, 4, 5, 6, 7, 8] })).data,
    ).toEqual(Uint16Array.of(0x102, 0x304, 0x506, 0x708))
    expect(
      withoutLimit(
        dpx({ width: 1, height: 1, descriptor: 52, bits: 16, isLittle: true, body: [1, 0, 2, 0, 3, 0, 4, 0] }),
      ).data,
    ).toEqual(Uint16Array.of(4, 3, 2, 1))
  })

  test('the eight orientations show the same picture', () => {
    // Shown: 1 2 3 / 4 5 6, as single-colour bytes; rows of the file are padded to four bytes.
    const rows: number[][][] = [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      [
        [3, 2, 1],
        [6, 5, 4],
      ],
      [
        [4, 5, 6],
        [1, 2, 3],
      ],
      [
        [6, 5, 4],
        [3, 2, 1],
      ],
      [
        [1, 4],
        [2, 5],
        [3, 6],
      ],
      [
        [3, 6],
        [2, 5],
        [1, 4],
      ],
      [
        [4, 1],
        [5, 2],
        [6, 3],
      ],
      [
        [6, 3],
        [5, 2],
        [4, 1],
      ],
    ]
    rows.forEach((lines, orientation) => {
      const body = lines.flatMap((line) => [...line, 0, 0].slice(0, 4))
      const file = dpx({ width: lines[0]!.length, height: lines.length, descriptor: 6, bits: 8, orientation, body })
      expect(withoutLimit(file), String(orientation)).toMatchObject({
        width: 3,
        height: 2,
        data: Uint8Array.of(1, 2, 3, 4, 5, 6),
      })
    })
  })
})

describe('refusals', () => {
  const file = dpx({ width: 50, height: 40, descriptor: 50, bits: 10, packing: 1, body: Array(8000).fill(0x55) })

  test('cut files', () => {
    expectCutsRefused(file, withoutLimit)
  })

  test('damage only throws MediaprocErrors', () => {
    expectSafe(file, (damaged) => decodeDpx(damaged, 1e6), [768, 820])
  })

  test('limit and unsupported variants', () => {
    expect(() => decodeDpx(file, 1999)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    const plain = { width: 1, height: 1, descriptor: 50, bits: 8, body: [1, 2, 3, 0] }
    expect(() => withoutLimit(dpx({ ...plain, coding: 1 }))).toThrow('run-length coded')
    expect(() => withoutLimit(dpx({ ...plain, descriptor: 100 }))).toThrow('pixels of kind 100')
    expect(() => withoutLimit(dpx({ ...plain, bits: 12 }))).toThrow('12-bit samples')
    expect(() => withoutLimit(dpx({ ...plain, bits: 10, packing: 0 }))).toThrow('packed 10-bit')
  })
})

test.skipIf(!hasProgram('ffmpeg'))("decodes ffmpeg's output exactly", () => {
  const [eight, alpha, sixteen] = [picture(35, 21, 3), picture(35, 21, 4), picture(35, 21, 3, 16)]
  expect(withoutLimit(ffmpegFile(eight, 'rgb24', 'dpx', ''))).toEqual(eight)
  expect(withoutLimit(ffmpegFile(alpha, 'rgba', 'dpx', ''))).toEqual(alpha)
  for (const format of ['rgb48le', 'rgb48be'])
    expect(withoutLimit(ffmpegFile(sixteen, format, 'dpx', ''))).toEqual(sixteen)
})
