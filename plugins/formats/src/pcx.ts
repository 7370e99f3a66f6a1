/** PCX images (ZSoft, versions 0 to 5), of PC Paintbrush and games of its time. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { damaged, Reader, unsupported } from './reader.ts'

const HEADER = 128
const PALETTE_MARK = 0x0c
const PALETTE_BYTES = 768

interface Header {
  width: number
  height: number
  /** Bits per pixel in a plane. */
  bits: number
  planes: number
  /** Bytes of a row of a plane. */
  stride: number
  isPacked: boolean
}

function headerOf(reader: Reader): Header {
  reader.need(HEADER)
  if (reader.u8(0) !== 0x0a) throw damaged('The file is not a PCX image')
  const [packing, bits, planes, stride] = [reader.u8(2), reader.u8(3), reader.u8(65), reader.u16(66)]
  const width = reader.u16(8) - reader.u16(4) + 1
  const height = reader.u16(10) - reader.u16(6) + 1
  if (width < 1 || height < 1 || packing > 1) throw damaged('The PCX file has a damaged header')
  const isIndexed = [1, 2, 4, 8].includes(bits) && planes >= 1 && bits * planes <= 8
  if (!isIndexed && !(bits === 8 && (planes === 3 || planes === 4)))
    throw unsupported(`The PCX file has ${planes} planes of ${bits} bits, which are not supported`)
  if (stride * 8 < width * bits) throw damaged('The PCX file declares rows that are shorter than the picture')
  return { width, height, bits, planes, stride, isPacked: packing === 1 }
}

/** The rows of all planes. Two high bits mark a count of up to 63 for the byte after it. */
function rowsOf(reader: Reader, { height, planes, stride, isPacked }: Header): Uint8Array {
  const length = stride * planes * height
  if (!isPacked) return reader.part(HEADER, length)
  // Two bytes are at most 63: a size that the file cannot hold is rejected before memory is allocated.
  reader.need(HEADER + Math.ceil((length * 2) / 63))
  const rows = new Uint8Array(length)
  for (let at = HEADER, to = 0; to < length; ) {
    const first = reader.u8(at++)
    const count = first >= 0xc0 ? first & 0x3f : 1
    rows.fill(first >= 0xc0 ? reader.u8(at++) : first, to, Math.min(length, to + count))
    to += count
  }
  return rows
}

/** Red, green and blue of every index. */
function paletteOf({ bytes, length }: Reader, depth: number): Uint8Array {
  const at = length - PALETTE_BYTES
  if (depth === 8 && at > HEADER && bytes[at - 1] === PALETTE_MARK) return bytes.subarray(at)
  if (depth === 8) return Uint8Array.from({ length: PALETTE_BYTES }, (_, index) => Math.floor(index / 3))
  // One bit is black and white whatever the palette says, because most writers leave it empty.
  return depth === 1 ? Uint8Array.from([0, 0, 0, 255, 255, 255]) : bytes.subarray(16, 64)
}

function decode(bytes: Uint8Array): FormatPicture {
  const reader = new Reader(bytes, 'PCX', 'little')
  const header = headerOf(reader)
  const { width, height, bits, planes, stride } = header
  const rows = rowsOf(reader, header)
  const isDirect = bits === 8 && planes > 1
  const channels = isDirect && planes === 4 ? 4 : 3
  const pixels = new Uint8Array(width * height * channels)
  const palette = paletteOf(reader, bits * planes)
  const sample = (plane: number, x: number, y: number): number => {
    const bit = x * bits
    const byte = rows[(y * planes + plane) * stride + (bit >> 3)] ?? 0
    return (byte >> (8 - bits - (bit & 7))) & ((1 << bits) - 1)
  }
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (isDirect) for (let plane = 0; plane < planes; plane += 1) pixels[to++] = sample(plane, x, y)
      else {
        let index = 0
        for (let plane = 0; plane < planes; plane += 1) index |= sample(plane, x, y) << (plane * bits)
        for (let channel = 0; channel < 3; channel += 1) pixels[to++] = palette[index * 3 + channel] ?? 0
      }
    }
  return { width, height, channels, bitDepth: 8, pixels }
}

/** The colours of a picture of at most 256, and their indexes. */
function indexed({ pixels, channels }: FormatPicture): { palette: Uint8Array; indexes: Uint8Array } | undefined {
  const known = new Map<number, number>()
  const indexes = new Uint8Array(pixels.length / channels)
  const palette = new Uint8Array(PALETTE_BYTES)
  for (let at = 0, pixel = 0; at < pixels.length; at += channels, pixel += 1) {
    const red = pixels[at] ?? 0
    const [green, blue] = channels === 1 ? [red, red] : [pixels[at + 1] ?? 0, pixels[at + 2] ?? 0]
    const colour = (red << 16) | (green << 8) | blue
    let index = known.get(colour)
    if (index === undefined) {
      index = known.size
      if (index === 256) return undefined
      known.set(colour, index)
      palette.set([red, green, blue], index * 3)
    }
    indexes[pixel] = index
  }
  return { palette, indexes }
}

function packRow(row: Uint8Array): number[] {
  const codes: number[] = []
  for (let at = 0; at < row.length; ) {
    const value = row[at] ?? 0
    let end = at + 1
    while (end < row.length && end - at < 63 && row[end] === value) end += 1
    if (end - at > 1 || value >= 0xc0) codes.push(0xc0 | (end - at))
    codes.push(value)
    at = end
  }
  return codes
}

function encode(picture: FormatPicture): Uint8Array {
  const { width, height, pixels } = picture
  const found = indexed(picture)
  const planes = found ? 1 : 3
  const stride = width + (width % 2)
  const header = Buffer.alloc(HEADER)
  header.set([0x0a, 5, 1, 8])
  header.writeUInt16LE(width - 1, 8)
  header.writeUInt16LE(height - 1, 10)
  header.writeUInt16LE(72, 12)
  header.writeUInt16LE(72, 14)
  header[65] = planes
  header.writeUInt16LE(stride, 66)
  header.writeUInt16LE(1, 68)
  const parts: Uint8Array[] = [header]
  const row = new Uint8Array(stride)
  for (let y = 0; y < height; y += 1)
    for (let plane = 0; plane < planes; plane += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = y * width + x
        row[x] = (found ? found.indexes[at] : pixels[at * 3 + plane]) ?? 0
      }
      parts.push(Buffer.from(packRow(row)))
    }
  if (found) parts.push(Buffer.of(PALETTE_MARK), found.palette)
  return Buffer.concat(parts)
}

export const pcx = defineFormat({
  id: 'pcx',
  extensions: ['pcx'],
  mediaType: 'image/x-pcx',
  detect: (head) =>
    head.length >= HEADER && head[0] === 0x0a && [0, 2, 3, 4, 5].includes(head[1] ?? 9) && (head[2] ?? 9) <= 1,
  size: (bytes) => headerOf(new Reader(bytes, 'PCX', 'little')),
  decode,
  encode,
  holds: { grey: true, maxSide: 65_535 },
})
