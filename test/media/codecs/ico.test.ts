import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeIco, encodeIco } from '../../../src/media/codecs/ico.ts'
import { expectCutsRefused, expectSafe, little } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeIco(bytes, 0)

/** A PNG with an unchecked header and data: the codec passes it on unchanged. */
function png(width: number, height: number, bits = 8, colourType = 6): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = bits
  header[9] = colourType
  const chunk = (type: string, data: Uint8Array) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const data = deflateSync(Buffer.alloc(height * (width * 4 + 1)))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A bitmap in an icon: no file header, double height, colours, then the mask. */
function bitmap(
  width: number,
  height: number,
  bits: number,
  palette: number[],
  colours: number[],
  mask: number[],
): Buffer {
  return Buffer.concat([
    little(
      [40, 4],
      [width, 4],
      [height * 2, 4],
      [1, 2],
      [bits, 2],
      [0, 4],
      [0, 4],
      [0, 4],
      [0, 4],
      [palette.length / 4, 4],
      [0, 4],
    ),
    Buffer.from([...palette, ...colours, ...mask]),
  ])
}

function icon(kind: 1 | 2, bodies: Buffer[]): Buffer {
  let start = 6 + 16 * bodies.length
  const entries = bodies.map((body) => {
    const entry = little([0, 1], [0, 1], [0, 1], [0, 1], [1, 2], [32, 2], [body.length, 4], [start, 4])
    start += body.length
    return entry
  })
  return Buffer.concat([little([0, 2], [kind, 2], [bodies.length, 2]), ...entries, ...bodies])
}

const PALETTE = [0, 0, 255, 0, 0, 255, 0, 0]

describe('decoding', () => {
  test('selects the largest picture by its own header; passes a PNG on unchanged', () => {
    const large = png(256, 256)
    const result = withoutLimit(icon(1, [png(16, 16), large, png(48, 48)]))
    expect(result).toEqual({ png: large })
  })

  test('selects the deepest among equal sizes', () => {
    const [flat, deep] = [png(32, 32, 8, 3), png(32, 32, 8, 6)]
    expect(withoutLimit(icon(1, [flat, deep]))).toEqual({ png: deep })
    expect(withoutLimit(icon(1, [deep, flat]))).toEqual({ png: deep })
  })

  test('a bitmap with a palette takes its alpha from the mask, rows from the bottom', () => {
    const body = bitmap(2, 2, 1, PALETTE, [0x40, 0, 0, 0, 0x80, 0, 0, 0], [0x80, 0, 0, 0, 0x00, 0, 0, 0])
    expect(withoutLimit(icon(2, [body]))).toEqual({
      width: 2,
      height: 2,
      channels: 4,
      depth: 8,
      data: Uint8Array.of(0, 255, 0, 255, 255, 0, 0, 255, 255, 0, 0, 0, 0, 255, 0, 255),
    })
  })

  test('an empty mask gives no alpha', () => {
    const body = bitmap(1, 1, 24, [], [3, 2, 1, 0], [0, 0, 0, 0])
    expect(withoutLimit(icon(1, [body]))).toMatchObject({ channels: 3, data: Uint8Array.of(1, 2, 3) })
  })

  test('32 bits: stored alpha overrides the mask; without alpha, the mask counts', () => {
    const stored = bitmap(2, 1, 32, [], [3, 2, 1, 100, 6, 5, 4, 0], [0xc0, 0, 0, 0])
    expect(withoutLimit(icon(1, [stored]))).toMatchObject({ data: Uint8Array.of(1, 2, 3, 100, 4, 5, 6, 0) })
    const masked = bitmap(2, 1, 32, [], [3, 2, 1, 0, 6, 5, 4, 0], [0x40, 0, 0, 0])
    expect(withoutLimit(icon(1, [masked]))).toMatchObject({ data: Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 0) })
    const bare = bitmap(2, 1, 32, [], [3, 2, 1, 0, 6, 5, 4, 0], [])
    expect(withoutLimit(icon(1, [bare]))).toMatchObject({ channels: 3, data: Uint8Array.of(1, 2, 3, 4, 5, 6) })
  })
})

describe('encoding', () => {
  test('directory and bodies; 256 is stored as 0', () => {
    const pictures = [16, 48, 256].map((size) => ({ png: png(size, size), width: size, height: size }))
    const file = Buffer.from(encodeIco(pictures))
    expect(file.readUInt16LE(2)).toBe(1)
    expect(file.readUInt16LE(4)).toBe(3)
    expect([file[6], file[22], file[38]]).toEqual([16, 48, 0])
    pictures.forEach(({ png: body }, index) => {
      const [length, start] = [file.readUInt32LE(14 + index * 16), file.readUInt32LE(18 + index * 16)]
      expect(file.subarray(start, start + length)).toEqual(body)
    })
    expect(withoutLimit(file)).toEqual({ png: pictures[2]!.png })
  })

  test('refuses pictures that an icon cannot contain', () => {
    expect(() => encodeIco([{ png: png(512, 512), width: 512, height: 512 }])).toThrow(
      expect.objectContaining({ code: 'TARGET_UNREACHABLE', message: expect.stringContaining('512 × 512') }),
    )
    expect(() => encodeIco([])).toThrow('at least one picture')
  })
})

describe('refusals', () => {
  const body = bitmap(20, 20, 32, [], Array(1600).fill(9), Array(80).fill(0))
  const file = icon(1, [body, png(8, 8)])

  test('cut files, other files, no pictures', () => {
    expectCutsRefused(file, withoutLimit)
    expect(() => withoutLimit(Buffer.from('no icon'))).toThrow('not an icon')
    expect(() => withoutLimit(icon(1, []))).toThrow('holds no picture')
  })

  test('damage only throws MediaprocErrors', () => {
    expectSafe(file, (bytes) => decodeIco(bytes, 1e6))
  })

  test('the limit applies to bitmaps and PNGs', () => {
    expect(() => decodeIco(file, 399)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => decodeIco(icon(1, [png(256, 256)]), 65535)).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED' }),
    )
  })
})
