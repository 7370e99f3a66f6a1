import { rm } from 'node:fs/promises'
import { runFfmpeg } from '../../engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'
import type { FrameProgress, ProgressListener, Written } from '../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../file.ts'
import { lengthGuard } from './length-guard.ts'
import type { OutputPlan } from './verify/output-plan.ts'
import { verifyOutput } from './verify/verify.ts'

export interface WriteOptions {
  /** Written by the command; removed when it fails. */
  path: string
  /** The plans of the output, one per source; none for output made from images. */
  plans: readonly OutputPlan[]
  /** Duration of the output, seconds. */
  durationS?: number | undefined
  /** Receives losses compared with the sources, and a notice when a source is damaged. */
  warn(message: string): void
  /** Damage that ffmpeg reports is ignored, for example for packets before a cut. */
  ignoresDamage?: boolean
  signal?: AbortSignal
  timeoutMs?: number
  onProgress?: ProgressListener
  /** How progress counts frames. */
  frames?: FrameProgress | undefined
  /** Name of the operation for error messages. */
  what?: string
  /** Working directory of the command. */
  cwd?: string
}

/**
 * Runs an ffmpeg command that writes a result, and compares the result with its sources. Every video and audio file
 * that a tool returns is written by this function.
 * @param args ffmpeg arguments; the output is `path`
 * @returns what the output contains
 * @throws MediaprocError ENGINE_UNAVAILABLE, ENCODER_MISSING, INVALID_FILE, PROCESSING_FAILED, CANCELED, TIMEOUT
 */
export async function writeMedia(args: readonly string[], options: WriteOptions): Promise<MediaInfo> {
  const { path, plans, warn, ignoresDamage = false, ...running } = options
  try {
    const written: Written = {}
    let damage: string | undefined
    const guard = lengthGuard(plans, options.durationS, options.signal)
    await runFfmpeg(args, {
      ...{ ...running, written, ...guard },
      warn: (message) => {
        damage = message
      },
    })
    checkWritten(written, plans)
    const { durationS, signal } = options
    const found = { written, damage: damage !== undefined, durationS, warn, ...(signal && { signal }) }
    const { output, isShort } = await verifyOutput(path, plans, found)
    if (damage && !isShort && !ignoresDamage) warn(damage)
    return output
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** ffmpeg reads a damaged file to the end without an error even if nothing in it could be decoded. */
function checkWritten({ frames, lengthS }: Written, [first]: readonly OutputPlan[]): void {
  if (!first) return
  const name = printableName(first.source.name)
  if (frames === 0) throw new MediaprocError('INVALID_FILE', `${name} holds no picture that can be decoded`)
  if (frames === undefined && !lengthS)
    throw new MediaprocError('INVALID_FILE', `${name} contains no audio that can be decoded`)
}
