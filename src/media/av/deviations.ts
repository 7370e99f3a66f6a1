import { probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../engines/ffmpeg/progress.ts'
import type { AvPlan } from './graph.ts'
import { keyFrameBefore } from './key-frame.ts'
import type { AvSource } from './part.ts'
import { isEstimated } from './range.ts'

/** Nearer than this nobody sees where a clip begins, seconds. */
const UNSEEN_S = 0.02
/** A packet of sound and the encoder's delay, seconds: what the ends of streams differ by. */
const PACKET_S = 0.06
/** What is assumed of a video that does not say its rate. */
const USUAL_RATE = 25

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** That a copied clip begins at a key frame, before the time that was asked for; seconds. */
export const beginsEarlier = (keyS: number, startS: number): string =>
  `the clip begins at ${shown(keyS)}, the key frame before ${shown(startS)}: a copy cannot begin elsewhere`

/** What became of an output otherwise than was planned: where it begins, and how long it is. */
export async function deviations(
  source: AvSource,
  plan: AvPlan,
  path: string,
  written: Written,
  signal?: AbortSignal,
): Promise<string[]> {
  const [start, length] = await Promise.all([
    startOf(source, plan, signal),
    lengthOf(source, plan, path, written, signal),
  ])
  return [...start, ...length]
}

async function startOf(source: AvSource, { copiedFromS }: AvPlan, signal?: AbortSignal): Promise<string[]> {
  if (!copiedFromS) return []
  const startS = await keyFrameBefore(source, copiedFromS, signal)
  if (startS === undefined || copiedFromS - startS < UNSEEN_S) return []
  return [beginsEarlier(startS, copiedFromS)]
}

async function lengthOf(
  { info }: AvSource,
  { durationS, isWhole }: AvPlan,
  path: string,
  { lengthS }: Written,
  signal?: AbortSignal,
): Promise<string[]> {
  if (durationS === undefined || lengthS === undefined || !isWhole || isEstimated(info)) return []
  const frameS = (stream: ReturnType<typeof videoStream>): number => (stream ? 1 / (stream.frameRate ?? USUAL_RATE) : 0)
  const own = frameS(videoStream(info))
  // ffmpeg counts to where the last packet was decoded, which is some frames before the end.
  if (lengthS > durationS - Math.max(own, PACKET_S)) return []
  const output = await probeMedia(path, { ...(signal && { signal }) }).catch(() => undefined)
  if (output?.durationS === undefined) return []
  const tolerance = Math.max(1.5 * own, 1.5 * frameS(videoStream(output)), PACKET_S)
  return output.durationS < durationS - tolerance
    ? [
        `the result is ${shown(output.durationS)} long and not ${shown(durationS)}: the end of the source is damaged or missing`,
      ]
    : []
}
