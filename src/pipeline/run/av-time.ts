import { videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../media/av/input/part.ts'
import type { AnyJob } from '../../tool/job.ts'

/**
 * Base time in seconds for every media file, plus a factor per second of length: slow encoders on slow machines need
 * about 30.
 */
const BASE_S = 300
const PER_SECOND = 60
/** Frame size in pixels above which the factor grows in proportion: 1080p. */
const USUAL_PIXELS = 1920 * 1080

/**
 * Reports the time that a step on these media files may take, so that a hanging job on a short file does not occupy a
 * slot as long as a feature film. Reports nothing if a length is unknown, or there is no input.
 */
export function limitByLength(job: Pick<AnyJob, 'limitByInput'>, sources: readonly AvSource[]): void {
  if (sources.length === 0) return
  let seconds = BASE_S
  for (const { info } of sources) {
    if (info.durationS === undefined) return
    const { displayWidth = 0, displayHeight = 0 } = videoStream(info) ?? {}
    seconds += PER_SECOND * info.durationS * Math.max(1, (displayWidth * displayHeight) / USUAL_PIXELS)
  }
  job.limitByInput?.(seconds)
}
