import { captureFfmpeg, inputArguments } from '../../../engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { lacksTimes, seconds, seeksToKeyFrame } from '../range.ts'
import type { AvSource } from './part.ts'

/** Lines for the packets of some hours. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** A frame as it stands in the file, not decoded. */
export interface Packet {
  /** When it is shown, seconds from the start of the file. */
  timeS: number
  /** When it is decoded: earlier, where frames that are shown before it need it. */
  decodedS: number
  /** Whether a clip can begin here. */
  isKey: boolean
}

/** Packets as ffmpeg lists them; those without a time are left out. */
function packetsIn(list: string): Packet[] {
  const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/m.exec(list) ?? []
  return [...list.matchAll(/^0, *(-?\d{1,17}), *(-?\d{1,17}), *\d+, *\d+, *0x\w+(.*)$/gm)].map(
    ([, dts, pts, rest]) => ({
      timeS: (Number(pts) * Number(numerator)) / Number(denominator),
      decodedS: (Number(dts) * Number(numerator)) / Number(denominator),
      // Flags are listed where a packet is no key frame.
      isKey: !/F=0x0/.test(rest!),
    }),
  )
}

/**
 * The frames of the first video, in the order of the file: from the one that seeking to a time finds (from the first one
 * where seeking is not exact) up to some that come after the time.
 */
export async function packetsUpTo(source: AvSource, timeS: number, signal?: AbortSignal): Promise<Packet[]> {
  const seek = seeksToKeyFrame(source) ? ['-ss', seconds(timeS), '-noaccurate_seek', '-copyts', '-start_at_zero'] : []
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...seek, ...inputArguments(source.path)],
    ...['-map', `0:${videoStream(source.info)!.index}`, '-c', 'copy'],
    ...['-to', seconds(timeS + 0.1)],
    ...['-f', 'framecrc', 'pipe:1'],
  ]
  const listed = await captureFfmpeg(args, { maxOutput: MAX_LIST_BYTES, ...(signal && { signal }) })
  return packetsIn(Buffer.from(listed).toString('latin1'))
}

/**
 * The key frame that a copy from a time on begins with: the last one that is not after it; undefined where it cannot be told.
 * A copy that is cut while it is written is cut by the time of decoding.
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
