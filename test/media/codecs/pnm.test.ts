import { describe, expect, test } from 'vitest'
import { decodePnm, encodePnm } from '../../../src/media/codecs/pnm.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { expectCutsRefused, expectSafe, ffmpegFile, ffmpegPixels, hasProgram, picture } from './helpers.ts'

const withoutLimit = (bytes: Uint8Array) => decodePnm(bytes, 0)
const file = (header: string, ...pixels: number[]) =>
  Buffer.concat([Buffer.from(header, 'latin1'), Buffer.from(pixels)])

describe('round trip', () => {
  test.each([
    [1, 8],
    [1, 16],
    [3, 8],
    [3, 16],
  ] as const)('%i channels of %i bits', (channels, depth) => {
    const source = picture(23, 17, channels, depth)
    expect(withoutLimit(encodePnm(source))).toEqual(source)
  })

  test('grey as PPM if requested; alpha over white', () => {
    const grey: Raster = { width: 2, height: 1, channels: 1, depth: 8, data: Uint8Array.of(3, 4) }
    expect(Buffer.from(encodePnm(grey)).toString('latin1', 0, 2)).toBe('P5')
    expect(withoutLimit(encodePnm(grey, { kind: 'ppm' })).data).toEqual(Uint8Array.of(3, 3, 3, 4, 4, 4))
    const clear: Raster = {
      width: 2,
      height: 1,
      channels: 4,
      depth: 8,
      data: Uint8Array.of(9, 9, 9, 0, 0, 100, 200, 51),
    }
    expect(withoutLimit(encodePnm(clear)).data).toEqual(Uint8Array.of(255, 255, 255, 204, 224, 244))
  })
})

describe('decoding', () => {
  test('P1 with and without spaces, and comments; 1 is black', () => {
    const wanted = Uint8Array.of(0, 255, 0, 255, 255, 0)
    expect(withoutLimit(file('P1\n# by hand\n3 2\n1 0 1\n0 0 1\n')).data).toEqual(wanted)
    expect(withoutLimit(file('P1 3 #width\n 2\n101001')).data).toEqual(wanted)
  })

  test('P2 and P3 scale to the full range; more than 255 levels give 16 bits', () => {
    expect(withoutLimit(file('P2\n3 1\n15\n0 5 15\n'))).toMatchObject({ depth: 8, data: Uint8Array.of(0, 85, 255) })
    expect(withoutLimit(file('P3\n1 1\n1023\n0 341 1023'))).toMatchObject({
      channels: 3,
      depth: 16,
      data: Uint16Array.of(0, 21845, 65535),
    })
  })

  test('P4 pads its rows to bytes; P5 and P6 start after one white space', () => {
    expect(withoutLimit(file('P4\n9 2\n', 0x80, 0x80, 0x7f, 0x00)).data).toEqual(
      Uint8Array.from([0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255]),
    )
    expect(withoutLimit(file('P5 2 1 255\n', 10, 32)).data).toEqual(Uint8Array.of(10, 32))
    expect(withoutLimit(file('P6\n1 1\n65535\n', 1, 2, 3, 4, 5, 6)).data).toEqual(Uint16Array.of(0x102, 0x304, 0x506))
  })

  test('P7 with two and four channels, and as a bitmap where 1 is white', () => {
    const pam = (depth: number, most: number, ...pixels: number[]) =>
      file(`P7\n# by hand\nWIDTH 2\nHEIGHT 1\nDEPTH ${depth}\nMAXVAL ${most}\nTUPLTYPE ANY\nENDHDR\n`, ...pixels)
    expect(withoutLimit(pam(2, 255, 1, 2, 3, 4))).toMatchObject({ channels: 2, data: Uint8Array.of(1, 2, 3, 4) })
    expect(withoutLimit(pam(4, 255, 1, 2, 3, 4, 5, 6, 7, 8)).channels).toBe(4)
    expect(withoutLimit(pam(1, 1, 0, 1)).data).toEqual(Uint8Array.of(0, 255))
    expect(() => withoutLimit(pam(7, 255, ...Array(14).fill(0)))).toThrow('has 7 channels')
  })
})

describe('refusals', () => {
  const binary = encodePnm(picture(30, 20, 3, 16))
  const text = file(`P2\n30 20\n255\n${Array.from({ length: 600 }, (_, index) => index % 200).join(' ')}\n`)

  test('cut files', () => {
    expectCutsRefused(binary, withoutLimit)
    expectCutsRefused(text, withoutLimit)
    expect(() => withoutLimit(binary.subarray(0, 100))).toThrow('it has 100 bytes and needs at least 3615')
  })

  test('damage only throws MediaprocErrors', () => {
    const pam = file('P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\n', 1, 2)
    for (const bytes of [binary, text, pam]) expectSafe(bytes, (damaged) => decodePnm(damaged, 1e6))
  })

  test('limit, levels, letters', () => {
    expect(() => decodePnm(binary, 599)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
    expect(() => withoutLimit(file('P5 1 1 70000\n', 0, 0))).toThrow('declares 70000 as its largest sample')
    expect(() => withoutLimit(file('P5 1 1 0\n', 0))).toThrow('declares 0 as its largest sample')
    expect(() => withoutLimit(file('P2 2 1 255 12 x'))).toThrow('no number where one belongs, at byte 14')
    expect(() => withoutLimit(file('P5 99999 9999\n255\n'))).toThrow('is cut off')
    expect(() => withoutLimit(file('P9 1 1'))).toThrow('not a netpbm picture')
  })
})

test.skipIf(!hasProgram('ffmpeg'))('ffmpeg matches in both directions', () => {
  const [eight, sixteen] = [picture(35, 21, 3), picture(35, 21, 3, 16)]
  expect(ffmpegPixels(encodePnm(eight), 'ppm', 'rgb24')).toEqual(Buffer.from(eight.data))
  expect(withoutLimit(ffmpegFile(eight, 'rgb24', 'ppm', ''))).toEqual(eight)
  expect(withoutLimit(ffmpegFile(sixteen, 'rgb48be', 'ppm', ''))).toEqual(sixteen)
  const clear = picture(35, 21, 4)
  expect(withoutLimit(ffmpegFile(clear, 'rgba', 'pam', ''))).toEqual(clear)
})
