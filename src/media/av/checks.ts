import { mainVideo } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import { emptyTracks } from './input/empty-tracks.ts'
import type { AvSource } from './input/part.ts'
import { seeksExactly } from './range.ts'

/**
 * Rejects a start at or after the end of the file, for which ffmpeg would write an empty file without an error.
 * Seconds.
 */
export function checkStart(source: AvSource, startS: number): void {
  const { durationS } = source.info
  if (durationS === undefined || startS < durationS) return
  throw new MediaprocError(
    'INVALID_SETTINGS',
    `${printableName(source.name)} is ${Number(durationS.toFixed(2))} s long; it cannot start at ${startS} s`,
    { hint: 'Choose an earlier start.' },
  )
}

/**
 * Rejects an exact cut without a frame in it, for example after the video of a file whose audio continues. Files in
 * which seeking is exact hold the frame before it instead.
 * @param span seconds
 */
export async function checkPicture(
  source: AvSource,
  { startS, endS }: { startS: number; endS: number },
  signal: AbortSignal,
): Promise<void> {
  if (seeksExactly(source)) return
  // A video can have gaps, whatever duration the file states.
  const video = mainVideo(source.info)
  if ((await emptyTracks(source, [video], { startS, endS }, signal)).length === 0) return
  throw new MediaprocError(
    'INVALID_SETTINGS',
    `The video of ${printableName(source.name)} has no picture between ${startS} s and ${endS} s`,
    { hint: 'Choose an earlier start, or take the audio alone with extract-audio.' },
  )
}
