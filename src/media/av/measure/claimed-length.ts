import { audioStreams, type MediaInfo, type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../input/part.ts'
import { measureDuration } from './duration.ts'

/**
 * Bits per second below which a file probably claims more time than it contains: almost no codec works below it. A
 * wrong guess only costs reading a file that is small for its duration.
 */
const LEAST_BIT_RATE = { video: 16_000, audio: 2000 }
/** Durations that differ by less, in seconds or as a share of the total, are treated as equal: packets and rounding. */
const NEAR_S = 1
const NEAR_SHARE = 0.02

/** Duration of an audio packet, seconds: the ends of streams may differ by this much. */
const PACKET_S = 0.06

/** Whether a duration exceeds another by more than packets and rounding explain; seconds. */
export const isFarBeyond = (claimedS: number, foundS: number): boolean =>
  claimedS > foundS + Math.max(NEAR_S, NEAR_SHARE * foundS)

/** The stated end of the last video or audio stream, seconds; undefined when a stream does not state it. */
export function playedLength({ streams }: Pick<MediaInfo, 'streams'>): number | undefined {
  const played = streams.filter(({ type, isAttachedPicture }) => /^(video|audio)$/.test(type) && !isAttachedPicture)
  const ends = played.map(({ startS = 0, durationS = Number.NaN }: Stream) => startS + durationS)
  const end = Math.max(...ends)
  return Number.isFinite(end) ? end : undefined
}

/** How durations of a file are compared: the last subtitle may be displayed slightly longer than the video. */
const comparison = ({ streams }: MediaInfo): ((claimedS: number, foundS: number) => boolean) =>
  streams.some(({ type }) => type === 'subtitle') ? (claimedS, foundS) => claimedS > foundS + PACKET_S : isFarBeyond

/**
 * Number of frames between the end of the last packet read and the end of the last displayed frame: frames delayed by
 * B-frames, and its own duration.
 */
const HELD_BACK = 4

/**
 * The duration by packets: the file's stated duration if they agree, because packets are only accurate to a few frames.
 * Reads the whole file without decoding; undefined when the packets give no duration either.
 */
export async function packetLength(path: string, info: MediaInfo, signal?: AbortSignal): Promise<number | undefined> {
  const foundS = await measureDuration(path, signal)
  const { durationS } = info
  if (foundS === undefined || durationS === undefined || durationS < foundS) return foundS
  const { frameRate } = videoStream(info) ?? {}
  return comparison(info)(durationS, foundS + (frameRate ? HELD_BACK / frameRate : 0)) ? foundS : durationS
}

/** Whether the container claims a longer duration than its streams, or its size, can account for. */
export function seemsOverstated(info: MediaInfo): boolean {
  const { durationS = 0, sizeBytes } = info
  if (audioStreams(info).length + (videoStream(info) ? 1 : 0) === 0) return false
  const played = playedLength(info)
  if (played !== undefined && comparison(info)(durationS, played)) return true
  const least = videoStream(info) ? LEAST_BIT_RATE.video : LEAST_BIT_RATE.audio
  return durationS > NEAR_S && (sizeBytes * 8) / durationS < least
}

/** Stream information for a file whose duration is `durationS`: none of its streams is longer. Seconds. */
export function withLength(info: MediaInfo, durationS: number | undefined): MediaInfo {
  if (durationS === undefined) return { ...info, durationS }
  const streams = info.streams.map((stream) =>
    stream.durationS !== undefined && isFarBeyond(stream.durationS, durationS) ? { ...stream, durationS } : stream,
  )
  return { ...info, durationS, streams }
}

/**
 * Formats whose header only claims a duration; MP4 has a table of all samples, transport streams have timestamps at
 * their end.
 */
const CLAIMS = /^(matroska|avi|flv|asf|nut)/

/**
 * Returns a source with the duration of its packets, for tools that pad to the full duration. Reads the whole file if
 * the format only claims a duration.
 */
export async function withPacketLength(source: AvSource, signal: AbortSignal): Promise<AvSource> {
  const { durationS, format } = source.info
  if (durationS === undefined || source.lengthIsGuessed || !CLAIMS.test(format)) return source
  const measured = await packetLength(source.path, source.info, signal)
  if (measured === undefined || measured === durationS) return source
  return { ...source, info: withLength(source.info, measured) }
}
