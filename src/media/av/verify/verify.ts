import { stat } from 'node:fs/promises'
import { type MediaInfo, probeMedia } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../../engines/ffmpeg/progress.ts'
import { MediaprocError, toMediaprocError } from '../../../errors.ts'
import { firstOf } from '../../../lists.ts'
import { counted } from '../../../wording.ts'
import { printableName } from '../../file.ts'
import { readPlain } from '../plain.ts'
import { clippingLoss } from './clipping.ts'
import { lossesOf } from './compare.ts'
import { cueLoss } from './cues.ts'
import { lengthFinding, lengthOfMany } from './length.ts'
import { lightLoss } from './light.ts'
import { streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'
import { lossSentences } from './sentences.ts'

interface VerifyOptions {
  /** The counts that ffmpeg reported while writing. */
  written: Written
  /** Part of a source could not be decoded. */
  damage: boolean
  /** Planned duration of the output, seconds. */
  durationS: number | undefined
  /** Receives the losses compared with the sources, as sentences. */
  warn(message: string): void
  signal?: AbortSignal
}

/**
 * Verifies a finished output against its plan and reports losses compared with its sources.
 * @param plans one plan per source
 * @throws MediaprocError PROCESSING_FAILED when the output cannot be read, lacks a planned stream, or has another
 * duration
 */
export async function verifyOutput(
  path: string,
  plans: readonly OutputPlan[],
  options: VerifyOptions,
): Promise<{ output: MediaInfo; isShort: boolean }> {
  const { damage, warn, signal } = options
  const output = await readBack(path, signal)
  if (!damage) for (const plan of plans) checkStreams(plan, output)
  const finding =
    plans.length === 1 ? await lengthFinding(firstOf(plans), output, options) : lengthOfMany(output, options)
  if (finding?.isFailure) throw broken(finding.sentence)
  for (const plan of plans) {
    const prefix = plans.length > 1 ? `${printableName(plan.source.name)}: ` : ''
    const measured = [
      ...(await cueLoss(path, plan, signal)),
      ...(await clippingLoss(plan, output, signal)),
      ...(await lightLoss(path, plan, output, signal)),
    ]
    const losses = [...lossesOf(plan, output), ...measured]
    for (const sentence of lossSentences(losses, plan.extension)) warn(`${prefix}${sentence}`)
  }
  if (finding) warn(finding.sentence)
  return { output, isShort: finding !== undefined }
}

/** Probes a finished file. @throws PROCESSING_FAILED when it is empty or cannot be read */
async function readBack(path: string, signal?: AbortSignal): Promise<MediaInfo> {
  const { size } = await stat(path)
  if (size === 0) throw new MediaprocError('PROCESSING_FAILED', 'ffmpeg found nothing to write')
  const plain = readPlain(path)
  if (plain) return plain
  return probeMedia(path, { ...(signal && { signal }) }).catch((error: unknown) => {
    const failure = toMediaprocError(error)
    if (failure.code !== 'INVALID_FILE') throw failure
    throw broken('it cannot be read', failure.detail)
  })
}

function checkStreams({ kept, added }: OutputPlan, output: MediaInfo): void {
  for (const of of ['video', 'audio'] as const) {
    const planned = kept[of].length + (of === 'audio' ? added.audio : 0)
    const there = streamsOf(output, of).length
    if (there < planned) throw broken(`it has ${there} of ${counted(planned, `${of} track`)}`)
  }
}

const broken = (sentence: string, detail?: string): MediaprocError =>
  new MediaprocError('PROCESSING_FAILED', `The result does not match the plan: ${sentence}`, {
    hint: { shell: 'Try another format; mediaproc doctor shows which ffmpeg is in use.' },
    ...(detail && { detail }),
  })
