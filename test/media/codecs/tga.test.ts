import { describe, expect, test } from 'vitest'
import { decodeTga, encodeTga } from '../../../src/media/codecs/tga.ts'
import { expectCutsRefused, expectSafe, ffmpegFile, ffmpegPixels, hasProgram, little, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeTga(bytes, 0)

interface Parts {
  type: number
  width: number
  height: number
  bits: number
  descriptor?: number
  map?: { first: number; bits: number; colours: number[] }
  id?: string
  body: number[]
}

function tga({ type, width, height, bits, descriptor = 0x20, map, id = '', body }: Parts): Buffer {
  const mapLength = map ? map.colours.length / Math.ceil(map.bits / 8) : 0
  return Buffer.concat([
    little([id.length, 1], [map ? 1 : 0, 1], [type, 1], [map?.first ?? 0, 2], [mapLength, 2], [map?.bits ?? 0, 1]),
    little([0, 2], [0, 2], [width, 2], [height, 2], [bits, 1], [descriptor, 1]),
    Buffer.from(id),
    Buffer.from([...(map?.colours ?? []), ...body]),
  ])
}

describe('round trip', () => {
  test.each([
    [3, true],
    [3, false],
    [4, true],
    [4, false],
  ] as const)('%i channels, run-length coding %s', (channels, compress) => {
    for (const [width, height] of [
      [1, 1],
      [300, 9],
      [17, 23],
    ] as const) {
      const source = picture(width, height, channels)
      expect(withoutLimit(encodeTga(source, { compress }))).toEqual(source)
    }
  })

  test('flat pictures use a packet per 128 pixels, with the footer of version 2', () => {
    const source = { width: 256, height: 2, channels: 3, depth: 8, data: new Uint8Array(1536).fill(7) } as const
    const file = Buffer.from(encodeTga(source))
    expect(file.length).toBe(18 + 4 * 4 + 26)
    expect(file.toString('latin1', file.length - 18)).toBe('TRUEVISION-XFILE.\0')
    expect(withoutLimit(file)).toEqual(source)
  })

  test('grey becomes RGB', () => {
    const source = { width: 2, height: 1, channels: 1, depth: 8, data: Uint8Array.of(5, 200) } as const
    expect(withoutLimit(encodeTga(source)).data).toEqual(Uint8Array.of(5, 5, 5, 200, 200, 200))
  })
})

describe('decoding', () => {
  test('the four origins', () => {
    const body = [1, 2, 3, 4]
    const at = (descriptor: number) =>
      Array.from(withoutLimit(tga({ type: 3, width: 2, height: 2, bits: 8, descriptor, body })).data)
    expect(at(0x20)).toEqual([1, 2, 3, 4])
    expect(at(0x00)).toEqual([3, 4, 1, 2])
    expect(at(0x30)).toEqual([2, 1, 4, 3])
    expect(at(0x10)).toEqual([4, 3, 2, 1])
  })

  test('colour maps: first index, 24-bit and 16-bit entries, an id before the map', () => {
    const map = { first: 10, bits: 24, colours: [0, 0, 255, 255, 0, 0] }
    const file = tga({ type: 1, width: 3, height: 1, bits: 8, map, id: 'hello', body: [10, 11, 10] })
    expect(withoutLimit(file).data).toEqual(Uint8Array.of(255, 0, 0, 0, 0, 255, 255, 0, 0))
    const short = { first: 0, bits: 15, colours: [0x00, 0x7c, 0xe0, 0x03] }
    expect(
      withoutLimit(tga({ type: 9, width: 3, height: 1, bits: 8, map: short, body: [0x81, 1, 0x00, 0] })).data,
    ).toEqual(Uint8Array.of(0, 255, 0, 0, 255, 0, 255, 0, 0))
    expect(() => withoutLimit(tga({ type: 1, width: 1, height: 1, bits: 8, map, body: [12] }))).toThrow(
      'uses colour 12',
    )
  })

  test('16 bits: 5 per colour, alpha only if the header declares it', () => {
    const body = [0x00, 0xfc, 0x1f, 0x00]
    expect(withoutLimit(tga({ type: 2, width: 2, height: 1, bits: 16, body }))).toMatchObject({
      channels: 3,
      data: Uint8Array.of(255, 0, 0, 0, 0, 255),
    })
    expect(withoutLimit(tga({ type: 2, width: 2, height: 1, bits: 16, descriptor: 0x21, body }))).toMatchObject({
      channels: 4,
      data: Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0),
    })
  })

  test('32 bits: declared alpha counts, undeclared or empty alpha does not', () => {
    const body = [3, 2, 1, 50, 6, 5, 4, 60]
    expect(withoutLimit(tga({ type: 2, width: 2, height: 1, bits: 32, descriptor: 0x28, body })).channels).toBe(4)
    expect(withoutLimit(tga({ type: 2, width: 2, height: 1, bits: 32, body })).channels).toBe(3)
    const empty = [3, 2, 1, 0, 6, 5, 4, 0]
    expect(withoutLimit(tga({ type: 2, width: 2, height: 1, bits: 32, descriptor: 0x28, body: empty }))).toMatchObject({
      channels: 3,
      data: Uint8Array.of(1, 2, 3, 4, 5, 6),
    })
  })

  test('16-bit grey is grey and alpha; coded packets may cross rows', () => {
    expect(
      withoutLimit(tga({ type: 3, width: 1, height: 1, bits: 16, descriptor: 0x28, body: [9, 100] })),
    ).toMatchObject({
      channels: 2,
      data: Uint8Array.of(9, 100),
    })
    expect(withoutLimit(tga({ type: 11, width: 2, height: 2, bits: 8, body: [0x82, 7, 0x00, 8] })).data).toEqual(
      Uint8Array.of(7, 7, 7, 8),
    )
  })

  test('divides premultiplied alpha that the extension area declares', () => {
    const pixels = tga({ type: 2, width: 1, height: 1, bits: 32, descriptor: 0x28, body: [64, 32, 16, 128] })
    const extension = Buffer.alloc(495)
    extension[494] = 4
    const footer = Buffer.concat([little([pixels.length, 4], [0, 4]), Buffer.from('TRUEVISION-XFILE.\0')])
    expect(withoutLimit(Buffer.concat([pixels, extension, footer])).data).toEqual(Uint8Array.of(32, 64, 128, 128))
  })
})

describe('refusals', () => {
  const body = Array.from({ length: 30 * 20 * 3 }, (_, index) => index & 255)
  const raw = tga({ type: 2, width: 30, height: 20, bits: 24, body })
  // Without footer, so that every cut takes pixels away.
  const coded = Buffer.from(encodeTga(picture(30, 20, 4))).subarray(0, -26)

  test('cut files', () => {
    expectCutsRefused(raw, withoutLimit)
    expectCutsRefused(coded, withoutLimit)
  })

  test('damage only throws MediaprocErrors', () => {
    for (const file of [raw, coded]) expectSafe(file, (bytes) => decodeTga(bytes, 1e6))
  })

  test('limit, and declared sizes larger than the file', () => {
    expect(() => decodeTga(raw, 599)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    const huge = tga({ type: 10, width: 65535, height: 65535, bits: 24, body: [0xff, 1, 2, 3] })
    expect(() => withoutLimit(huge)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    const large = tga({ type: 10, width: 9000, height: 9000, bits: 24, body: [0xff, 1, 2, 3] })
    expect(() => withoutLimit(large)).toThrow('is cut off')
    expect(() => encodeTga({ width: 70000, height: 1, channels: 1, depth: 8, data: new Uint8Array(70000) })).toThrow(
      expect.objectContaining({ code: 'TARGET_UNREACHABLE' }),
    )
  })
})

describe.skipIf(!hasProgram('ffmpeg'))('ffmpeg', () => {
  test('reads the same pixels from the encoded file', () => {
    for (const compress of [true, false]) {
      const [opaque, clear] = [picture(35, 21, 3), picture(35, 21, 4)]
      expect(ffmpegPixels(encodeTga(opaque, { compress }), 'tga', 'rgb24')).toEqual(Buffer.from(opaque.data))
      expect(ffmpegPixels(encodeTga(clear, { compress }), 'tga', 'rgba')).toEqual(Buffer.from(clear.data))
    }
  })

  test('writes the same pixels', () => {
    const source = picture(35, 21, 4)
    expect(withoutLimit(ffmpegFile(source, 'bgra', 'tga', ''))).toEqual(source)
  })
})
