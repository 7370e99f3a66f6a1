/** PCX, SGI, PFM, XBM, XPM and ICNS: scripted files, their pixels, damage, and detection by content. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { decodeIcns } from '../../../src/media/codecs/icns.ts'
import { decodePcx } from '../../../src/media/codecs/pcx.ts'
import { decodePfm } from '../../../src/media/codecs/pfm.ts'
import type { Raster } from '../../../src/media/codecs/raster.ts'
import { decodeSgi } from '../../../src/media/codecs/sgi.ts'
import { decodeXbm } from '../../../src/media/codecs/xbm.ts'
import { decodeXpm } from '../../../src/media/codecs/xpm.ts'
import { sniffBytes } from '../../../src/media/sniff.ts'
import convert from '../../../tools/image/convert/convert.ts'
import { put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'
import { expectSafe, little, picture } from './helpers.ts'

const folder = temporaryFolder()

type Runs = (row: Uint8Array) => number[]

/** PCX: runs of up to 63, single values below 192 unchanged. */
const pcxRuns: Runs = (row) => {
  const out: number[] = []
  for (let at = 0; at < row.length; ) {
    let count = 1
    while (count < 63 && row[at + count] === row[at]) count += 1
    if (count > 1 || row[at]! >= 0xc0) out.push(0xc0 | count)
    out.push(row[at]!)
    at += count
  }
  return out
}

interface Pcx {
  width: number
  height: number
  bits: number
  planes: number
  stride: number
  /** Every row of every plane. */
  rows: Uint8Array[]
  colours?: number[]
  tail?: Buffer
}

function pcx({ width, height, bits, planes, stride, rows, colours = [], tail = Buffer.alloc(0) }: Pcx): Buffer {
  const palette = Buffer.alloc(48)
  Buffer.from(colours).copy(palette)
  return Buffer.concat([
    Buffer.from([10, 5, 1, bits]),
    little([0, 2], [0, 2], [width - 1, 2], [height - 1, 2], [72, 2], [72, 2]),
    palette,
    Buffer.from([0, planes]),
    little([stride, 2], [1, 2]),
    Buffer.alloc(58),
    ...rows.map((row) => Buffer.from(pcxRuns(row))),
    tail,
  ])
}

/** One channel of a row, padded to the stride. */
function plane({ data, width, channels }: Raster, y: number, channel: number, stride: number): Uint8Array {
  const row = new Uint8Array(stride)
  for (let x = 0; x < width; x += 1) row[x] = data[(y * width + x) * channels + channel]!
  return row
}

const source = picture(21, 9, 3)
const rows = Array.from({ length: 9 }, (_, y) => y)

const rgbPcx = pcx({
  ...{ width: 21, height: 9, bits: 8, planes: 3, stride: 22 },
  rows: rows.flatMap((y) => [0, 1, 2].map((channel) => plane(source, y, channel, 22))),
})

describe('pcx', () => {
  test('three planes', () => {
    expect(decodePcx(rgbPcx, 0)).toEqual(source)
  })

  test('a palette at the end, of 16 colours in the header, and black and white', () => {
    const numbers = Uint8Array.of(0, 1, 255, 200)
    const colours = Buffer.alloc(769, 0x0c)
    for (let index = 0; index < 256; index += 1) colours.set([index, 255 - index, index ^ 0x55], 1 + index * 3)
    const long = pcx({ width: 4, height: 1, bits: 8, planes: 1, stride: 4, rows: [numbers], tail: colours })
    expect([...decodePcx(long, 0).data]).toEqual([...numbers].flatMap((index) => [index, 255 - index, index ^ 0x55]))
    const sixteen = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    // Numbers 2, 1, 0 and 1: in one plane of 4 bits, and in two planes of 1 bit.
    const expected = [7, 8, 9, 4, 5, 6, 1, 2, 3, 4, 5, 6]
    const packed = { width: 4, height: 1, colours: sixteen, stride: 2 }
    const nibbles = pcx({ ...packed, bits: 4, planes: 1, rows: [Uint8Array.of(0x21, 0x01)] })
    const bits = pcx({
      ...packed,
      bits: 1,
      planes: 2,
      rows: [Uint8Array.of(0b01010000, 0), Uint8Array.of(0b10000000, 0)],
    })
    expect([[...decodePcx(nibbles, 0).data], [...decodePcx(bits, 0).data]]).toEqual([expected, expected])
    const mono = pcx({ width: 3, height: 1, bits: 1, planes: 1, stride: 2, rows: [Uint8Array.of(0b10100000, 0)] })
    expect([...decodePcx(mono, 0).data].filter((_, index) => index % 3 === 0)).toEqual([255, 0, 255])
  })
})

/** SGI: big-endian, rows from the bottom up, one channel after the other. */
function sgi({ width, height, channels, depth, data }: Raster, packed: boolean): Buffer {
  const step = depth / 8
  const head = Buffer.alloc(512)
  head.set([1, 0xda, packed ? 1 : 0, step, 0, channels > 1 ? 3 : 2])
  ;[width, height, channels].forEach((value, index) => void head.writeUInt16BE(value, 6 + index * 2))
  const coded = Array.from({ length: channels * height }, (_, index) => {
    const [channel, y] = [Math.floor(index / height), height - 1 - (index % height)]
    const row = Array.from({ length: width }, (__, x) => data[(y * width + x) * channels + channel]!)
    // Half of the row uncompressed, the rest as runs of one.
    const half = row.slice(0, width >> 1)
    const values = packed
      ? [0x80 | half.length, ...half, ...row.slice(width >> 1).flatMap((value) => [1, value]), 0]
      : row
    const bytes = Buffer.alloc(values.length * step)
    values.forEach((value, at) => void bytes.writeUIntBE(value, at * step, step))
    return bytes
  })
  if (!packed) return Buffer.concat([head, ...coded])
  const tables = Buffer.alloc(coded.length * 8)
  let at = 512 + tables.length
  coded.forEach((row, index) => {
    tables.writeUInt32BE(at, index * 4)
    tables.writeUInt32BE(row.length, (coded.length + index) * 4)
    at += row.length
  })
  return Buffer.concat([head, tables, ...coded])
}

test.each([1, 2, 3, 4] as const)('sgi: %i channels, 8 and 16 bits, compressed or not', (channels) => {
  for (const depth of [8, 16] as const)
    for (const packed of [false, true]) {
      const raster = picture(13, 7, channels, depth)
      expect(decodeSgi(sgi(raster, packed), 0)).toEqual(raster)
    }
})

/** PFM: rows from the bottom up. */
function pfm(values: number[][], isLittle: boolean, kind: 'F' | 'f'): Buffer {
  const width = values[0]!.length / (kind === 'F' ? 3 : 1)
  const numbers = values.toReversed().flat()
  const body = Buffer.alloc(numbers.length * 4)
  numbers.forEach((value, at) => void (isLittle ? body.writeFloatLE(value, at * 4) : body.writeFloatBE(value, at * 4)))
  return Buffer.concat([Buffer.from(`P${kind}\n${width} ${values.length}\n${isLittle ? '-1.0' : '1'}\n`), body])
}

test('pfm: both byte orders, grey and colour', () => {
  const colour = [
    [0, 0.25, 0.5, 1, 2, 4],
    [0.75, 0.125, 0, 0.5, 0.5, 0.5],
  ]
  for (const isLittle of [true, false])
    expect([...decodePfm(pfm(colour, isLittle, 'F'), 0).data]).toEqual(colour.flat())
  expect([...decodePfm(pfm([[0.5, 1]], true, 'f'), 0).data]).toEqual([0.5, 0.5, 0.5, 1, 1, 1])
})

const XBM = `/* made by hand */
#define dot_width 10
#define dot_height 2
static unsigned char dot_bits[] = {
   0x01, 0x02, 0xff, 0x00 };
`

test('xbm: the lowest bit is the first pixel, a set bit is black', () => {
  const { width, height, data } = decodeXbm(Buffer.from(XBM), 0)
  expect([width, height]).toEqual([10, 2])
  const first = [0, 255, 255, 255, 255, 255, 255, 255, 255, 0]
  expect([...data]).toEqual([...first, ...Array.from({ length: 10 }, (_, x) => (x < 8 ? 0 : 255))])
})

const XPM = `/* XPM */
static char * sample[] = {
/* columns rows colours characters */
"3 2 4 2",
"aa c #f00 m white",
"bb s mask c None",
"c\\" c #00008000ffff",
"dd c gray50",
"aabbc\\"",
"ddaabb"};
`

test('xpm: hexadecimal of any length, names, none, multiple characters per pixel', () => {
  const raster = decodeXpm(Buffer.from(XPM), 0)
  const [red, none, blue, grey] = [
    [255, 0, 0, 255],
    [0, 0, 0, 0],
    [0, 128, 255, 255],
    [128, 128, 128, 255],
  ]
  expect(raster).toMatchObject({ width: 3, height: 2, channels: 4 })
  expect([...raster.data]).toEqual([red, none, blue, grey, red, none].flat())
  expect(() => decodeXpm(Buffer.from(XPM.replace('gray50', 'peachpuff')), 0)).toThrow('names the colour "peachpuff"')
})

function icns(...parts: [kind: string, data: Uint8Array][]): Buffer {
  const body = Buffer.concat(
    parts.map(([kind, data]) => {
      const head = Buffer.from(`${kind}\0\0\0\0`, 'latin1')
      head.writeUInt32BE(data.length + 8, 4)
      return Buffer.concat([head, data])
    }),
  )
  const head = Buffer.from('icns\0\0\0\0', 'latin1')
  head.writeUInt32BE(body.length + 8, 4)
  return Buffer.concat([head, body])
}

/** Of 16 x 16 pixels: red runs, green uncompressed, blue runs of the maximum length. */
const packedIcon = Buffer.concat([
  Buffer.from([0xff, 200, 0xfb, 100]),
  ...[0, 128].map((from) => Buffer.from([127, ...Array.from({ length: 128 }, (_, index) => from + index)])),
  Buffer.from([0xff, 7, 0xfb, 7]),
])

test('icns: packed colours with their mask, and the largest of several pictures', async () => {
  const mask = Buffer.from(Array.from({ length: 256 }, (_, index) => 255 - index))
  const small = icns(['s8mk', mask], ['is32', packedIcon])
  const raster = decodeIcns(small, 0) as Raster
  expect(raster).toMatchObject({ width: 16, height: 16, channels: 4 })
  expect([0, 129, 130, 255].map((pixel) => [...raster.data.subarray(pixel * 4, pixel * 4 + 4)])).toEqual([
    [200, 0, 7, 255],
    [200, 129, 7, 126],
    [100, 130, 7, 125],
    [100, 255, 7, 0],
  ])
  expect(decodeIcns(icns(['is32', packedIcon]), 0)).toMatchObject({ channels: 3 })
  const png = await sharp({ create: { width: 128, height: 128, channels: 4, background: '#12345680' } })
    .png()
    .toBuffer()
  const large = await put(folder, 'large.icns', icns(['is32', packedIcon], ['ic07', png]))
  const { paths } = await run(convert, folder, [large], { format: 'png' })
  const { width, data } = await readPixels(paths[0]!)
  expect([width, ...data.subarray(0, 4)]).toEqual([128, 0x12, 0x34, 0x56, 0x80])
  expect(() => decodeIcns(icns(['TOC ', mask]), 0)).toThrow('holds no picture in colour')
})

describe.each([
  ['pcx', rgbPcx, decodePcx],
  ['sgi', sgi(picture(13, 7, 3), true), decodeSgi],
  ['pfm', pfm([[0, 0.5, 1, 1, 0.5, 0]], true, 'F'), decodePfm],
  ['xbm', Buffer.from(XBM), decodeXbm],
  ['xpm', Buffer.from(XPM), decodeXpm],
  ['icns', icns(['is32', packedIcon]), decodeIcns],
] as const)('%s', (id, bytes, decode) => {
  test('is detected by content, and accepted by a tool', async () => {
    expect(sniffBytes(bytes).id).toBe(id)
    const { paths } = await run(convert, folder, [await put(folder, `any-${id}`, bytes)], { format: 'png' })
    expect((await sharp(paths[0]!).metadata()).format).toBe('png')
  })

  test('refuses damage without internal errors; checks sizes first', () => {
    expectSafe(bytes, (damaged) => decode(damaged, 1e6))
    expect(() => decode(bytes, 1)).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }))
  })
})
