import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import { lacksTimes } from '../range.ts'
import type { AvSource } from './part.ts'

/** A key frame of the first video. */
export interface KeyFrame {
  /** Seconds from the start of the file. */
  timeS: number
  /** Bytes of all streams that are stored before it. */
  offset: number
}

/** Lists the key frames of the first video, and counts the bytes of all video and audio, by reading the file once. */
export async function listKeyFrames(
  source: AvSource,
  signal: AbortSignal,
): Promise<{ keys: KeyFrame[]; bytes: number }> {
  const { index } = mainVideo(source.info)
  const keys: KeyFrame[] = []
  let [bytes, rest, tick] = [0, '', 0]
  const readLine = (line: string): void => {
    const unit = /^#tb 0: (\d+)\/(\d+)/.exec(line)
    if (unit) tick = Number(unit[1]) / Number(unit[2])
    const [, stream, time, size, flags] =
      /^(\d+), *-?\d+, *(-?\d+), *-?\d+, *(\d+), *0x\w+(?:, *F=0x(\w+))?/.exec(line) ?? []
    if (size === undefined) return
    const isKey = flags === undefined || (Number.parseInt(flags, 16) & 1) === 1
    if (stream === '0' && isKey) keys.push({ timeS: Number(time) * tick, offset: bytes })
    bytes += Number(size)
  }
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...inputArguments(source.path)],
    ...['-map', `0:${index}`, '-map', '0:a?', '-c', 'copy', '-f', 'framecrc', 'pipe:1'],
  ]
  const onData = (chunk: Buffer): void => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) readLine(line)
  }
  await streamFfmpeg(args, onData, { signal, what: 'Reading the packets' })
  readLine(rest)
  return { keys, bytes }
}
