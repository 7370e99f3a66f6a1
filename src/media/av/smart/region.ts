import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { packetReader } from '../input/packet-list.ts'
import type { AvSource } from '../input/part.ts'
import { seconds, seeksToKeyFrame } from '../range.ts'
import { type JoinedCodec, nalUnits } from './nal.ts'

/** A packet of a region, by its place in the file of the region. */
export interface Packet {
  /** Presentation time from the start of the source, ticks. */
  time: number
  offset: number
  size: number
  isKey: boolean
}

/** The packets of a video around a cut, in decoding order, and their content as a byte stream (Annex B). */
export interface Region {
  packets: Packet[]
  /** Ticks per second. */
  timescale: number
  codec: JoinedCodec
  stream: Stream
  units(packet: Packet): Promise<Buffer[]>
  close(): Promise<void>
}

/** Files are read from this much before a cut, because frames are indexed by decoding time, seconds. */
const EARLIER_S = 1
/** More than the longest wait between decoding and showing a frame, seconds. */
const LATER_S = 1

/**
 * Copies the packets of a time range into a folder. Reads from the key frame before it, or from the start of files
 * without an index.
 * @returns undefined when packets have no times
 */
export async function readRegion(
  source: AvSource,
  stream: Stream,
  { startS, endS }: { startS: number; endS: number },
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<Region | undefined> {
  const codec = stream.codec as JoinedCodec
  const [content, list] = [join(folder, 'region.video'), join(folder, 'region.list')]
  const fromS = Math.max(0, startS - EARLIER_S)
  const hasIndex = seeksToKeyFrame(source)
  const seek = hasIndex
    ? ['-ss', seconds(fromS), '-noaccurate_seek', '-copyts', '-start_at_zero']
    : ['-fflags', '+genpts']
  // In transport streams, ffmpeg counts times from the start of the streams in use.
  const others = hasIndex ? [] : ['-map', '0:a?', '-c', 'copy', '-f', 'null', '-']
  const copied = ['-map', `0:${stream.index}`, '-c', 'copy', '-bsf:v', `${codec}_mp4toannexb`]
  const output = [...copied, '-to', seconds(endS + LATER_S), '-f']
  await runFfmpeg(
    [
      ...[...seek, ...inputArguments(source.path)],
      ...[...output, codec, `file:${content}`, ...output, 'framecrc', `file:${list}`, ...others],
    ],
    { signal, what: 'Reading the video' },
  )
  const found = packetsOf(await readFile(list))
  if (!found) return undefined
  const file = await open(content)
  return {
    ...{ ...found, codec, stream },
    units: async ({ offset, size }) => nalUnits(await bytesAt(file, offset, size)),
    close: () => file.close(),
  }
}

async function bytesAt(file: FileHandle, offset: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  await file.read(bytes, 0, size, offset)
  return bytes
}

function packetsOf(list: Buffer): Pick<Region, 'packets' | 'timescale'> | undefined {
  const packets: Packet[] = []
  let [offset, timescale, isTimed] = [0, 1, true]
  const reader = packetReader(({ ticks, tick, size, isKey }) => {
    if (ticks === undefined) isTimed = false
    else packets.push({ time: ticks * tick.numerator, offset, size, isKey })
    timescale = tick.denominator
    offset += size
  })
  reader(list)
  return isTimed ? { packets, timescale } : undefined
}
