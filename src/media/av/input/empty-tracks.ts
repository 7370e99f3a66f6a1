import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { lacksTimes, seconds, seeksToKeyFrame } from '../range.ts'
import { isIn, playedTime, type Span } from './coverage.ts'
import { sampleTables } from './gapless-tracks.ts'
import { type ListedPacket, packetReader } from './packet-list.ts'
import type { AvSource } from './part.ts'

/** Packets of other tracks can be stored this much after those of the video with the same time, seconds. */
const INTERLEAVED_S = 2

/**
 * Packets that start this much before a span may still play in it, seconds: the longest FLAC block has 65,535 samples,
 * which are 8.2 s at 8 kHz.
 */
const LONGEST_PACKET_S = 10

/** A part of this length contains packets of a track without gaps, however its times are rounded; seconds. */
const CERTAIN_S = 1

/**
 * The indexes of those tracks that have no packet in a span of a video: of some containers, muxers leave such tracks
 * out, and others write tracks without content.
 */
export async function emptyTracks(
  source: AvSource,
  tracks: readonly Stream[],
  span: Span,
  signal?: AbortSignal,
): Promise<number[]> {
  const { played } = source
  const listed = tracks.filter(({ index }) => played?.has(index))
  const empty = listed.filter(({ index }) => !played?.get(index)?.some((time) => isIn(time, span)))
  const sought = withDoubt(
    source,
    tracks.filter((track) => !listed.includes(track)),
    span,
  )
  return [...empty, ...(await withoutPackets(source, sought, span, signal))].map(({ index }) => index)
}

/**
 * Tracks that may have no packet in a span. Others have no gap by the tables of an MP4, so that their packets are not
 * listed, which takes longer than copying the part.
 */
function withDoubt({ path, info }: AvSource, tracks: readonly Stream[], span: Span): readonly Stream[] {
  const tables = tracks.length > 0 && /\bmov\b/.test(info.format) ? sampleTables(path) : undefined
  // Otherwise, the index of a stream may not be the position of its track.
  if (tables?.tracks !== info.streams.filter(({ isAttachedPicture }) => !isAttachedPicture).length) return tracks
  return tracks.filter(({ index, startS = 0, durationS = 0 }) => {
    const endS = startS + Math.min(durationS, tables.gapless.get(index) ?? 0)
    return Math.min(endS, span.endS ?? Infinity) - Math.max(startS, span.startS) <= CERTAIN_S
  })
}

/** Reads the packets from the start of the span until each track has one in it. */
async function withoutPackets(
  source: AvSource,
  sought: readonly Stream[],
  span: Span,
  signal?: AbortSignal,
): Promise<Stream[]> {
  if (sought.length === 0) return []
  const missing = new Set(sought)
  const lastS = (span.endS ?? Infinity) + INTERLEAVED_S
  const enough = new AbortController()
  const onPacket = (packet: ListedPacket): void => {
    const track = sought[packet.position - 1]
    const time = playedTime(source, track, packet)
    if (track && time && isIn(time, span)) missing.delete(track)
    if (missing.size === 0 || (time && time.startS > lastS)) enough.abort()
  }
  const maps = [mainVideo(source.info), ...sought].flatMap(({ index }) => ['-map', `0:${index}`])
  const seek = seeksToKeyFrame(source)
    ? ['-ss', seconds(Math.max(0, span.startS - LONGEST_PACKET_S)), '-noaccurate_seek', '-copyts', '-start_at_zero']
    : []
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...seek, ...inputArguments(source.path)],
    ...[...maps, '-c', 'copy', '-f', 'framecrc', 'pipe:1'],
  ]
  try {
    await streamFfmpeg(args, packetReader(onPacket), {
      signal: AbortSignal.any([enough.signal, ...(signal ? [signal] : [])]),
      what: 'Reading the packets',
    })
  } catch (error) {
    if (!enough.signal.aborted || signal?.aborted) throw error
  }
  return [...missing]
}
