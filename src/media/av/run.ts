import { rm, stat } from 'node:fs/promises'
import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { ProgressListener, Written } from '../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import { beginsEarlier, shorterThanPlanned } from './deviations.ts'
import { type AvPlan, planAv } from './graph.ts'
import type { AvPart, AvSource } from './part.ts'
import { prepare } from './prepare.ts'
import type { Prepared } from './prepared.ts'

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
  const { warn = () => {}, ...running } = options
  const { signal } = running
  const asked = planAv(source, parts, outputPath)
  let prepared: Prepared = {}
  try {
    prepared = await prepare(source, asked, outputPath, signal)
    const plan = planAv(source, parts, outputPath, prepared)
    for (const message of [...plan.losses, ...beginsEarlier(prepared.cut)]) warn(message)
    const written: Written = {}
    let damage: string | undefined
    await runFfmpeg(plan.arguments, {
      ...{ ...running, written, durationS: plan.durationS },
      warn: (message) => {
        damage = message
      },
    })
    // A damaged file is read to its end without a word where nothing in it could be decoded.
    if (written.frames === 0)
      throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} holds no picture that can be decoded`)
    if (written.frames === undefined && !written.lengthS)
      throw new MediaprocError('INVALID_FILE', `${printableName(source.name)} holds no sound that can be decoded`)
    const { size } = await stat(outputPath)
    if (size === 0) throw new MediaprocError('PROCESSING_FAILED', 'ffmpeg found nothing to write')
    if (parts.some(({ isMeantSmaller }) => isMeantSmaller) && size >= (await stat(source.path)).size)
      warn('the result is not smaller than its source, which was compressed as far already')
    const shorter = await shorterThanPlanned(source, plan, outputPath, written, signal)
    // In a film, sound that is sought begins within a packet, which ffmpeg takes for damage.
    const isSought = prepared.cut !== undefined && prepared.cut.startS > 0 && videoStream(source.info) !== undefined
    const message = shorter ?? (isSought ? undefined : damage)
    if (message) warn(message)
    return plan
  } catch (error) {
    await rm(outputPath, { force: true })
    throw error
  } finally {
    for (const { path } of prepared.texts ?? []) await rm(path, { force: true })
  }
}
