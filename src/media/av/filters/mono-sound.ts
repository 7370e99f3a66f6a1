import { open } from 'node:fs/promises'
import { runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import { printableName } from '../../file.ts'
import type { AvSource } from '../input/part.ts'
import { sourceInput } from '../input/source-input.ts'

/** Input sample rate of the speech models, Hz. */
export const SPEECH_RATE = 16_000

const SAMPLE_BYTES = 2

/** The audio of a media file as one channel at `SPEECH_RATE`, read in chunks because it may be hours long. */
export interface MonoSound {
  /** The number of samples. */
  readonly length: number
  /** Returns samples from -1 to 1; the range must be inside the audio. */
  read(from: number, to: number): Promise<Float32Array>
  close(): Promise<void>
}

/** Options for decoding audio. */
export interface DecodeSoundOptions {
  signal: AbortSignal
  warn(message: string): void
  onProgress(fraction: number): void
}

/**
 * Decodes the first audio track of a source into a file (115 MB per hour), so that only the chunk in use is in memory.
 * Times are those of the media file: late starts and gaps in the audio are filled with silence.
 * @param path output path for the samples
 * @throws MediaprocError UNSUPPORTED_FILE_TYPE when the source has no audio
 */
export async function decodeMonoSound(source: AvSource, path: string, options: DecodeSoundOptions): Promise<MonoSound> {
  const { signal, warn, onProgress } = options
  const shown = printableName(source.name)
  const [stream, ...others] = audioStreams(source.info)
  if (!stream) throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${shown} has no audio to listen to`)
  if (others.length > 0) warn(`only the first of the ${others.length + 1} audio tracks is used`)
  const filter = `aresample=${SPEECH_RATE}:async=1:first_pts=0`
  const output = ['-vn', '-ac', '1', '-af', filter, '-c:a', 'pcm_s16le', '-f', 's16le', `file:${path}`]
  const { durationS } = source.info
  await runFfmpeg([...sourceInput(source), '-map', `0:${stream.index}`, ...output], {
    ...{ signal, warn, onProgress, durationS },
    what: 'Decoding the audio',
  })
  const file = await open(path)
  const length = Math.floor((await file.stat()).size / SAMPLE_BYTES)
  return {
    length,
    async read(from, to) {
      const samples = new Int16Array(Math.max(0, Math.min(to, length) - from))
      const bytes = Buffer.from(samples.buffer)
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from * SAMPLE_BYTES + at)
        if (bytesRead === 0) throw new MediaprocError('INTERNAL', 'The decoded audio became shorter')
        at += bytesRead
      }
      const result = new Float32Array(samples.length)
      for (let index = 0; index < samples.length; index += 1) result[index] = samples[index]! / 32_768
      return result
    },
    close: () => file.close(),
  }
}
