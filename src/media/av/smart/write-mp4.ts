import { open } from 'node:fs/promises'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { box, fullBox } from '../../boxes.ts'

/** A frame of a video as it is stored, in decoding order. */
export interface Sample {
  /** NAL units after their lengths. */
  data: Buffer
  /** Presentation time, ticks of the timescale. */
  time: number
  isKey: boolean
}

export interface Mp4Track {
  entry: 'avc1' | 'hvc1' | 'hev1'
  /** The content of the box `avcC` or `hvcC`. */
  record: Buffer
  /** Ticks per second. */
  timescale: number
  /** Of the last frame, ticks. */
  lastDuration: number
  stream: Stream
}

/** The tables of all samples, in decoding order. */
interface Tables {
  sizes: number[]
  times: number[]
  keys: number[]
}

/** Size of the box header with a 64-bit size, bytes. */
const LARGE_HEADER = 16
const FILE_TYPE = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41', 'latin1'))

/**
 * Writes a video without sound as MP4 (ISO/IEC 14496-12), with exact times of all frames. ffmpeg cannot make one from
 * a mixture of copied and encoded packets.
 */
export async function writeMp4(path: string, track: Mp4Track, samples: AsyncIterable<Sample>): Promise<void> {
  const tables: Tables = { sizes: [], times: [], keys: [] }
  const file = await open(path, 'w')
  try {
    await file.write(FILE_TYPE)
    await file.write(Buffer.alloc(LARGE_HEADER))
    let total = 0
    for await (const { data, time, isKey } of samples) {
      await file.write(data)
      total += data.length
      tables.sizes.push(data.length)
      tables.times.push(time)
      if (isKey) tables.keys.push(tables.sizes.length)
    }
    const header = Buffer.alloc(LARGE_HEADER)
    header.writeUInt32BE(1)
    header.write('mdat', 4, 'latin1')
    header.writeBigUInt64BE(BigInt(total + LARGE_HEADER), 8)
    await file.write(movieBox(track, tables, FILE_TYPE.length + LARGE_HEADER))
    await file.write(header, 0, LARGE_HEADER, FILE_TYPE.length)
  } finally {
    await file.close()
  }
}

function movieBox(track: Mp4Track, { sizes, times, keys }: Tables, offset: number): Buffer {
  const { timescale, lastDuration, stream } = track
  const shown = [...times].sort((a, b) => a - b)
  // Frames are decoded at the times of the frames in order, earlier by the longest wait of a frame.
  const delay = times.reduce((most, time, index) => Math.max(most, (shown[index] ?? 0) - time), 0)
  const decoded = shown.map((time) => time - delay)
  const durations = decoded.map((time, index) => (decoded[index + 1] ?? time + lastDuration) - time)
  const length = (shown.at(-1) ?? 0) + lastDuration - (shown[0] ?? 0)
  const offsets = times.map((time, index) => time - (decoded[index] ?? 0))
  const { width = 0, height = 0 } = stream
  const table = box(
    'stbl',
    fullBox('stsd', 0, u32(1), sampleEntry(track)),
    fullBox('stts', 0, runs(durations)),
    fullBox('ctts', 0, runs(offsets)),
    fullBox('stss', 0, u32(keys.length), words(keys)),
    fullBox('stsc', 0, u32(1, 1, sizes.length, 1)),
    fullBox('stsz', 0, u32(0, sizes.length), words(sizes)),
    fullBox('co64', 0, u32(1), u64(offset)),
  )
  const media = box(
    'mdia',
    fullBox('mdhd', 0x01000000, u64(0), u64(0), u32(timescale), u64(length), u32(0x55c40000)),
    fullBox('hdlr', 0, u32(0), Buffer.from('vide'), u32(0, 0, 0), Buffer.alloc(1)),
    box('minf', fullBox('vmhd', 1, u32(0, 0)), box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1))), table),
  )
  const header = [u64(0), u64(0), u32(1, 0), u64(length), u32(0, 0, 0, 0), matrix(stream), u32(width * 65536)]
  return box(
    'moov',
    fullBox('mvhd', 0x01000000, u64(0), u64(0), u32(timescale), u64(length), u32(0x10000, 0x01000000, 0, 0), UPRIGHT),
    box(
      'trak',
      fullBox('tkhd', 0x01000003, ...header, u32(height * 65536)),
      box('edts', fullBox('elst', 0x01000000, u32(1), u64(length), u64(delay), u32(0x10000))),
      media,
    ),
  )
}

/** `avc1` and the like (ISO/IEC 14496-12, 12.1.3), with the shape of pixels. */
function sampleEntry({ entry, record, stream }: Mp4Track): Buffer {
  const { width = 0, height = 0, sampleAspectRatio } = stream
  const fixed = Buffer.alloc(78)
  fixed.writeUInt16BE(1, 6)
  fixed.writeUInt16BE(width, 24)
  fixed.writeUInt16BE(height, 26)
  fixed.writeUInt32BE(0x480000, 28)
  fixed.writeUInt32BE(0x480000, 32)
  fixed.writeUInt16BE(1, 40)
  fixed.writeUInt16BE(24, 74)
  fixed.writeInt16BE(-1, 76)
  const shape = sampleAspectRatio ? [box('pasp', u32(...sampleAspectRatio.split(':').map(Number)))] : []
  return box(entry, fixed, box(entry === 'avc1' ? 'avcC' : 'hvcC', record), ...shape)
}

const ONE = 0x10000
const END = 0x40000000
const UPRIGHT = Buffer.concat([u32(ONE, 0, 0, 0, ONE, 0, 0, 0, END), u32(0, 0, 0, 0, 0, 0, 2)])

/** The matrix that turns the picture clockwise. */
function matrix({ rotation, width = 0, height = 0 }: Stream): Buffer {
  const [w, h, minus] = [width * ONE, height * ONE, 2 ** 32 - ONE]
  if (rotation === 90) return u32(0, ONE, 0, minus, 0, 0, h, 0, END)
  if (rotation === 180) return u32(minus, 0, 0, 0, minus, 0, w, h, END)
  if (rotation === 270) return u32(0, minus, 0, ONE, 0, 0, 0, w, END)
  return u32(ONE, 0, 0, 0, ONE, 0, 0, 0, END)
}

/** The values as runs of equal ones, after their number. */
function runs(values: readonly number[]): Buffer {
  const found: number[] = []
  for (const value of values) {
    if (found.at(-1) === value) found[found.length - 2] = (found[found.length - 2] ?? 0) + 1
    else found.push(1, value)
  }
  return Buffer.concat([u32(found.length / 2), words(found)])
}

function u32(...values: readonly number[]): Buffer {
  return words(values)
}

/** A list of any length: as arguments of a function, 100,000 values would overflow the stack. */
function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
