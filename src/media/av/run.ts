import { rm, stat } from 'node:fs/promises'
import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import type { ProgressListener, Written } from '../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import { deviations } from './deviations.ts'
import { type AvPlan, planAv } from './graph.ts'
import type { AvPart, AvSource } from './part.ts'

export interface AvRunOptions {
  signal?: AbortSignal
  timeoutMs?: number
  onProgress?: ProgressListener
  /** Told what the output lacks of the source. */
  warn?(message: string): void
}

/**
 * Runs a run of parts as one ffmpeg command.
 * @param outputPath overwritten when it is there; removed again when the run fails
 * @returns the plan that was carried out
 * @throws MediaprocError ENGINE_UNAVAILABLE, ENCODER_MISSING, INVALID_FILE, PROCESSING_FAILED, CANCELED, TIMEOUT
 */
export async function runAv(
  source: AvSource,
  parts: readonly AvPart[],
  outputPath: string,
  options: AvRunOptions = {},
): Promise<AvPlan> {
  const plan = planAv(source, parts, outputPath)
  try {
    const written: Written = {}
    const { warn, ...running } = options
    const { signal } = running
    for (const loss of plan.losses) warn?.(loss)
    await runFfmpeg(plan.arguments, { ...running, written, durationS: plan.durationS })
    // A damaged file is read to its end without a word where nothing in it could be decoded.
    if (written.frames === 0)
      throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} holds no picture that can be decoded`)
    const { size } = await stat(outputPath)
    if (size === 0) throw new MediaprocError('PROCESSING_FAILED', 'ffmpeg found nothing to write')
    if (warn) for (const message of await deviations(source, plan, outputPath, written, signal)) warn(message)
  } catch (error) {
    await rm(outputPath, { force: true })
    throw error
  }
  return plan
}
