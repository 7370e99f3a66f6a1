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
  /** Written by the command; removed again when it fails. */
  path: string
  /** What the output is made of, one plan for each source; none for what is made of pictures. */
  plans: readonly OutputPlan[]
  /** Length of the output, seconds. */
  durationS?: number | undefined
  /** Receives what the output lacks of its sources, and that a source is damaged. */
  warn(message: string): void
  /** Damage that ffmpeg reports is none, such as of packets before a cut. */
  ignoresDamage?: boolean
  signal?: AbortSignal
  timeoutMs?: number
  onProgress?: ProgressListener
  /** How the progress counts frames. */
  frames?: FrameProgress | undefined
  /** The work, as an error names it. */
  what?: string
  /** The folder that the command runs in. */
  cwd?: string
}

/**
 * Runs an ffmpeg command that writes a result, and compares the result with what it was made of. Every video and audio file
 * that leaves a tool is written by this.
 * @param args of ffmpeg; the output is `path`
 * @returns what the output holds
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

/** A damaged file is read to its end without an error where nothing in it could be decoded. */
function checkWritten({ frames, lengthS }: Written, [first]: readonly OutputPlan[]): void {
  if (!first) return
  const name = printableName(first.source.name)
  if (frames === 0) throw new MediaprocError('INVALID_FILE', `${name} holds no picture that can be decoded`)
  if (frames === undefined && !lengthS)
    throw new MediaprocError('INVALID_FILE', `${name} holds no sound that can be decoded`)
}
