import { captureFfmpeg, inputArguments } from '../../engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from './part.ts'
import { seconds, seeksToKeyFrame } from './range.ts'

/** Lines for the packets of some hours. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** Packets of the first video, as ffmpeg lists them: times in seconds, and whether a clip can begin there. */
function packetsIn(list: string): { timeS: number; isKey: boolean }[] {
  const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/m.exec(list) ?? []
  return [...list.matchAll(/^0, *-?\d+, *(-?\d+), *\d+, *\d+, *0x\w+(.*)$/gm)].map(([, pts, rest]) => ({
    timeS: (Number(pts) * Number(numerator)) / Number(denominator),
    // Flags are listed where a packet is no key frame.
    isKey: !/F=0x0/.test(rest!),
  }))
}

/**
 * The time of the last key frame of the first video that is not after a time, seconds from the start of the file; undefined
 * where it cannot be told.
 */
export async function keyFrameBefore(
  source: AvSource,
  timeS: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const map = ['-map', `0:${videoStream(source.info)!.index}`, '-c', 'copy']
  const list = async (before: string[], after: string[]): Promise<ReturnType<typeof packetsIn>> => {
    const args = [...before, ...inputArguments(source.path), ...map, ...after, '-f', 'framecrc', 'pipe:1']
    const listed = await captureFfmpeg(args, { maxOutput: MAX_LIST_BYTES, ...(signal && { signal }) })
    return packetsIn(Buffer.from(listed).toString('latin1'))
  }
  if (seeksToKeyFrame(source))
    return (await list(['-ss', seconds(timeS), '-noaccurate_seek', '-copyts', '-start_at_zero'], ['-frames:v', '1']))[0]
      ?.timeS
  const packets = await list([], ['-t', seconds(timeS + 0.001)])
  return packets.findLast((packet) => packet.isKey && packet.timeS <= timeS)?.timeS
}
