import { readAnswer } from '../../engines/ffmpeg/ffprobe-answer.ts'
import type { MediaInfo } from '../../engines/ffmpeg/media-info.ts'
import type { RawStream } from './doubt.ts'

/** ffprobe reports durations in microseconds. */
const MICROSECONDS = 1_000_000

interface Sound {
  /** The demuxer's name. */
  format: string
  sizeBytes: number
  /** Of each channel. */
  samples: number
  sampleRate: number
  tags: Record<string, string>
  /** What else ffprobe reports of the stream. */
  stream: RawStream
}

/** How long audio is as ffprobe states it, in microseconds. */
export const soundDuration = (samples: number, sampleRate: number): number =>
  Math.round((samples * MICROSECONDS) / sampleRate)

/** What ffprobe reports of a file with one audio stream, which is at least a microsecond long. */
export function soundInfo({ format, sizeBytes, samples, sampleRate, tags, stream }: Sound): MediaInfo {
  const microseconds = soundDuration(samples, sampleRate)
  const duration = String(microseconds / MICROSECONDS)
  const bitRate = Math.floor((sizeBytes * 8 * MICROSECONDS) / microseconds)
  return readAnswer(
    {
      format: { format_name: format, duration, bit_rate: String(bitRate), tags },
      streams: [{ ...stream, index: 0, codec_type: 'audio', sample_rate: String(sampleRate), duration }],
    },
    sizeBytes,
  )
}
