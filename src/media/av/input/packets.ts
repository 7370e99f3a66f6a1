import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainAudio, mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import { eachPlainFrame, plainKeyFrame } from '../mp4/frames.ts'
import { lacksTimes, seconds, seeksToKeyFrame } from '../range.ts'
import { type Packet, packetReader } from './packet-list.ts'
import type { AvSource } from './part.ts'

/** Which packets are listed. */
interface PacketRange {
  /** Index of the stream. */
  stream: number
  /** The list starts with the packet that seeking to this time finds, seconds; by default to `timeS`. */
  fromS?: number
}

/** How long after the time the list of frames ends, seconds. */
const AFTER_S = 0.1

/**
 * Lists the frames of a stream in file order: from the frame that seeking to a time finds (or the first frame when
 * seeking is not exact) to a few frames after the time. Packets without a time are skipped.
 */
async function eachPacket(
  source: AvSource,
  timeS: number,
  { stream, fromS = timeS }: PacketRange,
  onPacket: (packet: Packet) => void,
  signal?: AbortSignal,
): Promise<void> {
  const seek = seeksToKeyFrame(source) ? ['-ss', seconds(fromS), '-noaccurate_seek', '-copyts', '-start_at_zero'] : []
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...seek, ...inputArguments(source.path)],
    ...['-map', `0:${stream}`, '-c', 'copy'],
    ...['-to', seconds(timeS + AFTER_S)],
    ...['-f', 'framecrc', 'pipe:1'],
  ]
  const reader = packetReader(({ timeS: shownS, decodedS, isKey }) => {
    if (shownS !== undefined && decodedS !== undefined) onPacket({ timeS: shownS, decodedS, isKey })
  })
  await streamFfmpeg(args, reader, { what: 'Reading the packets', ...(signal && { signal }) })
}

/** Lists the frames of the first video stream around a time, as `eachPacket` does; all earlier ones if that takes no program. */
export async function eachFrameUpTo(
  source: AvSource,
  timeS: number,
  onPacket: (packet: Packet) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { index } = mainVideo(source.info)
  const isListed = eachPlainFrame(source.path, index, (packet) => {
    if (packet.decodedS < timeS + AFTER_S) onPacket(packet)
  })
  if (!isListed) await eachPacket(source, timeS, { stream: index }, onPacket, signal)
}

/** More than the interval at which audio packets can be found by seeking, seconds. */
const SOUND_SEEK_S = 2

/**
 * The time of the packet before the one that plays at the given time, seconds: decoders of overlapping blocks return no
 * samples for the first packet of a file.
 */
export async function soundBefore(source: AvSource, timeS: number, signal?: AbortSignal): Promise<number> {
  const range = { stream: mainAudio(source.info).index, fromS: Math.max(0, timeS - SOUND_SEEK_S) }
  let [beforeS, lastS] = [0, 0]
  const onPacket = (packet: Packet): void => {
    if (packet.timeS <= timeS) [beforeS, lastS] = [lastS, packet.timeS]
  }
  await eachPacket(source, timeS, range, onPacket, signal)
  return beforeS
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
  const { index } = mainVideo(source.info)
  const plain = plainKeyFrame(source.path, index, timeS)
  if (plain) return plain
  let [first, lastKey]: (Packet | undefined)[] = []
  const onPacket = (packet: Packet): void => {
    first ??= packet
    if (packet.isKey && packet.timeS <= timeS) lastKey = packet
  }
  await eachPacket(source, timeS, { stream: index }, onPacket, signal)
  return seeksToKeyFrame(source) ? first : lastKey
}
