import { inputArguments, runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'

/** Enough for the report of a frame for each second of a day, bytes. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024
/** Frames are compared at this width: faster, and noise does not count. */
const COMPARED_WIDTH = 320

export interface SceneOptions {
  /** How different a frame must be from the one before, 0 to 1: ffmpeg's scene score. */
  threshold: number
  /** A scene that would be shorter is part of the one before, seconds. */
  minSceneS: number
  signal: AbortSignal
  onProgress?: ProgressListener
}

/** The times at which scenes start, without the first one, seconds. */
export async function sceneChanges(
  source: AvSource,
  { threshold, minSceneS, signal, onProgress }: SceneOptions,
): Promise<number[]> {
  const filters = [`scale=${COMPARED_WIDTH}:-2:flags=area`, `select=gt(scene\\,${threshold})`, 'showinfo']
  const { index } = mainVideo(source.info)
  const report = await runFfmpeg(
    [
      ...[...inputArguments(source.path), '-map', `0:${index}`, '-vf', filters.join(',')],
      ...['-vsync', 'passthrough', '-f', 'null', '-'],
    ],
    {
      ...{ signal, durationS: source.info.durationS, logLevel: 'info', maxOutput: MAX_REPORT_BYTES },
      ...{ what: 'Finding scenes', ...(onProgress && { onProgress }) },
    },
  )
  const { durationS = Number.POSITIVE_INFINITY } = source.info
  const changes: number[] = []
  for (const [, time] of report.matchAll(/ pts_time:(-?[\d.]+)/g)) {
    const timeS = Number(time)
    if (timeS - (changes.at(-1) ?? 0) >= minSceneS && durationS - timeS >= minSceneS) changes.push(timeS)
  }
  return changes
}
