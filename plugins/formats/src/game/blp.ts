/** BLP textures of Warcraft III (BLP1) and World of Warcraft (BLP2): JPEG, palette, block compression or BGRA. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { damaged, Reader, startsWith, unsupported } from '../reader.ts'
import { type BlockKind, blockBytes, unpackBlocks, withoutAlpha } from './blocks.ts'
import { decodeJpeg } from './blp-jpeg.ts'

const MAX_SIDE = 65_535
const PALETTE_BYTES = 1024

interface Header {
  width: number
  height: number
  kind: 'jpeg' | 'palette' | 'bgra' | BlockKind
  /** Bits of alpha for each pixel: 0, 1, 4 or 8. */
  alphaBits: number
  /** Offset of what all mipmaps share: the palette or the start of the JPEG. */
  shared: number
  /** Place of the largest mipmap. */
  start: number
  length: number
}

const BLOCKS: Readonly<Record<number, BlockKind>> = { 0: 'BC1', 1: 'BC2', 7: 'BC3' }

function firstHeader(reader: Reader): Header {
  const [content, alphaBits, width, height] = [reader.u32(4), reader.u32(8), reader.u32(12), reader.u32(16)]
  if (content > 1) throw unsupported(`The BLP file has content of kind ${content}, which is not known`)
  const kind = content === 0 ? 'jpeg' : 'palette'
  return { width, height, kind, alphaBits, shared: 156, start: reader.u32(28), length: reader.u32(92) }
}

function secondHeader(reader: Reader): Header {
  const [content, encoding, alphaBits, alphaKind] = [reader.u32(4), reader.u8(8), reader.u8(9), reader.u8(10)]
  const kind =
    content === 0
      ? 'jpeg'
      : encoding === 1
        ? 'palette'
        : encoding === 2
          ? BLOCKS[alphaKind]
          : encoding === 3
            ? 'bgra'
            : undefined
  if (content > 1 || kind === undefined)
    throw unsupported(`The BLP file has an encoding (${content}, ${encoding}, ${alphaKind}) that is not known`)
  const [width, height] = [reader.u32(12), reader.u32(16)]
  return { width, height, kind, alphaBits, shared: 148, start: reader.u32(20), length: reader.u32(84) }
}

function headerOf(reader: Reader): Header {
  const isFirst = startsWith(reader.bytes, 'BLP1')
  if (!isFirst && !startsWith(reader.bytes, 'BLP2')) throw damaged('The file is not a BLP texture')
  const header = isFirst ? firstHeader(reader) : secondHeader(reader)
  const { width, height, alphaBits } = header
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    throw damaged(`The BLP file declares a picture of ${width} × ${height} pixels`)
  if (![0, 1, 4, 8].includes(alphaBits)) throw damaged(`The BLP file declares ${alphaBits} bits of alpha`)
  return header
}

/** Indexes of a palette of BGR colours, then the alphas of all pixels. */
function fromPalette(reader: Reader, { width, height, alphaBits, shared, start }: Header): Uint8Array {
  const palette = reader.part(shared, PALETTE_BYTES)
  const count = width * height
  const indexes = reader.part(start, count)
  const alphas = reader.part(start + count, Math.ceil((count * alphaBits) / 8))
  const most = (1 << alphaBits) - 1
  const pixels = new Uint8Array(count * 4)
  for (let pixel = 0, to = 0; pixel < count; pixel += 1, to += 4) {
    const from = (indexes[pixel] ?? 0) * 4
    for (let channel = 0; channel < 3; channel += 1) pixels[to + channel] = palette[from + 2 - channel] ?? 0
    const bit = pixel * alphaBits
    pixels[to + 3] = alphaBits === 0 ? 255 : ((((alphas[bit >> 3] ?? 0) >> (bit & 7)) & most) * 255) / most
  }
  return pixels
}

function fromBgra(reader: Reader, { width, height, start }: Header): Uint8Array {
  const pixels = new Uint8Array(reader.part(start, width * height * 4))
  for (let at = 0; at < pixels.length; at += 4) {
    const blue = pixels[at] ?? 0
    pixels[at] = pixels[at + 2] ?? 0
    pixels[at + 2] = blue
  }
  return pixels
}

async function pixelsOf(reader: Reader, header: Header): Promise<Uint8Array> {
  const { width, height, kind, shared, start, length } = header
  if (kind === 'palette') return fromPalette(reader, header)
  if (kind === 'bgra') return fromBgra(reader, header)
  if (kind !== 'jpeg') return unpackBlocks(kind, reader.part(start, blockBytes(kind, width, height)), width, height)
  const head = reader.part(shared + 4, reader.u32(shared))
  return decodeJpeg(Buffer.concat([head, reader.part(start, length)]), width, height)
}

async function decode(bytes: Uint8Array): Promise<FormatPicture> {
  const reader = new Reader(bytes, 'BLP', 'little')
  const header = headerOf(reader)
  const { width, height, alphaBits } = header
  const pixels = await pixelsOf(reader, header)
  if (alphaBits > 0) return { width, height, channels: 4, bitDepth: 8, pixels }
  return { width, height, channels: 3, bitDepth: 8, pixels: withoutAlpha(pixels) }
}

export const blp = defineFormat({
  id: 'blp',
  extensions: ['blp'],
  mediaType: 'image/x-blp',
  detect: (head) => startsWith(head, 'BLP1') || startsWith(head, 'BLP2'),
  size: (bytes) => headerOf(new Reader(bytes, 'BLP', 'little')),
  decode,
})
