/** SGI images (Paul Haeberli's format, version 1.00), as IRIX wrote them: verbatim or run-length encoded. */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { damaged, Reader, unsupported } from './reader.ts'

const MAGIC = 0x01da
const HEADER = 512
const MAX_RUN = 127

interface Header {
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
  /** Bytes per sample. */
  step: 1 | 2
  isPacked: boolean
}

function headerOf(reader: Reader): Header {
  reader.need(HEADER)
  if (reader.u16(0) !== MAGIC) throw damaged('The file is not an SGI image')
  const [storage, step, dimension] = [reader.u8(2), reader.u8(3), reader.u16(4)]
  const channels = dimension > 2 ? reader.u16(10) : 1
  if (storage > 1 || (step !== 1 && step !== 2) || dimension < 1 || dimension > 3)
    throw damaged('The SGI file has a damaged header')
  if (channels < 1 || channels > 4) throw unsupported(`The SGI file has ${channels} channels; up to 4 are supported`)
  if (reader.u32(104) !== 0) throw unsupported('The SGI file has a colour map, which is not supported')
  const [width, height] = [reader.u16(6), dimension > 1 ? reader.u16(8) : 1]
  if (width === 0 || height === 0) throw damaged('The SGI file has a picture without pixels')
  return { width, height, channels: channels as Header['channels'], step, isPacked: storage === 1 }
}

/** Unpacks a row between two offsets: a count below 128 repeats a sample, from 128 on it copies samples. */
function unpackRow(reader: Reader, start: number, end: number, step: 1 | 2, row: Uint8Array | Uint16Array): void {
  const { bytes } = reader
  const read = (at: number): number => (step === 1 ? (bytes[at] ?? 0) : ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0))
  for (let at = start, to = 0; to < row.length; ) {
    if (at + step > end) throw damaged('The SGI file is damaged: a row ends too early')
    const code = read(at)
    const count = code & 0x7f
    at += step
    if (count === 0) throw damaged('The SGI file is damaged: a row is too short')
    const stop = Math.min(row.length, to + count)
    const isCopy = (code & 0x80) !== 0
    if (at + (isCopy ? stop - to : 1) * step > end) throw damaged('The SGI file is damaged: a row ends too early')
    if (isCopy) for (; to < stop; at += step) row[to++] = read(at)
    else {
      row.fill(read(at), to, stop)
      to = stop
      at += step
    }
  }
}

function decode(bytes: Uint8Array): FormatPicture {
  const reader = new Reader(bytes, 'SGI', 'big')
  const { width, height, channels, step, isPacked } = headerOf(reader)
  const rows = height * channels
  reader.need(HEADER + (isPacked ? rows * 8 : rows * width * step))
  const Samples = step === 1 ? Uint8Array : Uint16Array
  const pixels = new Samples(width * height * channels)
  const row = new Samples(width)
  for (let index = 0; index < rows; index += 1) {
    if (isPacked) {
      const start = reader.u32(HEADER + index * 4)
      const end = start + reader.u32(HEADER + (rows + index) * 4)
      reader.need(end)
      unpackRow(reader, start, end, step, row)
    } else {
      const at = HEADER + index * width * step
      for (let x = 0; x < width; x += 1) row[x] = step === 1 ? reader.u8(at + x) : reader.u16(at + x * 2)
    }
    // Planes follow one another, with rows from the bottom.
    const [channel, y] = [Math.floor(index / height), index % height]
    for (let x = 0, to = (height - 1 - y) * width * channels + channel; x < width; x += 1, to += channels)
      pixels[to] = row[x] ?? 0
  }
  return { width, height, channels, bitDepth: step === 1 ? 8 : 16, pixels }
}

/** The codes of a row: runs of at least three equal samples, and copies of all others. */
function packRow(row: Uint8Array | Uint16Array): number[] {
  const codes: number[] = []
  const runAt = (from: number): number => {
    let end = from + 1
    while (end < row.length && end - from < MAX_RUN && row[end] === row[from]) end += 1
    return end - from
  }
  for (let at = 0; at < row.length; ) {
    const run = runAt(at)
    if (run >= 3) {
      codes.push(run, row[at] ?? 0)
      at += run
      continue
    }
    let end = at + run
    while (end < row.length && end - at < MAX_RUN) {
      const next = runAt(end)
      if (next >= 3) break
      end += next
    }
    end = Math.min(end, at + MAX_RUN)
    codes.push(0x80 | (end - at), ...row.subarray(at, end))
    at = end
  }
  codes.push(0)
  return codes
}

function encode({ width, height, channels, bitDepth, pixels }: FormatPicture): Uint8Array {
  const step = bitDepth / 8
  const rows = height * channels
  const header = Buffer.alloc(HEADER + rows * 8)
  header.writeUInt16BE(MAGIC, 0)
  header[2] = 1
  header[3] = step
  header.writeUInt16BE(channels === 1 ? 2 : 3, 4)
  header.writeUInt16BE(width, 6)
  header.writeUInt16BE(height, 8)
  header.writeUInt16BE(channels, 10)
  header.writeUInt32BE(bitDepth === 8 ? 255 : 65535, 16)
  const parts: Buffer[] = [header]
  const row = bitDepth === 8 ? new Uint8Array(width) : new Uint16Array(width)
  let offset = header.length
  for (let index = 0; index < rows; index += 1) {
    const [channel, y] = [Math.floor(index / height), index % height]
    const from = (height - 1 - y) * width * channels + channel
    for (let x = 0; x < width; x += 1) row[x] = pixels[from + x * channels] ?? 0
    const codes = packRow(row)
    const packed = step === 1 ? Buffer.from(codes) : Buffer.from(Uint16Array.from(codes).buffer).swap16()
    header.writeUInt32BE(offset, HEADER + index * 4)
    header.writeUInt32BE(packed.length, HEADER + (rows + index) * 4)
    offset += packed.length
    parts.push(packed)
  }
  return Buffer.concat(parts)
}

export const sgi = defineFormat({
  id: 'sgi',
  extensions: ['sgi', 'rgb', 'rgba', 'bw'],
  mediaType: 'image/x-sgi',
  detect: (head) => head[0] === 0x01 && head[1] === 0xda && (head[2] ?? 9) <= 1 && (head[3] === 1 || head[3] === 2),
  size: (bytes) => headerOf(new Reader(bytes, 'SGI', 'big')),
  decode,
  encode,
  holds: { alpha: true, grey: true, bitDepth: 16, maxSide: 65_535 },
})
