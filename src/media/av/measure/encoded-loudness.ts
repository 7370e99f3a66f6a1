import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../../engines/ffmpeg/ffprobe.ts'
import { encoderOf } from '../codecs.ts'
import type { AvSource } from '../input/part.ts'
import { type Loudness, loudnessOf } from './loudness.ts'

/** Whether an encoder changes the samples, and therefore their peaks. */
export const isLossy = (audioOptions: readonly string[]): boolean =>
  !/^(pcm_|flac$|alac$)/.test(encoderOf(audioOptions, 'a') ?? 'pcm_')

interface EncodeOptions {
  audioOptions: readonly string[]
  signal: AbortSignal
  scratch(): Promise<string>
  onProgress(fraction: number): void
}

/** The encoder's share of the work; the rest decodes and measures. */
const ENCODING_SHARE = 0.6

/**
 * Measures the loudness of the first audio stream as a listener receives it: after the filters, a lossy encoder and its
 * decoder.
 * @param filters complete filters applied before the encoder
 * @throws PROCESSING_FAILED when ffmpeg reports no values, ENCODER_MISSING
 */
export async function encodedLoudness(
  source: AvSource,
  filters: readonly string[],
  { audioOptions, signal, scratch, onProgress }: EncodeOptions,
): Promise<Loudness> {
  const stream = mainAudio(source.info)
  const { durationS } = source.info
  // Matroska holds every codec.
  const path = join(await scratch(), 'encoded.mka')
  try {
    await runFfmpeg(
      [
        ...[...inputArguments(source.path), '-map', `0:${stream.index}`, '-map_metadata', '-1', '-map_chapters', '-1'],
        ...['-af', filters.join(','), ...audioOptions, '-f', 'matroska', `file:${path}`],
      ],
      { signal, durationS, what: 'Measuring', onProgress: (part) => onProgress(part * ENCODING_SHARE) },
    )
    const encoded = { ...source, path, info: { ...source.info, streams: [{ ...stream, index: 0 }] } }
    return await loudnessOf(encoded, [], signal, (part) => onProgress(ENCODING_SHARE + part * (1 - ENCODING_SHARE)))
  } finally {
    await rm(path, { force: true })
  }
}
