import { audioStreams, type MediaInfo, mainVideo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** What the bytes of a result are spent on. */
export interface Budget {
  videoKbps: number
  /** For each audio stream, in order. */
  audioKbps: readonly number[]
}

/** The part of the limit that the first encode aims at: rate control misses its target by one or two percent. */
export const AIM = 0.975

/** Bytes of the container per packet (sample tables of MP4, block headers of Matroska), and per file. */
const PACKET_BYTES = 14
const FILE_BYTES = 4000
/** Packets of audio per second: AAC has 1024 samples. */
const AUDIO_PACKETS = 47
const USUAL_FPS = 25

/** Audio gets at most this share of the bits, from the first of these rates that fits, kbit/s for one or two channels. */
const AUDIO_SHARE = 0.2
const AUDIO_RATES = [128, 96, 64, 48, 32]
const MONO_PART = 0.5
/** More than two channels are kept at this rate, and mixed down to two below it, kbit/s. */
const SURROUND_RATE = 256

/** Below this rate no encoder makes video of any size, kbit/s. */
export const LEAST_VIDEO_KBPS = 8

/** Heights that a video is reduced to, px. */
const HEIGHTS = [1440, 1080, 720, 540, 480, 360, 240]
/** Height for which LEAST_BITS holds, px; larger pictures need fewer bits per pixel, after the 0.75 power of their area. */
const MEASURED_HEIGHT = 480
/**
 * Bits per pixel below which a lower resolution, enlarged by the player, has the higher SSIM: measured for H.264 with two
 * videos (bench/looks.md). The other codecs need about the given part of its bits.
 */
const LEAST_BITS = { h264: 0.025, hevc: 0.018, vp9: 0.018, av1: 0.014 } as const

/** Bytes of a file that are not media data. */
function containerBytes(info: MediaInfo, durationS: number): number {
  const { frameRate = USUAL_FPS } = mainVideo(info)
  const packets = (frameRate + audioStreams(info).length * AUDIO_PACKETS) * durationS
  return FILE_BYTES + packets * PACKET_BYTES
}

/** Whether the streams of a file fit into a size when they are copied into another container. */
export const fitsAsCopy = (info: MediaInfo, durationS: number, bytes: number): boolean =>
  info.sizeBytes + containerBytes(info, durationS) <= bytes

function audioRate({ channels = 2 }: Stream, mostKbps: number): number {
  if (channels > 2 && mostKbps >= SURROUND_RATE) return SURROUND_RATE
  const part = channels === 1 ? MONO_PART : 1
  return (AUDIO_RATES.find((rate) => rate * part <= mostKbps) ?? AUDIO_RATES.at(-1) ?? 0) * part
}

/** How a size is divided between video and audio. The video's rate may be negative: then the size is unreachable. */
export function budgetFor(info: MediaInfo, durationS: number, bytes: number): Budget {
  const totalKbps = ((bytes * AIM - containerBytes(info, durationS)) * 8) / 1000 / durationS
  const tracks = audioStreams(info)
  const audioKbps = tracks.map((stream) => audioRate(stream, (totalKbps * AUDIO_SHARE) / tracks.length))
  return { audioKbps, videoKbps: totalKbps - audioKbps.reduce((sum, rate) => sum + rate, 0) }
}

/** Codec options of the audio: its rates, and two channels where the rate is too low for more. */
export function audioOptions(
  info: MediaInfo,
  { audioKbps }: Budget,
  encoder: string,
): { options: string[]; isMixed: boolean } {
  const streams = audioStreams(info)
  const mixed = audioKbps.map((rate, position) => rate < SURROUND_RATE && (streams[position]?.channels ?? 2) > 2)
  const options = audioKbps.flatMap((rate, position) => [
    ...[`-b:a:${position}`, `${rate}k`],
    ...(mixed[position] ? [`-ac:a:${position}`, '2'] : []),
  ])
  return { options: ['-c:a', encoder, ...options], isMixed: mixed.includes(true) }
}

/** The smallest size that can be tried for a video, bytes. */
export function leastBytes(info: MediaInfo, durationS: number): number {
  const { audioKbps } = budgetFor(info, durationS, 0)
  const kbps = audioKbps.reduce((sum, rate) => sum + rate, LEAST_VIDEO_KBPS)
  return Math.ceil((containerBytes(info, durationS) + (kbps * 1000 * durationS) / 8) / AIM)
}

/**
 * The largest usual height, px, at which a rate is not hopeless; the height of the video if it is not.
 * @param size of the video as displayed, px
 */
export function heightFor(
  size: { width: number; height: number; fps?: number | undefined },
  videoKbps: number,
  codec: keyof typeof LEAST_BITS,
): number {
  const { width, height, fps = USUAL_FPS } = size
  const bitsAt = (lines: number): number => (videoKbps * 1000) / (((width * lines) / height) * lines * fps)
  const heights = [height, ...HEIGHTS.filter((lines) => lines < height)]
  const least = (lines: number): number => LEAST_BITS[codec] * Math.sqrt(MEASURED_HEIGHT / lines)
  return heights.find((lines) => bitsAt(lines) >= least(lines)) ?? heights.at(-1) ?? height
}
