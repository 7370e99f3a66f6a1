import { type Box, boxesIn } from '../../boxes.ts'
import { topLevelBoxes } from '../../verify/boxes.ts'
import { FileView } from '../../verify/file-view.ts'
import { readTimes } from '../mp4/times.ts'

/** A larger index is not read, bytes: two hours of video and audio have 5 MB. */
export const MAX_INDEX_BYTES = 16 * 1024 * 1024
/** The longest packet that is not a gap, seconds: 1024 samples of AAC at 8 kHz are 0.13 s. */
const MAX_PACKET_S = 0.2
/** Bytes of a time in an edit list, by its version; each entry has two times and a rate of four bytes. */
const TIME_BYTES = [4, 8]
const NORMAL_RATE = 0x10000

export interface SampleTables {
  /** Number of tracks, including those that are neither video nor audio. */
  tracks: number
  /** Seconds of packets in each audio track without a gap between them, by the position of the track. */
  gapless: ReadonlyMap<number, number>
}

/**
 * Audio tracks of an MP4 or MOV file without a gap between their packets, from its sample tables (ISO/IEC 14496-12,
 * 8.6). A track whose tables leave any doubt is missing.
 * @returns undefined for fragmented, incomplete and damaged files, and for those with a very large index
 */
export function sampleTables(path: string): SampleTables | undefined {
  return FileView.with(path, (file) => {
    const index = topLevelBoxes(file)?.find(({ type }) => type === 'moov')
    if (!index || index.end - index.start > MAX_INDEX_BYTES) return undefined
    const bytes = file.read(index.start, index.end - index.start)
    try {
      return readMovie(bytes)
    } catch (error) {
      // A table ends outside of the index.
      if (error instanceof RangeError) return undefined
      throw error
    }
  })
}

function readMovie(bytes: Buffer): SampleTables | undefined {
  const [movie] = boxesIn(bytes, { start: 0, end: bytes.length }) ?? []
  const boxes = movie && boxesIn(bytes, { start: movie.body, end: movie.end })
  if (!boxes || boxes.some(({ type }) => type === 'mvex')) return undefined
  const tracks = boxes.filter(({ type }) => type === 'trak')
  const lengths = tracks.map((track) => gaplessLength(bytes, track))
  return {
    tracks: tracks.length,
    gapless: new Map(lengths.flatMap((lengthS, position) => (lengthS ? [[position, lengthS] as const] : []))),
  }
}

/** The length of an audio track without a gap, seconds; undefined for other tracks. */
function gaplessLength(bytes: Buffer, track: Box): number | undefined {
  const inside = (parent: Box | undefined, type: string): Box | undefined =>
    parent && boxesIn(bytes, { start: parent.body, end: parent.end })?.find((one) => one.type === type)
  const media = inside(track, 'mdia')
  const [header, handler, edits] = [inside(media, 'mdhd'), inside(media, 'hdlr'), inside(inside(track, 'edts'), 'elst')]
  const tables = inside(inside(media, 'minf'), 'stbl')
  const [times, sizes] = [inside(tables, 'stts'), inside(tables, 'stsz')]
  if (!header || !handler || !times || !sizes) return undefined
  if (bytes.toString('latin1', handler.body + 8, handler.body + 12) !== 'soun') return undefined
  if (edits && !playsOnce(bytes, edits)) return undefined
  const ticksPerS = bytes.readUInt32BE(header.body + (bytes[header.body] === 1 ? 20 : 12))
  const { count, ticks, maxTicks } = readTimes(bytes.subarray(times.body, times.end))
  const isComplete = count === bytes.readUInt32BE(sizes.body + 8)
  return isComplete && maxTicks <= ticksPerS * MAX_PACKET_S ? ticks / ticksPerS : undefined
}

/** Whether an edit list plays one part of the track at normal speed, at once or after a pause. */
function playsOnce(bytes: Buffer, { body, end }: Box): boolean {
  const timeBytes = TIME_BYTES[bytes[body] ?? 0]
  const count = bytes.readUInt32BE(body + 4)
  if (timeBytes === undefined || count < 1 || count > 2) return false
  const entryBytes = 2 * timeBytes + 4
  if (body + 8 + count * entryBytes > end) return false
  const last = body + 8 + (count - 1) * entryBytes
  const isPause = (entry: number): boolean => bytes.readInt32BE(entry + 2 * timeBytes - 4) === -1
  const hasNormalRate = bytes.readInt32BE(last + 2 * timeBytes) === NORMAL_RATE
  return hasNormalRate && !isPause(last) && (count === 1 || isPause(body + 8))
}
