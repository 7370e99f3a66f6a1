import { describe, expect, test } from 'vitest'
import { abilities } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { imageError } from '../../../src/media/image/errors.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { at, put, read16, readPixels, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

interface Parts {
  width: number
  samples?: number
  bits: number
  /** 1 unsigned, 2 signed. */
  format?: number
  photometric?: number
  compression?: number
  data: Buffer
}

/** A scripted TIFF of one row, uncompressed, little-endian. */
function tiff({ width, samples = 1, bits, format = 1, photometric = 1, compression = 1, data }: Parts): Buffer {
  const tags = [256, 257, 258, 259, 262, 273, 277, 278, 279, 339]
  const listsAt = 8 + 2 + tags.length * 12 + 4
  const lists = Buffer.alloc(samples * 4)
  for (let sample = 0; sample < samples; sample += 1) {
    lists.writeUInt16LE(bits, sample * 2)
    lists.writeUInt16LE(format, samples * 2 + sample * 2)
  }
  const dataAt = listsAt + lists.length
  const values = [width, 1, bits, compression, photometric, dataAt, samples, 1, data.length, format]
  const head = Buffer.alloc(listsAt)
  head.write('II*\0\x08\0\0\0', 0, 'latin1')
  head.writeUInt16LE(tags.length, 8)
  tags.forEach((tag, index) => {
    const entry = 10 + index * 12
    const isList = (tag === 258 || tag === 339) && samples > 2
    head.writeUInt16LE(tag, entry)
    head.writeUInt16LE(tag === 273 || tag === 279 ? 4 : 3, entry + 2)
    head.writeUInt32LE(isList ? samples : 1, entry + 4)
    head.writeUInt32LE(isList ? listsAt + (tag === 339 ? samples * 2 : 0) : values[index]!, entry + 8)
  })
  return Buffer.concat([head, lists, data])
}

const WIDTH = 64
const bytesOf = (samples: Int8Array | Int16Array | Int32Array | Uint32Array) => Buffer.from(samples.buffer)
const part = (index: number) => index / (WIDTH - 1)

async function asPng(name: string, parts: Parts): Promise<string> {
  const source = await put(folder, `${name}.tiff`, tiff(parts))
  return (await run(convert, folder, [source], { format: 'png' })).paths[0]!
}

/** A scripted TIFF of 20 x 16 pixels in two tiles of 16 x 16 for each of its planes; offsets in 32 bits, lengths in 16. */
function tiledPlanes(
  samples: number,
  bits: 8 | 16,
  value: (x: number, y: number, plane: number) => number,
  alpha: 1 | 2 = 2,
): Buffer {
  const step = bits / 8
  const tiles = Array.from({ length: samples * 2 }, (_, index) => {
    const tile = Buffer.alloc(256 * step)
    for (let y = 0; y < 16; y += 1)
      for (let x = 0; x < 16; x += 1)
        tile.writeUIntLE(value((index % 2) * 16 + x, y, Math.floor(index / 2)), (y * 16 + x) * step, step)
    return tile
  })
  const tags = [
    [256, 3, 1, 20],
    [257, 3, 1, 16],
    [258, 3, samples, 200],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [277, 3, 1, samples],
    [284, 3, 1, 2],
    [322, 3, 1, 16],
    [323, 3, 1, 16],
    [324, 4, tiles.length, 220],
    [325, 3, tiles.length, 260],
    ...(samples === 4 ? [[338, 3, 1, alpha]] : []),
  ] as const
  const head = Buffer.alloc(300)
  head.write('II*\0\x08\0\0\0', 0, 'latin1')
  head.writeUInt16LE(tags.length, 8)
  for (const [index, [tag, type, count, content]] of tags.entries()) {
    head.writeUInt16LE(tag!, 10 + index * 12)
    head.writeUInt16LE(type!, 12 + index * 12)
    head.writeUInt32LE(count!, 14 + index * 12)
    head.writeUInt32LE(content!, 18 + index * 12)
  }
  for (let sample = 0; sample < samples; sample += 1) head.writeUInt16LE(bits, 200 + sample * 2)
  for (const [index, tile] of tiles.entries()) {
    head.writeUInt32LE(300 + index * tile.length, 220 + index * 4)
    head.writeUInt16LE(tile.length, 260 + index * 2)
  }
  return Buffer.concat([head, ...tiles])
}

test.each([
  [3, 8],
  [4, 8],
  [3, 16],
] as const)('tiles of %i separate planes, %i bit', async (samples, bits) => {
  const most = 2 ** bits - 1
  const value = (x: number, y: number, plane: number): number => Math.round(most * ((x + y * 2 + plane * 10) / 100))
  const source = await put(folder, `planes-${samples}-${bits}.tiff`, tiledPlanes(samples, bits, value))
  const { paths } = await run(convert, folder, [source], { format: 'png' })
  const { data, width, channels } = bits === 16 ? await read16(paths[0]!) : await readPixels(paths[0]!)
  expect([width, channels]).toEqual([20, samples])
  for (const [x, y] of [
    [0, 0],
    [15, 3],
    [16, 3],
    [19, 15],
  ] as const)
    expect([...data.subarray((y * 20 + x) * samples, (y * 20 + x + 1) * samples)]).toEqual(
      Array.from({ length: samples }, (_, plane) => value(x, y, plane)),
    )
})

test('one channel in floating point is linear light', async () => {
  const levels = Float32Array.from({ length: WIDTH }, (_, x) => part(x))
  const path = await asPng('float', { width: WIDTH, bits: 32, format: 3, data: Buffer.from(levels.buffer) })
  const shown = await readRgba(path)
  expect([at(shown, 0, 0), at(shown, WIDTH - 1, 0)]).toEqual([
    [0, 0, 0],
    [255, 255, 255],
  ])
  // Nearly half of the light; 128 would be half of the number.
  expect(Math.abs(at(shown, 31, 0)[0]! - 187)).toBeLessThan(3)
})

describe('integers from black to white', () => {
  test.each([
    ['signed, 8 bit', 8, 2, bytesOf(Int8Array.from({ length: WIDTH }, (_, x) => Math.round(-128 + 255 * part(x))))],
    ['signed, 16 bit', 16, 2, bytesOf(Int16Array.from({ length: WIDTH }, (_, x) => -32768 + 65535 * part(x)))],
    [
      'signed, 32 bit',
      32,
      2,
      bytesOf(Int32Array.from({ length: WIDTH }, (_, x) => -(2 ** 31) + (2 ** 32 - 1) * part(x))),
    ],
    ['unsigned, 32 bit', 32, 1, bytesOf(Uint32Array.from({ length: WIDTH }, (_, x) => (2 ** 32 - 1) * part(x)))],
  ] as const)('%s', async (name, bits, format, data) => {
    const pixels = await readRgba(await asPng(name, { width: WIDTH, bits, format, data }))
    for (let x = 0; x < WIDTH; x += 1) expect(Math.abs(at(pixels, x, 0)[0]! - 255 * part(x)), `${x}`).toBeLessThan(1.6)
  })

  test('16 bit keep their 65,536 levels', async () => {
    const data = bytesOf(Int16Array.from({ length: WIDTH }, (_, x) => x * 3 - 90))
    const { data: samples } = await read16(await asPng('fine', { width: WIDTH, bits: 16, format: 2, data }))
    expect([...samples]).toEqual(Array.from({ length: WIDTH }, (_, x) => x * 3 - 90 + 32768))
  })

  test('three signed channels', async () => {
    const data = bytesOf(Int16Array.from({ length: WIDTH * 3 }, (_, index) => [-32768, 0, 32767][index % 3]!))
    const path = await asPng('colour', { width: WIDTH, samples: 3, bits: 16, format: 2, photometric: 2, data })
    expect(at(await readRgba(path), 5, 0)).toEqual([0, 128, 255])
  })
})

describe('signed samples without a defined black level', () => {
  /** A ramp with soft ends, so that it has many tones. */
  const ramp = Array.from({ length: WIDTH }, (_, x) => part(x))

  test.each([
    ['8 bit', 8, bytesOf(Int8Array.from(ramp, (value) => Math.round(value * 255)))],
    ['16 bit', 16, bytesOf(Int16Array.from(ramp, (value) => Math.round(value * 65535)))],
    ['32 bit', 32, bytesOf(Int32Array.from(ramp, (value) => Math.round(value * (2 ** 32 - 1))))],
  ])('unsigned numbers declared as signed, %s: does not swap the tones', async (name, bits, data) => {
    const pixels = await readRgba(await asPng(`wrapped ${name}`, { width: WIDTH, bits, format: 2, data }))
    for (let x = 0; x < WIDTH; x += 1) expect(Math.abs(at(pixels, x, 0)[0]! - 255 * part(x)), `${x}`).toBeLessThan(1.6)
  })

  test('without negative values: 0 is black, the maximum is white', async () => {
    const data = bytesOf(Int16Array.from(ramp, (value) => Math.round(value * 32767)))
    const { data: samples } = await read16(await asPng('positive', { width: WIDTH, bits: 16, format: 2, data }))
    expect([samples[0], samples.at(-1)]).toEqual([0, 65535])
  })
})

describe('extra channels', () => {
  /** Rows of `count` channels: strips of single planes, or one strip of interleaved samples. */
  function channels(count: number, bits: 8 | 32, isSeparate: boolean, photometric: 1 | 2, extra: number[]): Buffer {
    const [step, height] = [bits / 8, 3]
    const value = (x: number, y: number, channel: number): number =>
      Math.round((2 ** bits - 1) * ([x / 7, y / 2, 0.25, 1][channel] ?? 0.5))
    const strips = Array.from({ length: isSeparate ? count : 1 }, (_, plane) => {
      const each = isSeparate ? 1 : count
      const strip = Buffer.alloc(8 * height * each * step)
      for (let index = 0; index < 8 * height * each; index += 1) {
        const pixel = Math.floor(index / each)
        strip.writeUIntLE(
          value(pixel % 8, Math.floor(pixel / 8), isSeparate ? plane : index % each),
          index * step,
          step,
        )
      }
      return strip
    })
    const lists = { bits: 300, places: 340, lengths: 400, extra: 460, data: 500 }
    const tags = [
      [256, 3, 1, 8],
      [257, 3, 1, height],
      [258, 3, count, lists.bits],
      [259, 3, 1, 1],
      [262, 3, 1, photometric],
      [273, 4, strips.length, strips.length > 1 ? lists.places : lists.data],
      [277, 3, 1, count],
      [278, 3, 1, height],
      [279, 4, strips.length, strips.length > 1 ? lists.lengths : strips[0]!.length],
      [284, 3, 1, isSeparate ? 2 : 1],
      [338, 3, extra.length, extra.length > 2 ? lists.extra : extra[0]! + (extra[1] ?? 0) * 65536],
    ] as const
    const head = Buffer.alloc(lists.data)
    head.write('II*\0\x08\0\0\0', 0, 'latin1')
    head.writeUInt16LE(tags.length, 8)
    for (const [index, [tag, type, many, content]] of tags.entries()) {
      head.writeUInt16LE(tag, 10 + index * 12)
      head.writeUInt16LE(type, 12 + index * 12)
      head.writeUInt32LE(many, 14 + index * 12)
      head.writeUInt32LE(tag === 258 && count < 3 ? bits * 65537 : content, 18 + index * 12)
    }
    for (let channel = 0; channel < count; channel += 1) head.writeUInt16LE(bits, lists.bits + channel * 2)
    extra.forEach((kind, index) => {
      head.writeUInt16LE(kind, lists.extra + index * 2)
    })
    strips.forEach((strip, index) => {
      head.writeUInt32LE(lists.data + index * strip.length, lists.places + index * 4)
      head.writeUInt32LE(strip.length, lists.lengths + index * 4)
    })
    return Buffer.concat([head, ...strips])
  }

  const many = Array<number>(9).fill(0)
  test.each([
    ['10 of grey, 32 bit', channels(10, 32, false, 1, many), [255, 255, 255], 255, /10 channels; only the first/],
    ['10 of grey, 32 bit, separate', channels(10, 32, true, 1, many), [255, 255, 255], 255, /10 channels; only the/],
    ['10 of RGB, 8 bit', channels(10, 8, false, 2, many.slice(2)), [255, 128, 64], 255, /only red, green and blue/],
    ['5 of RGB, separate', channels(5, 8, true, 2, [0, 0]), [255, 128, 64], 255, /5 channels; only red/],
    ['5 of RGB, alpha last', channels(5, 8, false, 2, [0, 2]), [255, 128, 64], 128, /5 channels; only red/],
    ['grey and alpha, separate', channels(2, 8, true, 1, [2]), [255, 255, 255], 128, undefined],
    ['grey and alpha, 32 bit', channels(2, 32, false, 1, [2]), [255, 255, 255], 128, undefined],
  ] as const)('%s', async (name, bytes, colour, alpha, warning) => {
    const source = await put(folder, `${name}.tiff`, bytes)
    const { paths, warnings } = await run(convert, folder, [source], { format: 'png' })
    const { data, width, channels: found } = await readPixels(paths[0]!)
    expect(width).toBe(8)
    const pixel = [...data.subarray((8 + 7) * found, (8 + 8) * found)]
    expect(found > 3 ? pixel.slice(0, 3) : pixel).toEqual(colour)
    expect(found > 3 ? pixel[3] : 255).toBe(alpha)
    expect(warnings.join()).toEqual(warning ? expect.stringMatching(warning) : '')
  })
})

test.each([
  ['CIE', 8, [136, 208, 195]],
  ['ICC', 9, [136, 80, 67]],
] as const)('%s Lab of 8 bit', async (name, photometric, lab) => {
  // L 53, a -48, b -61: a blue.
  const data = Buffer.from(Array.from({ length: WIDTH * 3 }, (_, index) => lab[index % 3]!))
  const path = await asPng(name, { width: WIDTH, samples: 3, bits: 8, photometric, data })
  const [r, g, b] = at(await readRgba(path), 5, 0) as [number, number, number]
  expect(b).toBeGreaterThan(g)
  expect(g).toBeGreaterThan(r)
})

test('an unknown compression is unsupported, not an internal error', async () => {
  for (const compression of [6, 34887, 65000]) {
    const data = Buffer.alloc(WIDTH)
    await expect(asPng('odd', { width: WIDTH, bits: 8, compression, data })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FILE_TYPE',
    })
  }
})

describe('a library error about a file is never INTERNAL', () => {
  test.each([
    ['tiff2vips: Compression scheme 65000 strip decoding is not implemented', 'UNSUPPORTED_FILE_TYPE'],
    ['exif: no such tag in this directory', 'INVALID_FILE'],
    ['heifload: something nobody has seen before', 'INVALID_FILE'],
    ['VipsJpeg: premature end of JPEG image', 'INVALID_FILE'],
    ['Expected integer between 1 and 100 for quality but received 0 of type number', 'INTERNAL'],
    ['extract_area: bad extract area', 'INTERNAL'],
    ['Image to composite must have same dimensions or smaller', 'INTERNAL'],
  ])('%s: %s', (message, code) => {
    expect(imageError(new Error(message), 'a.tiff').code).toBe(code)
  })

  test('a bad header has the same reason, whatever libvips has collected from other pictures', () => {
    const reasons = [
      '',
      ' VipsJpeg: premature end of JPEG image',
      ' pngload: libpng read error\nVipsJpeg: Bad marker',
    ].map((details) => imageError(new Error(`Input buffer has corrupt header:${details}`), 'a.jpg').message)
    expect(new Set(reasons)).toEqual(new Set(['a.jpg cannot be read: its header is damaged or cut off']))
  })

  test('an offset outside the file is the fault of the file', () => {
    expect(imageError(new RangeError('The value of "offset" is out of range'), 'a.jpg').code).toBe('INVALID_FILE')
    expect(imageError(new TypeError('x is not a function'), 'a.jpg').code).toBe('INTERNAL')
  })
})

test('12 bits per sample keep their depth, or an old ffmpeg is named', async () => {
  // Two samples in three bytes: 0x123 and 0xabc.
  const reading = asPng('twelve', { width: 2, bits: 12, data: Buffer.from([0x12, 0x3a, 0xbc]) })
  const { year } = await abilities()
  if (year !== undefined && year < 2020)
    return expect(reading).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', hint: 'Install a newer ffmpeg.' })
  const { data } = await read16(await reading)
  // The four lowest bits of the result are zero or repeat the highest.
  expect(Array.from(data, (sample) => sample >> 4).slice(0, 2)).toEqual([0x123, 0xabc])
})

test('tiled planes with premultiplied alpha become straight', async () => {
  // Red 50 with alpha 100 is red 128.
  const bytes = tiledPlanes(4, 8, (_x, _y, plane) => [50, 0, 100, 100][plane]!, 1)
  const path = await put(folder, 'premultiplied.tiff', bytes)
  const { paths } = await run(convert, folder, [path], { format: 'png' })
  expect(at(await readRgba(paths[0]!), 3, 3)).toEqual([128, 0, 255, 100])
})
