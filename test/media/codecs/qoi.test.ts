import { describe, expect, test } from 'vitest'
import { decodeQoi, encodeQoi } from '../../../src/media/codecs/qoi.ts'
import { expectCutsRefused, expectSafe, ffmpegFile, ffmpegPixels, hasProgram, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodeQoi(bytes, 0)

function qoi(width: number, height: number, channels: number, body: number[]): Buffer {
  const header = Buffer.alloc(14)
  header.write('qoif')
  header.writeUInt32BE(width, 4)
  header.writeUInt32BE(height, 8)
  header[12] = channels
  return Buffer.concat([header, Buffer.from([...body, 0, 0, 0, 0, 0, 0, 0, 1])])
}

test.each([3, 4] as const)('round trip of %i channels', (channels) => {
  for (const [width, height] of [
    [1, 1],
    [200, 30],
    [64, 64],
  ] as const) {
    const source = picture(width, height, channels)
    expect(withoutLimit(encodeQoi(source))).toEqual(source)
  }
})

test('round trip where differences wrap around and runs pass 62 pixels', () => {
  const data = new Uint8Array(300 * 3)
  for (let index = 0; index < 100 * 3; index++) data[index] = index % 2 ? 255 : 0
  data.fill(254, 300, 600)
  for (let index = 600; index < 900; index++) data[index] = (index * 255) & 255
  const source = { width: 300, height: 1, channels: 3, depth: 8, data } as const
  expect(withoutLimit(encodeQoi(source))).toEqual(source)
})

test('every operation, scripted', () => {
  const body = [
    0xfe,
    10,
    20,
    30, // RGB
    0xff,
    1,
    2,
    3,
    4, // RGBA
    0x40 | (3 << 4) | (2 << 2) | 0, // differences 1, 0, -2
    0x80 | (32 + 5),
    (9 << 4) | 7, // green 5, red 5 + 1, blue 5 - 1
    0xc0 | 1, // run of two
    (10 * 3 + 20 * 5 + 30 * 7 + 255 * 11) & 63, // the first colour again
  ]
  const wanted = [
    [10, 20, 30, 255],
    [1, 2, 3, 4],
    [2, 2, 1, 4],
    [8, 7, 5, 4],
    [8, 7, 5, 4],
    [8, 7, 5, 4],
    [10, 20, 30, 255],
  ]
  expect(withoutLimit(qoi(7, 1, 4, body)).data).toEqual(new Uint8Array(wanted.flat()))
})

test('a flat picture uses one colour and a byte per 62 pixels', () => {
  const source = { width: 62, height: 10, channels: 3, depth: 8, data: new Uint8Array(1860).fill(9) } as const
  const file = encodeQoi(source)
  // The first pixel takes a colour, the other 619 take ten runs.
  expect(file.length).toBe(14 + 2 + 10 + 8)
  expect(withoutLimit(file)).toEqual(source)
})

describe('refusals', () => {
  const file = encodeQoi(picture(30, 20, 4))

  test('cut files, with the available pixels', () => {
    expectCutsRefused(file.subarray(0, -8), withoutLimit)
    expect(() => withoutLimit(qoi(3, 2, 3, [0xfe, 1, 2, 3]).subarray(0, 18))).toThrow('it has 1 of 6 pixels')
  })

  test('damage only throws MediaprocErrors', () => {
    expectSafe(file, (bytes) => decodeQoi(bytes, 1e6))
  })

  test('limit, channels, and sizes larger than the file', () => {
    expect(() => decodeQoi(file, 599)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => withoutLimit(qoi(1, 1, 5, []))).toThrow('5 channels')
    expect(() => withoutLimit(qoi(20000, 20000, 3, [0xfd]))).toThrow('is cut off')
  })
})

test.skipIf(!hasProgram('ffmpeg'))('ffmpeg matches in both directions', () => {
  for (const [channels, format] of [
    [3, 'rgb24'],
    [4, 'rgba'],
  ] as const) {
    const source = picture(35, 21, channels)
    expect(ffmpegPixels(encodeQoi(source), 'qoi', format)).toEqual(Buffer.from(source.data))
    expect(withoutLimit(ffmpegFile(source, format, 'qoi', ''))).toEqual(source)
  }
})
