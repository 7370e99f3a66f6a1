import { videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../media/av/input/part.ts'
import type { Job } from '../../tool/job.ts'

/** Seconds that every recording may take, and so many for each second of it: slow encoders on slow machines take about 30. */
const BASE_S = 300
const PER_SECOND = 60
/** Pixels of a frame from which on a second takes longer accordingly: 1080p. */
const USUAL_PIXELS = 1920 * 1080

/**
 * Tells how long a step on these recordings may take: a short one whose work does not end must not keep a place for as long as
 * a film may. Nothing is told where a length is not known, or no input has one.
 */
export function limitByLength(job: Pick<Job, 'limitByInput'>, sources: readonly AvSource[]): void {
  if (sources.length === 0) return
  let seconds = BASE_S
  for (const { info } of sources) {
    if (info.durationS === undefined) return
    const { displayWidth = 0, displayHeight = 0 } = videoStream(info) ?? {}
    seconds += PER_SECOND * info.durationS * Math.max(1, (displayWidth * displayHeight) / USUAL_PIXELS)
  }
  job.limitByInput?.(seconds)
}
