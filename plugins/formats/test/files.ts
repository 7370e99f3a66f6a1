/** Files made by script, for the variants that other programs write. */
import { BLOCKS, FILES, JPEG } from './foreign.ts'

export const WIDTH = 9
export const HEIGHT = 7

const grid = (width: number, height: number): [x: number, y: number][] =>
  Array.from({ length: width * height }, (_, index) => [index % width, Math.floor(index / width)])

/** A verbatim SGI file of 16 bits: the sample of a channel is `x * 7000 + y * 100 + channel`. */
export function sgi16(channels: number): Buffer {
  const file = Buffer.alloc(512 + WIDTH * HEIGHT * channels * 2)
  file.set([0x01, 0xda, 0, 2, 0, 3])
  for (const [at, value] of [
    [6, WIDTH],
    [8, HEIGHT],
    [10, channels],
  ] as const)
    file.writeUInt16BE(value, at)
  for (let channel = 0; channel < channels; channel += 1)
    for (const [x, y] of grid(WIDTH, HEIGHT)) {
      const row = channel * HEIGHT + HEIGHT - 1 - y
      file.writeUInt16BE(x * 7000 + y * 100 + channel, 512 + (row * WIDTH + x) * 2)
    }
  return file
}

/** A verbatim PCX file of 9 × 7 pixels: the index of a pixel is `(x + y) % 2^depth`, and colour n is (n, 2 n, 3 n). */
export function pcx(bits: number, planes: number): Buffer {
  const stride = 2 * Math.ceil((WIDTH * bits) / 16)
  const file = Buffer.alloc(128 + stride * planes * HEIGHT)
  file.set([0x0a, 5, 0, bits])
  file.writeUInt16LE(WIDTH - 1, 8)
  file.writeUInt16LE(HEIGHT - 1, 10)
  for (let index = 0; index < 16; index += 1) file.set([index, index * 2, index * 3], 16 + index * 3)
  file[65] = planes
  file.writeUInt16LE(stride, 66)
  for (const [x, y] of grid(WIDTH, HEIGHT)) {
    const value = (x + y) % 2 ** (bits * planes)
    for (let plane = 0; plane < planes; plane += 1) {
      const at = 128 + (y * planes + plane) * stride + ((x * bits) >> 3)
      const part = (value >> (plane * bits)) & (2 ** bits - 1)
      file[at] = (file[at] ?? 0) | (part << (8 - bits - ((x * bits) & 7)))
    }
  }
  return file
}

/** A float map of one row. */
export function pfm(values: readonly number[], kind: 'F' | 'f', isLittle: boolean): Buffer {
  const body = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries())
    if (isLittle) body.writeFloatLE(value, index * 4)
    else body.writeFloatBE(value, index * 4)
  const width = values.length / (kind === 'F' ? 3 : 1)
  return Buffer.concat([Buffer.from(`P${kind}\n# made by script\n${width} 1\n${isLittle ? '-1.0' : '1'}\n`), body])
}

const numbers = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer)
const slots = (first: number): Buffer => numbers(first, ...Array.from({ length: 15 }, () => 0))

/** A BLP1 file of 8 × 8 pixels. @param shared the palette, or the start of the JPEG with its length */
export function blp1(content: 0 | 1, alphaBits: number, shared: Buffer, data: Buffer): Buffer {
  const start = 156 + shared.length
  const head = [Buffer.from('BLP1'), numbers(content, alphaBits, 8, 8, 5, 0), slots(start), slots(data.length)]
  return Buffer.concat([...head, shared, data])
}

/** A BLP2 file of 8 × 8 pixels with the palette of `blpPalette`. */
export function blp2(encoding: number, alphaBits: number, alphaKind: number, data: Buffer): Buffer {
  const kinds = Buffer.of(encoding, alphaBits, alphaKind, 0)
  const head = [Buffer.from('BLP2'), numbers(1), kinds, numbers(8, 8), slots(148 + 1024), slots(data.length)]
  return Buffer.concat([...head, blpPalette, data])
}

/** Colour n is red 3 n, green 2 n, blue n. */
export const blpPalette = Buffer.from(
  Array.from({ length: 256 }, (_, index) => [index, index * 2, index * 3, 0].map((part) => part & 255)).flat(),
)

/** An FTEX file of 8 × 8 pixels. */
export const ftex = (kind: 0 | 1, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from('FTEX'), numbers(0, 8, 8, 1, 1, kind, 32, data.length), data])

/** 64 indexes, and 4 bits of alpha for each. */
export const indexes = Buffer.from(Array.from({ length: 64 }, (_, index) => index))
export const nibbles = Buffer.from(Array.from({ length: 32 }, (_, index) => ((index % 8) << 4) | 15))

export const BLP_FILES = {
  palette: blp1(1, 4, blpPalette, Buffer.concat([indexes, nibbles])),
  opaque: blp2(1, 0, 0, indexes),
  BC1: blp2(2, 1, 0, BLOCKS.BC1.data),
  BC2: blp2(2, 8, 1, BLOCKS.BC2.data),
  BC3: blp2(2, 8, 7, BLOCKS.BC3.data),
  bgra: blp2(3, 8, 0, Buffer.from(Array.from({ length: 64 }, (_, index) => [1, 2, 3, index]).flat())),
  jpeg: blp1(0, 8, Buffer.concat([numbers(100), JPEG.subarray(0, 100)]), JPEG.subarray(100)),
}

export const FTEX_FILES = {
  blocks: ftex(0, BLOCKS.BC1.data),
  rgb: ftex(1, Buffer.from(Array.from({ length: 192 }, (_, index) => index))),
}

export const PCX_FILES = [
  pcx(1, 1),
  pcx(2, 1),
  pcx(4, 1),
  pcx(8, 1),
  pcx(1, 4),
  pcx(2, 2),
  FILES.pcxPalette,
  FILES.pcxDirect,
]
