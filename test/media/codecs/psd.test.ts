import { describe, expect, test } from 'vitest'
import { packBits } from '../../../src/media/codecs/psd/packbits.ts'
import { encodePsd } from '../../../src/media/codecs/psd/psd.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { ffmpegPixels, hasProgram, picture, throughProgram } from './helpers.ts'

function unpack(packed: Uint8Array): number[] {
  const bytes: number[] = []
  for (let at = 0; at < packed.length; ) {
    const count = packed[at++]!
    if (count < 128) {
      bytes.push(...packed.subarray(at, at + count + 1))
      at += count + 1
    } else if (count > 128) bytes.push(...Array(257 - count).fill(packed[at++]))
  }
  return bytes
}

/** A reader for the parts of the format that the encoder uses. */
function readPsd(file: Buffer) {
  const [channels, height, width, depth, mode] = [
    file.readUInt16BE(12),
    file.readUInt32BE(14),
    file.readUInt32BE(18),
    file.readUInt16BE(22),
    file.readUInt16BE(24),
  ]
  let at = 26 + 4 + file.readUInt32BE(26)
  const resources = new Map<number, Buffer>()
  const resourcesEnd = at + 4 + file.readUInt32BE(at)
  for (at += 4; at < resourcesEnd; ) {
    expect(file.toString('latin1', at, at + 4)).toBe('8BIM')
    const size = file.readUInt32BE(at + 8)
    resources.set(file.readUInt16BE(at + 4), file.subarray(at + 12, at + 12 + size))
    at += 12 + size + (size % 2)
  }
  expect(at).toBe(resourcesEnd)
  const layers = file.subarray(at + 4, at + 4 + file.readUInt32BE(at))
  at += 4 + layers.length
  const merged = readPlanes(file, at, channels, height, (width * depth) / 8)
  expect(merged.end).toBe(file.length)
  return { channels, height, width, depth, mode, resources, layers, planes: merged.planes }
}

function readPlanes(file: Buffer, start: number, channels: number, height: number, rowBytes: number) {
  const size = channels * height * rowBytes
  let at = start + 2
  let bytes: number[]
  if (file.readUInt16BE(start) === 0) {
    bytes = [...file.subarray(at, at + size)]
    at += size
  } else {
    const lengths = Array.from({ length: channels * height }, (_, row) => file.readUInt16BE(at + row * 2))
    at += lengths.length * 2
    bytes = lengths.flatMap((length) => {
      const row = unpack(file.subarray(at, at + length))
      expect(row.length).toBe(rowBytes)
      at += length
      return row
    })
  }
  return { planes: bytes, end: at }
}

/** The pixels of a raster as big-endian planes. */
function planesOf({ data, channels, depth }: Raster): number[] {
  const samples = Array.from({ length: channels }, (_, channel) =>
    Array.from(data).filter((_, index) => index % channels === channel),
  ).flat()
  return depth === 8 ? samples : samples.flatMap((sample) => [sample >> 8, sample & 255])
}

const encode = (...given: Parameters<typeof encodePsd>) => Buffer.from(encodePsd(...given))

describe('PackBits', () => {
  test('the example of Apple Technical Note 1023', () => {
    const row = [
      0xaa,
      0xaa,
      0xaa,
      0x80,
      0x00,
      0x2a,
      0xaa,
      0xaa,
      0xaa,
      0xaa,
      0x80,
      0x00,
      0x2a,
      0x22,
      ...Array(10).fill(0xaa),
    ]
    expect(Buffer.from(packBits(Uint8Array.from(row))).toString('hex')).toBe('feaa0280002afdaa0380002a22f7aa')
  })

  test('runs and literals beyond 128, and incompressible noise', () => {
    const rows = [
      Array(300).fill(5),
      Array.from({ length: 300 }, (_, index) => (index * 7) & 255),
      [1],
      [2, 2],
      [1, 2, 2, 3],
      [],
    ]
    for (const row of rows) {
      const packed = packBits(Uint8Array.from(row))
      expect(unpack(packed)).toEqual(row)
      expect(packed.length).toBeLessThanOrEqual(row.length + Math.ceil(row.length / 128))
    }
  })
})

describe('without alpha', () => {
  test.each([
    [1, 8, 'raw'],
    [1, 16, 'packbits'],
    [3, 8, 'packbits'],
    [3, 16, 'raw'],
  ] as const)('%i channels of %i bits, %s', (channels, depth, compression) => {
    const source = picture(37, 23, channels, depth)
    const result = readPsd(encode(source, { compression }))
    expect(result).toMatchObject({ channels, width: 37, height: 23, depth, mode: channels === 1 ? 1 : 3 })
    expect(result.layers.length).toBe(0)
    expect(result.planes).toEqual(planesOf(source))
  })

  test('density and profile, with an odd length', () => {
    const icc = Uint8Array.of(1, 2, 3)
    const { resources } = readPsd(encode(picture(3, 3, 3), { density: 300, icc }))
    expect(resources.get(1005)?.readUInt32BE(0)).toBe(300 * 65536)
    expect(resources.get(1005)?.readUInt32BE(8)).toBe(300 * 65536)
    expect(resources.get(1039)).toEqual(Buffer.from(icc))
  })

  test('a picture taller than the maximum number of call arguments', () => {
    const tall: Raster = { width: 1, height: 30000, channels: 3, depth: 8, data: new Uint8Array(90000).fill(9) }
    expect(readPsd(encode(tall)).planes).toEqual(Array(90000).fill(9))
    const tooTall = { ...tall, height: 30001, data: new Uint8Array(90003) }
    expect(() => encode(tooTall)).toThrow(expect.objectContaining({ code: 'TARGET_UNREACHABLE' }))
  })
})

describe('with alpha', () => {
  test('one layer contains the straight pixels, the merged picture is over white', () => {
    const source: Raster = {
      width: 3,
      height: 1,
      channels: 4,
      depth: 8,
      data: Uint8Array.of(10, 20, 30, 255, 40, 50, 60, 0, 100, 0, 200, 51),
    }
    const { planes, layers } = readPsd(encode(source, { compression: 'raw' }))
    expect(planes).toEqual([10, 255, 224, 20, 255, 204, 30, 255, 244, 255, 0, 51])
    const info = layers.subarray(4, 4 + layers.readUInt32BE(0))
    expect(info.readInt16BE(0)).toBe(-1)
    expect([2, 6, 10, 14].map((at) => info.readInt32BE(at))).toEqual([0, 0, 1, 3])
    expect(info.readUInt16BE(18)).toBe(4)
    expect([0, 1, 2, 3].map((index) => info.readInt16BE(20 + index * 6))).toEqual([0, 1, 2, -1])
    expect([0, 1, 2, 3].map((index) => info.readUInt32BE(22 + index * 6))).toEqual([5, 5, 5, 5])
    const data = 44 + 12 + 4 + info.readUInt32BE(56)
    expect([...info.subarray(data, data + 20)]).toEqual([
      0, 0, 10, 40, 100, 0, 0, 20, 50, 0, 0, 0, 30, 60, 200, 0, 0, 255, 0, 51,
    ])
  })

  test('layers of 16 bits are in their own block', () => {
    const { layers } = readPsd(encode(picture(5, 4, 2, 16)))
    expect([layers.readUInt32BE(0), layers.readUInt32BE(4)]).toEqual([0, 0])
    expect(layers.toString('latin1', 8, 16)).toBe('8BIMLr16')
    expect(layers.readUInt32BE(16)).toBe(layers.length - 20)
    expect(layers.readInt16BE(20)).toBe(-1)
  })
})

test.skipIf(!hasProgram('ffmpeg'))('ffmpeg reads the merged picture', () => {
  const source = picture(37, 23, 3)
  expect(ffmpegPixels(encode(source), 'psd', 'rgb24')).toEqual(Buffer.from(source.data))
})

test.skipIf(!hasProgram('convert'))('ImageMagick reads the layer with its transparency', () => {
  for (const compression of ['raw', 'packbits'] as const) {
    const source = picture(37, 23, 4)
    const layer = throughProgram(
      'convert',
      ['{in}[1]', '-depth', '8', 'rgba:{out}'],
      encode(source, { compression }),
      'psd',
    )
    expect(layer).toEqual(Buffer.from(source.data))
  }
})
