import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../../engines/ffmpeg/ffprobe.ts'
import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'

/** Enough for a filter that reports every silence of an hour, bytes. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024

/**
 * Returns the report of ffmpeg's measuring filters for the first audio stream, which is decoded once.
 * @param filters complete filters, in order
 */
export function reportOf(
  source: AvSource,
  filters: readonly string[],
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<string> {
  const { index } = mainAudio(source.info)
  const { durationS } = source.info
  return runFfmpeg(
    [...inputArguments(source.path), '-map', `0:${index}`, '-af', filters.join(','), '-f', 'null', '-'],
    {
      signal,
      durationS,
      ...(onProgress && { onProgress }),
      logLevel: 'info',
      maxOutput: MAX_REPORT_BYTES,
      what: 'Measuring',
    },
  )
}
