import { describe, expect, test } from 'vitest'
import { packBits, unpackBits } from '../../../src/media/codecs/psd/packbits.ts'
import { encodePsd } from '../../../src/media/codecs/psd/psd.ts'
import { decodePsd } from '../../../src/media/codecs/psd/psd-decode.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { expectCutsRefused, expectSafe, hasProgram, picture, throughProgram } from './helpers.ts'

const LIMIT = 1e6

interface Parts {
  version?: 1 | 2
  channels: number
  width: number
  height: number
  depth: number
  mode: number
  colourTable?: Buffer
  resources?: Buffer
  layers?: Buffer
  compression?: number
  data: Buffer
}

const u16 = (...values: number[]): Buffer => Buffer.from(values.flatMap((value) => [(value >> 8) & 255, value & 255]))

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const block = (body: Uint8Array = Buffer.alloc(0), wide = false): Buffer =>
  Buffer.concat([...(wide ? [u32(0)] : []), u32(body.length), body])

const resource = (id: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from('8BIM'), u16(id, 0), u32(body.length), body, Buffer.alloc(body.length % 2)])

/** A PSD file by hand, from its specification, independent of the encoder. */
function psd(parts: Parts): Buffer {
  const { version = 1, channels, width, height, depth, mode, compression = 0, data } = parts
  return Buffer.concat([
    Buffer.from('8BPS'),
    u16(version, 0, 0, 0, channels),
    u32(height),
    u32(width),
    u16(depth, mode),
    block(parts.colourTable),
    block(parts.resources),
    block(parts.layers, version === 2),
    u16(compression),
    data,
  ])
}

/** A layer section that only declares transparency of the merged picture. */
const transparentLayers = (): Buffer => Buffer.concat([block(u16(0xffff, 0)), u32(0)])

test('PackBits: round-trips, reports short rows, cuts long runs', () => {
  const row = Uint8Array.from([7, 7, 7, 7, 1, 2, 3, 3, ...Array(200).fill(9), 4])
  const back = new Uint8Array(row.length)
  expect(unpackBits(packBits(row), back)).toBe(row.length)
  expect(back).toEqual(row)
  expect(unpackBits(Uint8Array.of(128, 255, 5), new Uint8Array(4))).toBe(2)
  const cut = new Uint8Array(3)
  expect(unpackBits(Uint8Array.of(0x81, 5), cut)).toBe(3)
  expect(unpackBits(Uint8Array.of(9, 1, 2), new Uint8Array(5))).toBe(2)
})

describe('reads the output of encodePsd', () => {
  test.each([
    [1, 8, 'packbits'],
    [1, 8, 'raw'],
    [1, 16, 'packbits'],
    [3, 8, 'packbits'],
    [3, 16, 'raw'],
  ] as const)('%i channels of %i bits, %s', (channels, depth, compression) => {
    const source = picture(37, 23, channels, depth)
    const read = decodePsd(encodePsd(source, { compression, density: 300, icc: Uint8Array.of(1, 2, 3) }), LIMIT)
    expect(read).toMatchObject({ width: 37, height: 23, channels, depth, hasAlpha: false, density: 300 })
    expect(read.space).toBe(channels === 1 ? 'grey' : 'rgb')
    expect([...read.icc!]).toEqual([1, 2, 3])
    expect(read.data).toEqual(source.data)
  })

  test.each([
    [2, 8],
    [4, 8],
    [2, 16],
    [4, 16],
  ] as const)('%i channels of %i bits: straight alpha, within what the matte leaves', (channels, depth) => {
    const source = picture(37, 23, channels, depth)
    const read = decodePsd(encodePsd(source), LIMIT)
    expect(read).toMatchObject({ channels, depth, hasAlpha: true })
    const white = depth === 8 ? 255 : 65535
    let worst = 0
    source.data.forEach((value, index) => {
      const alpha = source.data[index + channels - 1 - (index % channels)]!
      if (index % channels === channels - 1) expect(read.data[index]).toBe(value)
      // One step of the merged picture is white/alpha steps of the straight one.
      else if (alpha > 0) worst = Math.max(worst, (Math.abs(read.data[index]! - value) * alpha) / white)
    })
    expect(worst).toBeLessThanOrEqual(1)
  })
})

describe('every colour mode', () => {
  test('bitmap: 1 is black, rows begin at whole bytes', () => {
    const read = decodePsd(
      psd({
        channels: 1,
        width: 10,
        height: 2,
        depth: 1,
        mode: 0,
        data: Buffer.from([0b10100000, 0b01000000, 0, 0b11111111]),
      }),
      LIMIT,
    )
    const [black, white] = [0, 255]
    expect(read).toMatchObject({ space: 'grey', channels: 1, depth: 8 })
    expect([...read.data]).toEqual([
      ...[black, white, black, white, white, white, white, white, white, black],
      ...[white, white, white, white, white, white, white, white, black, black],
    ])
  })

  test('reads duotone as grey', () => {
    const read = decodePsd(
      psd({
        channels: 1,
        width: 3,
        height: 1,
        depth: 8,
        mode: 8,
        colourTable: Buffer.alloc(20),
        data: Buffer.from([1, 2, 3]),
      }),
      LIMIT,
    )
    expect(read).toMatchObject({ space: 'grey', channels: 1 })
    expect([...read.data]).toEqual([1, 2, 3])
  })

  test('indexed, with and without a transparent index', () => {
    const colourTable = Buffer.alloc(768)
    for (const [index, colour] of [
      [0, [255, 0, 0]],
      [1, [10, 20, 30]],
    ] as const)
      for (const channel of [0, 1, 2] as const) colourTable[index + channel * 256] = colour[channel]
    const parts = { channels: 1, width: 3, height: 1, depth: 8, mode: 2, colourTable, data: Buffer.from([0, 1, 0]) }
    const opaque = decodePsd(psd(parts), LIMIT)
    expect(opaque).toMatchObject({ space: 'rgb', channels: 3, hasAlpha: false })
    expect([...opaque.data]).toEqual([255, 0, 0, 10, 20, 30, 255, 0, 0])
    const clear = decodePsd(psd({ ...parts, resources: resource(1047, u16(1)) }), LIMIT)
    expect(clear).toMatchObject({ channels: 4, hasAlpha: true })
    expect([...clear.data]).toEqual([255, 0, 0, 255, 10, 20, 30, 0, 255, 0, 0, 255])
  })

  test('CMYK: the file stores light, the picture stores ink', () => {
    const data = Buffer.from([255, 0, 255, 10, 255, 20, 255, 30])
    const read = decodePsd(psd({ channels: 4, width: 2, height: 1, depth: 8, mode: 4, data }), LIMIT)
    expect(read).toMatchObject({ space: 'cmyk', channels: 4, hasAlpha: false })
    expect([...read.data]).toEqual([0, 0, 0, 0, 255, 245, 235, 225])
  })

  test('CMYK with transparency: un-matted from white, which is no ink', () => {
    // Second pixel: half transparent pure cyan; cyan light 0 over 255 at alpha 51/255 gives 204.
    const data = Buffer.from([255, 204, 255, 255, 255, 255, 255, 255, 255, 51])
    const read = decodePsd(
      psd({ channels: 5, width: 2, height: 1, depth: 8, mode: 4, layers: transparentLayers(), data }),
      LIMIT,
    )
    expect(read).toMatchObject({ space: 'cmyk', channels: 5, hasAlpha: true })
    expect([...read.data]).toEqual([0, 0, 0, 0, 255, 255, 0, 0, 0, 51])
  })

  test('Lab of 16 bits', () => {
    const read = decodePsd(
      psd({ channels: 3, width: 1, height: 1, depth: 16, mode: 9, data: u16(40000, 32768, 1000) }),
      LIMIT,
    )
    expect(read).toMatchObject({ space: 'lab', channels: 3, depth: 16 })
    expect([...read.data]).toEqual([40000, 32768, 1000])
  })

  test('RGB of 32 bits', () => {
    const data = Buffer.alloc(24)
    ;[0, 0.5, 1, 0.25, 2, 0.125].forEach((value, index) => {
      data.writeFloatBE(value, index * 4)
    })
    const read = decodePsd(psd({ channels: 3, width: 2, height: 1, depth: 32, mode: 3, data }), LIMIT)
    expect(read).toMatchObject({ space: 'rgb', depth: 32 })
    expect([...read.data]).toEqual([0, 1, 2, 0.5, 0.25, 0.125])
  })
})

test('a fourth channel without transparent layers is a saved selection, not alpha', () => {
  const data = Buffer.from([10, 20, 30, 40])
  const read = decodePsd(psd({ channels: 4, width: 1, height: 1, depth: 8, mode: 3, data }), LIMIT)
  expect(read).toMatchObject({ channels: 3, hasAlpha: false })
  expect([...read.data]).toEqual([10, 20, 30])
})

test('PSB: wide lengths, of rows (PackBits) and of the layers', () => {
  const rows = [Uint8Array.of(5, 5, 5), Uint8Array.of(1, 2, 3)].map((row) => Buffer.from(packBits(row)))
  const data = Buffer.concat([...rows.map((row) => u32(row.length)), ...rows])
  const layers = Buffer.alloc(16)
  const read = decodePsd(
    psd({ version: 2, channels: 1, width: 3, height: 2, depth: 8, mode: 1, layers, compression: 1, data }),
    LIMIT,
  )
  expect([...read.data]).toEqual([5, 5, 5, 1, 2, 3])
})

describe('invalid files', () => {
  const valid = (channels: Raster['channels'], depth: 8 | 16 = 8): Uint8Array =>
    encodePsd(picture(19, 11, channels, depth))

  test('cut off anywhere', () => {
    expectCutsRefused(valid(3), (bytes) => decodePsd(bytes, LIMIT))
    expectCutsRefused(valid(4, 16), (bytes) => decodePsd(bytes, LIMIT))
  })

  test('any changed byte: a picture or a clear error', () => {
    for (const bytes of [valid(1), valid(3), valid(4), valid(4, 16)])
      expectSafe(bytes, (given) => decodePsd(given, LIMIT))
  })

  const code = (parts: Partial<Parts>, limit = LIMIT): string | undefined => {
    try {
      decodePsd(
        psd({ channels: 3, width: 1, height: 1, depth: 8, mode: 3, data: Buffer.from([1, 2, 3]), ...parts }),
        limit,
      )
      return undefined
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  test('each has its code', () => {
    expect(code({})).toBeUndefined()
    expect(code({ width: 30000, height: 30000 })).toBe('LIMIT_EXCEEDED')
    expect(code({ width: 0 })).toBe('INVALID_FILE')
    expect(code({ mode: 7 })).toBe('UNSUPPORTED_FILE_TYPE')
    expect(code({ depth: 1 })).toBe('UNSUPPORTED_FILE_TYPE')
    expect(code({ depth: 7 })).toBe('UNSUPPORTED_FILE_TYPE')
    expect(code({ channels: 2 })).toBe('UNSUPPORTED_FILE_TYPE')
    expect(code({ channels: 57 })).toBe('INVALID_FILE')
    expect(code({ compression: 2 })).toBe('UNSUPPORTED_FILE_TYPE')
    // Saved without "maximise compatibility": the merged picture is only white paper.
    expect(code({ resources: resource(1057, Buffer.from([0, 0, 0, 1, 0])) })).toBe('UNSUPPORTED_FILE_TYPE')
    expect(code({ resources: resource(1057, Buffer.from([0, 0, 0, 1, 1])) })).toBeUndefined()
  })
})

describe.skipIf(!hasProgram('convert'))('matches ImageMagick', () => {
  const drawn = (args: string[]): Buffer => throughProgram('convert', [...args, '{out}'], Buffer.alloc(0), 'raw', 'psd')
  const ramp = ['-size', '40x30', 'gradient:#ff2000-#0040c0']

  test.each([
    ['RGB, PackBits', ['-depth', '8', '-compress', 'RLE'], 'rgb:{out}', 8, 'rgb'],
    ['RGB, raw', ['-depth', '8', '-compress', 'None'], 'rgb:{out}', 8, 'rgb'],
    ['RGB of 16 bits', ['-depth', '16'], 'rgb:{out}', 16, 'rgb'],
    ['grey', ['-colorspace', 'Gray', '-depth', '8'], 'gray:{out}', 8, 'grey'],
    ['CMYK', ['-colorspace', 'CMYK', '-depth', '8'], 'cmyk:{out}', 8, 'cmyk'],
  ] as const)('%s', (_name, args, output, depth, space) => {
    const file = drawn([...ramp, ...args])
    const theirs = throughProgram(
      'convert',
      ['{in}[0]', '-depth', String(depth), '-endian', 'LSB', output],
      file,
      'psd',
    )
    const read = decodePsd(file, LIMIT)
    expect(read).toMatchObject({ width: 40, height: 30, depth, space })
    const { buffer, byteOffset, byteLength } = read.data
    expect(Buffer.from(buffer, byteOffset, byteLength).equals(theirs)).toBe(true)
  })
})
