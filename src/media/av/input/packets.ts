import { captureFfmpeg, inputArguments } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainAudio, mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import { lacksTimes, seconds, seeksToKeyFrame } from '../range.ts'
import type { AvSource } from './part.ts'

/** Enough for the packet list of several hours. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** A frame as stored in the file, not decoded. */
export interface Packet {
  /** Presentation time, seconds from the start of the file. */
  timeS: number
  /** Decoding time: earlier when frames that are displayed before it depend on it. */
  decodedS: number
  /** Whether a clip can start here (key frame). */
  isKey: boolean
}

/** Parses ffmpeg's packet list; packets without a timestamp are skipped. */
function packetsIn(list: string): Packet[] {
  const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/m.exec(list) ?? []
  return [...list.matchAll(/^0, *(-?\d{1,17}), *(-?\d{1,17}), *\d+, *\d+, *0x\w+(.*)$/gm)].map(
    ([, dts, pts, rest = '']) => ({
      timeS: (Number(pts) * Number(numerator)) / Number(denominator),
      decodedS: (Number(dts) * Number(numerator)) / Number(denominator),
      // Flags are listed when a packet is not a key frame.
      isKey: !/F=0x0/.test(rest),
    }),
  )
}

/** Which packets are listed. */
interface PacketRange {
  /** Index of the stream. */
  stream: number
  /** The list starts with the packet that seeking to this time finds, seconds; by default to `timeS`. */
  fromS?: number
}

/**
 * The frames of a stream in file order: from the frame that seeking to a time finds (or the first frame when seeking is
 * not exact) to a few frames after the time.
 */
async function listed(
  source: AvSource,
  timeS: number,
  { stream, fromS = timeS }: PacketRange,
  signal?: AbortSignal,
): Promise<Packet[]> {
  const seek = seeksToKeyFrame(source) ? ['-ss', seconds(fromS), '-noaccurate_seek', '-copyts', '-start_at_zero'] : []
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...seek, ...inputArguments(source.path)],
    ...['-map', `0:${stream}`, '-c', 'copy'],
    ...['-to', seconds(timeS + 0.1)],
    ...['-f', 'framecrc', 'pipe:1'],
  ]
  const list = await captureFfmpeg(args, { maxOutput: MAX_LIST_BYTES, ...(signal && { signal }) })
  return packetsIn(Buffer.from(list).toString('latin1'))
}

/** The frames of the first video stream around a time, as `listed` returns them. */
export const packetsUpTo = (source: AvSource, timeS: number, signal?: AbortSignal): Promise<Packet[]> =>
  listed(source, timeS, { stream: mainVideo(source.info).index }, signal)

/** More than the interval at which audio packets can be found by seeking, seconds. */
const SOUND_SEEK_S = 2

/**
 * The time of the packet before the one that plays at the given time, seconds: decoders of overlapping blocks return no
 * samples for the first packet of a file.
 */
export async function soundBefore(source: AvSource, timeS: number, signal?: AbortSignal): Promise<number> {
  const range = { stream: mainAudio(source.info).index, fromS: Math.max(0, timeS - SOUND_SEEK_S) }
  const earlier = (await listed(source, timeS, range, signal)).filter((packet) => packet.timeS <= timeS)
  return earlier.at(-2)?.timeS ?? 0
}

/**
 * The key frame at which a copy from a given time starts: the last one not after that time; undefined if unknown. A
 * copy that is cut while writing is cut by decoding time.
 */
export async function keyFrameBefore(
  source: AvSource,
  timeS: number,
  signal?: AbortSignal,
): Promise<Packet | undefined> {
  const packets = await packetsUpTo(source, timeS, signal)
  if (seeksToKeyFrame(source)) return packets[0]
  return packets.findLast((packet) => packet.isKey && packet.timeS <= timeS)
}
