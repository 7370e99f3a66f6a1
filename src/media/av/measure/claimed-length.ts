import { audioStreams, type MediaInfo, type Stream, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../input/part.ts'
import { measureDuration } from './duration.ts'

/**
 * Bits per second below which a file probably claims more time than it has: hardly any codec works with less. A wrong guess
 * costs the reading of a file that is small for its length.
 */
const LEAST_BIT_RATE = { video: 16_000, audio: 2000 }
/** Lengths that differ by less, seconds or as a share of the whole, agree: packets and rounding. */
const NEAR_S = 1
const NEAR_SHARE = 0.02

/** A packet of sound, seconds: what the ends of streams differ by. */
const PACKET_S = 0.06

/** Whether a length is beyond another by more than packets and rounding explain; seconds. */
export const isFarBeyond = (claimedS: number, foundS: number): boolean =>
  claimedS > foundS + Math.max(NEAR_S, NEAR_SHARE * foundS)

/** Where the last video or audio stream ends by its own account, seconds; undefined where one of them does not say. */
export function playedLength({ streams }: Pick<MediaInfo, 'streams'>): number | undefined {
  const played = streams.filter(({ type, isAttachedPicture }) => /^(video|audio)$/.test(type) && !isAttachedPicture)
  const ends = played.map(({ startS = 0, durationS = Number.NaN }: Stream) => startS + durationS)
  const end = Math.max(...ends)
  return Number.isFinite(end) ? end : undefined
}

/** How lengths of a file are compared: the last subtitle may be shown a moment longer than the picture. */
const comparison = ({ streams }: MediaInfo): ((claimedS: number, foundS: number) => boolean) =>
  streams.some(({ type }) => type === 'subtitle') ? (claimedS, foundS) => claimedS > foundS + PACKET_S : isFarBeyond

/** Frames by which the last packet read ends before the last frame shown: those that B-frames hold back, and its own length. */
const HELD_BACK = 4

/**
 * The length that the packets of a file have, seconds: its claim where they agree with it, since they tell it only to some
 * frames. Reads the whole file without decoding; undefined when even that does not tell.
 */
export async function packetLength(path: string, info: MediaInfo, signal?: AbortSignal): Promise<number | undefined> {
  const foundS = await measureDuration(path, signal)
  const { durationS } = info
  if (foundS === undefined || durationS === undefined || durationS < foundS) return foundS
  const { frameRate } = videoStream(info) ?? {}
  return comparison(info)(durationS, foundS + (frameRate ? HELD_BACK / frameRate : 0)) ? foundS : durationS
}

/** Whether the length that the container claims is more than its streams, or its bytes, can fill. */
export function seemsOverstated(info: MediaInfo): boolean {
  const { durationS = 0, sizeBytes } = info
  if (audioStreams(info).length + (videoStream(info) ? 1 : 0) === 0) return false
  const played = playedLength(info)
  if (played !== undefined && comparison(info)(durationS, played)) return true
  const least = videoStream(info) ? LEAST_BIT_RATE.video : LEAST_BIT_RATE.audio
  return durationS > NEAR_S && (sizeBytes * 8) / durationS < least
}

/** What is known of a file whose length is `durationS`: none of its streams is longer. Seconds. */
export function withLength(info: MediaInfo, durationS: number | undefined): MediaInfo {
  if (durationS === undefined) return { ...info, durationS }
  const streams = info.streams.map((stream) =>
    stream.durationS !== undefined && isFarBeyond(stream.durationS, durationS) ? { ...stream, durationS } : stream,
  )
  return { ...info, durationS, streams }
}

/** Formats whose header only claims a length; MP4 has a table of all samples, transport streams have times at their end. */
const CLAIMS = /^(matroska|avi|flv|asf|nut)/

/**
 * A source with the length that its packets have, for tools that fill up to the length: reads the whole file where the format
 * only claims one.
 */
export async function withPacketLength(source: AvSource, signal: AbortSignal): Promise<AvSource> {
  const { durationS, format } = source.info
  if (durationS === undefined || source.lengthIsGuessed || !CLAIMS.test(format)) return source
  const measured = await packetLength(source.path, source.info, signal)
  if (measured === undefined || measured === durationS) return source
  return { ...source, info: withLength(source.info, measured) }
}
