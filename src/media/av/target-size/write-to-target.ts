import { rename, rm, stat } from 'node:fs/promises'
import { runFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import { makeFolder } from '../../../make-folder.ts'
import type { AvPlan } from '../filters/graph.ts'
import type { AvPart } from '../input/part.ts'
import { type WriteOptions, writeMedia } from '../write.ts'
import { AIM, LEAST_VIDEO_KBPS } from './budget.ts'
import { hasTwoPasses, type Pass } from './passes.ts'

/** Encodes of the whole video besides the analysis: the first, and corrections of its bit rate. */
const ENCODES = 4
/** A result below this part of the limit is encoded again with a higher rate. */
const FULL_ENOUGH = 0.93
/** A correction multiplies the rate by at most this, because a calm video cannot use more. */
const LARGEST_RAISE = 1.5
/** Bytes per kbit/s are at most this many times, or this part of, what the bit rate says. */
const STEEPEST = 4
/** The part of a proportional correction that is made at least. */
const CAREFUL = 0.8
/** The part of the work of the analysis. */
const ANALYSIS = 0.3

/** @param reason why a result cannot have the given number of bytes */
export const unreachable = (bytes: number, reason: string): MediaprocError =>
  new MediaprocError('TARGET_UNREACHABLE', `The video does not fit into ${Math.floor(bytes / 1000)} kB: ${reason}`, {
    hint: {
      shell: 'Set a larger --target-size-kb or a lower --resolution.',
      http: 'Set a larger targetSizeKb or a lower resolution.',
    },
  })

/** Whether a size is nearer to a limit than another one: those that exceed it are farther than those that do not. */
const isNearer = (bytes: number, other: number, most: number): boolean =>
  bytes <= most ? other > most || bytes > other : other > most && bytes < other

interface Encode {
  bytes: number
  output: MediaInfo
  warnings: string[]
}

/**
 * Writes a result that has at most `bytes`, in two passes, and corrects the bit rate where the encoder missed it. If it
 * cannot be reached, the smallest result that has at most `mostBytes` is kept.
 * @param planOf the command with a bit rate
 * @returns what the output contains
 * @throws MediaprocError TARGET_UNREACHABLE if the result stays larger, and the errors of writeMedia
 */
export async function writeToTarget(
  { bytes: most, mostBytes = most, videoKbps }: NonNullable<AvPart['target']>,
  planOf: (pass: Pass) => AvPlan,
  options: WriteOptions,
): Promise<MediaInfo> {
  const { path, onProgress = () => {}, warn, signal, timeoutMs, durationS } = options
  const folder = `${path}.passes`
  const kept = `${path}.best`
  await makeFolder(folder)
  try {
    const number = await analyse()
    const best = await search(number)
    for (const warning of best.warnings) warn(warning)
    await rename(kept, path)
    return best.output
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(kept, { force: true })
  }

  async function analyse(): Promise<2 | undefined> {
    const { analysis, picture } = planOf({ kbps: videoKbps, number: 1 })
    if (!picture || !hasTwoPasses(picture.options)) return undefined
    await runFfmpeg([...analysis, '-f', 'null', '-'], {
      ...{ cwd: folder, durationS, what: 'Analysing the video' },
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      onProgress: (fraction) => onProgress(fraction * ANALYSIS),
    })
    return 2
  }

  async function search(number: 2 | undefined): Promise<Encode> {
    let kbps = videoKbps
    let best: Encode | undefined
    let before: { kbps: number; bytes: number } | undefined
    let smallest = Number.POSITIVE_INFINITY
    for (let round = 0; round < ENCODES; round += 1) {
      const done = await encode({ kbps, ...(number && { number }) }, round)
      smallest = Math.min(smallest, done.bytes)
      const isBetter = done.bytes <= mostBytes && (!best || isNearer(done.bytes, best.bytes, most))
      if (isBetter) {
        await rename(path, kept)
        best = done
      }
      if (done.bytes <= most && done.bytes >= most * FULL_ENOUGH) break
      // After a result that fits, a raise that gained nothing shows that the video cannot use more.
      if (best && !isBetter && done.bytes <= most) break
      const usual = (1000 * (durationS ?? 1)) / 8
      const slope = before && kbps !== before.kbps ? (done.bytes - before.bytes) / (kbps - before.kbps) : usual
      before = { kbps, bytes: done.bytes }
      // The measured effect of a change is used where it is plausible.
      const bytesPerKbps = slope > usual / STEEPEST && slope < usual * STEEPEST ? slope : usual
      // An encoder that missed the rate by a multiple does not follow a difference.
      const next = Math.max(kbps + (most * AIM - done.bytes) / bytesPerKbps, (kbps * most * AIM * CAREFUL) / done.bytes)
      if (next < LEAST_VIDEO_KBPS) break
      kbps = Math.min(next, kbps * LARGEST_RAISE)
    }
    await rm(path, { force: true })
    if (best) return best
    throw unreachable(mostBytes, `the smallest result has ${Math.ceil(smallest / 1000)} kB`)
  }

  async function encode(pass: Pass, round: number): Promise<Encode> {
    const warnings: Encode['warnings'] = []
    const start = ANALYSIS + ((1 - ANALYSIS) * round) / (round + 1)
    const output = await writeMedia(planOf(pass).arguments, {
      ...options,
      cwd: folder,
      warn: (warning) => warnings.push(warning),
      onProgress: (fraction) => onProgress(start + (fraction * (1 - start)) / (round === ENCODES - 1 ? 1 : 2)),
    })
    return { bytes: (await stat(path)).size, output, warnings }
  }
}
