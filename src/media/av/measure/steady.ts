import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import { type ListedPacket, packetReader } from '../input/packet-list.ts'
import type { AvSource } from '../input/part.ts'

/**
 * Whether there is a frame for every tick of the declared rate: some files declare a constant rate but do not have one.
 */
export async function isSteady({ path, info }: AvSource, frameRate: number, signal: AbortSignal): Promise<boolean> {
  const { index, variableRate, durationS } = mainVideo(info)
  if (variableRate) return false
  let [frames, firstS, lastS] = [0, Infinity, -Infinity]
  const onPacket = ({ timeS }: ListedPacket): void => {
    frames += 1
    if (timeS === undefined) return
    firstS = Math.min(firstS, timeS)
    lastS = Math.max(lastS, timeS)
  }
  await streamFfmpeg(
    [...inputArguments(path), '-map', `0:${index}`, '-c', 'copy', '-f', 'framecrc', 'pipe:1'],
    packetReader(onPacket),
    { signal, what: 'Counting the frames' },
  )
  // The file can be longer than its video, for example FLV, which states no duration of streams.
  const lengthS = durationS ?? lastS - firstS + 1 / frameRate
  return Math.abs(frames - lengthS * frameRate) < 1.5
}
