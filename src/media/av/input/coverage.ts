import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { seeksToKeyFrame } from '../range.ts'
import type { ListedPacket } from './packet-list.ts'
import type { AvSource, PlayedTime } from './part.ts'

/** A time range of a source, seconds; to its end by default. */
export interface Span {
  startS: number
  endS: number | undefined
}

/** Pauses between packets that are no gap, seconds: packets of transport streams are shorter, and so is no part. */
const PAUSE_S = 0.1

/**
 * The longest packets, samples: MP4 states only how long it is until the next packet, which can be after a gap. A FLAC
 * block has 65,535 at most (RFC 9639, 9.1.6), and a block of Vorbis 8192.
 */
const MAX_SAMPLES = { lossless: 65_535, other: 8192 }

/** How long a packet of audio may play, seconds. */
function longestS({ info }: AvSource, { codec, sampleRate }: Stream): number {
  if (!/\bmov\b/.test(info.format) || sampleRate === undefined) return Infinity
  return (/^(flac|alac)$/.test(codec) ? MAX_SAMPLES.lossless : MAX_SAMPLES.other) / sampleRate
}

/**
 * When a packet plays; undefined if it has no time. It counts at its start only if it is not audio, because exact cuts
 * leave out pictures that start before them, and in program and transport streams, whose packets are short and are left
 * out of copies in the same way.
 */
export function playedTime(
  source: AvSource,
  track: Stream | undefined,
  { timeS, decodedS, durationS }: ListedPacket,
): PlayedTime | undefined {
  const startS = timeS ?? decodedS
  if (startS === undefined) return undefined
  if (track?.type !== 'audio' || !seeksToKeyFrame(source)) return { startS, endS: startS }
  return { startS, endS: startS + Math.min(durationS, longestS(source, track)) }
}

/** Whether a part of a played time, which may be a single moment, is in a span. */
export const isIn = ({ startS, endS }: PlayedTime, span: Span): boolean =>
  startS < (span.endS ?? Infinity) && (startS >= span.startS || endS > span.startS)

/** Adds the next played time of a track to its list. */
export function addPlayed(list: PlayedTime[], { startS, endS }: PlayedTime): void {
  const last = list.at(-1)
  if (last && startS >= last.startS && startS <= last.endS + PAUSE_S) last.endS = Math.max(last.endS, endS)
  else list.push({ startS, endS })
}
