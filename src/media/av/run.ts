import { rm, stat } from 'node:fs/promises'
import { type MediaInfo, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { ProgressListener } from '../../engines/ffmpeg/progress.ts'
import { beginsEarlier, withoutTracks } from './cut-warnings.ts'
import { type AvPlan, planAv } from './filters/graph.ts'
import type { AvPart, AvSource } from './input/part.ts'
import { prepare } from './input/prepare.ts'
import type { Prepared } from './input/prepared.ts'
import { announcePicture, studyPicture } from './picture/study.ts'
import type { Pass } from './target-size/passes.ts'
import { writeToTarget } from './target-size/write-to-target.ts'
import type { OutputPlan } from './verify/output-plan.ts'
import { type WriteOptions, writeMedia } from './write.ts'

export interface AvRunOptions {
  signal?: AbortSignal
  timeoutMs?: number
  onProgress?: ProgressListener
  /** Receives the losses of the output compared with the source, and advice about choices without a loss. */
  warn?(message: string, manner?: 'advice'): void
  /** What the output is compared with, instead of the source: the plans of the file that the source is a part of. */
  plans?: readonly OutputPlan[]
}

/**
 * Executes a run of parts as one ffmpeg command.
 * @param outputPath overwritten if it exists; removed when the run fails
 * @returns what the output contains
 * @throws MediaprocError ENGINE_UNAVAILABLE, ENCODER_MISSING, INVALID_FILE, PROCESSING_FAILED, CANCELED, TIMEOUT
 */
export async function runAv(
  source: AvSource,
  parts: readonly AvPart[],
  outputPath: string,
  options: AvRunOptions = {},
): Promise<MediaInfo> {
  const { warn = () => {}, plans, ...running } = options
  const asked = planAv(source, parts, outputPath)
  let prepared: Prepared = {}
  try {
    prepared = await prepare(source, asked, outputPath, running.signal)
    if (asked.encoded) prepared.picture = await studyPicture(source, asked.encoded, asked.asked, running.signal)
    const planOf = (pass?: Pass): AvPlan => planAv(source, parts, outputPath, pass ? { ...prepared, pass } : prepared)
    const plan = planOf()
    if (plan.picture) await announcePicture(plan.picture, warn)
    for (const message of beginsEarlier(prepared.cut)) warn(message)
    if (prepared.emptyTracks) warn(withoutTracks(source.info, prepared.emptyTracks))
    const write: WriteOptions = {
      ...{ ...running, path: outputPath, plans: plans ?? [plan.output], frames: plan.frames, warn },
      durationS: plan.durationS,
      // In a video, seeking starts audio inside a packet, which ffmpeg reports as damage.
      ignoresDamage: (prepared.cut?.startS ?? 0) > 0 && videoStream(source.info) !== undefined,
    }
    const target = parts.at(-1)?.target
    const output = await (target ? writeToTarget(target, planOf, write) : writeMedia(plan.arguments, write))
    if (parts.some(({ isMeantSmaller }) => isMeantSmaller)) {
      const [before, after] = await Promise.all([source.path, outputPath].map((path) => stat(path)))
      if (after!.size >= before!.size)
        warn('the result is not smaller than its source, which was already compressed as much')
    }
    return output
  } finally {
    for (const { path } of prepared.texts ?? []) await rm(path, { force: true })
    for (const path of [prepared.coverTags, prepared.chapters]) if (path) await rm(path, { force: true })
  }
}
