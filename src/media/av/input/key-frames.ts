import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { audioStreams, mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import { lacksTimes } from '../range.ts'
import { addPlayed, playedTime } from './coverage.ts'
import { type ListedPacket, packetReader } from './packet-list.ts'
import type { AvSource, PlayedTime } from './part.ts'

/** A key frame of the first video. */
export interface KeyFrame {
  /** Seconds from the start of the file. */
  timeS: number
  /** Bytes of all streams that are stored before it. */
  offset: number
}

/** What reading the packets of a file finds. */
export interface Survey {
  keys: KeyFrame[]
  /** Of all video and audio. */
  bytes: number
  /** When the last frame of the first video begins, seconds. */
  lastS: number
  /** When the audio tracks play, by stream index. */
  played: Map<number, PlayedTime[]>
}

/**
 * Lists the key frames of the first video with the time of its last frame, and when the audio tracks play, and counts
 * the bytes of all video and audio, by reading the file once.
 */
export async function listKeyFrames(source: AvSource, signal: AbortSignal): Promise<Survey> {
  const { index } = mainVideo(source.info)
  const keys: KeyFrame[] = []
  let [bytes, lastS] = [0, 0]
  const audios = audioStreams(source.info)
  const played = new Map(audios.map((audio): [number, PlayedTime[]] => [audio.index, []]))
  const onPacket = (packet: ListedPacket): void => {
    const { position, timeS, size, isKey } = packet
    if (position === 0 && timeS !== undefined) {
      lastS = Math.max(lastS, timeS)
      if (isKey) keys.push({ timeS, offset: bytes })
    }
    const audio = audios[position - 1]
    const time = audio && playedTime(source, audio, packet)
    if (time) addPlayed(played.get(audio.index) ?? [], time)
    bytes += size
  }
  const args = [
    ...[...(lacksTimes(source) ? ['-fflags', '+genpts'] : []), ...inputArguments(source.path)],
    ...[index, ...audios.map((audio) => audio.index)].flatMap((one) => ['-map', `0:${one}`]),
    ...['-c', 'copy', '-f', 'framecrc', 'pipe:1'],
  ]
  await streamFfmpeg(args, packetReader(onPacket), { signal, what: 'Reading the packets' })
  return { keys, bytes, lastS, played }
}
