import { probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../engines/ffmpeg/progress.ts'
import type { AvPlan } from './graph.ts'
import type { AvSource } from './part.ts'
import { type Cut, isEstimated, USUAL_RATE } from './range.ts'

/** Nearer than this nobody sees where a clip begins, seconds. */
const UNSEEN_S = 0.02
/** A packet of sound and the encoder's delay, seconds: what the ends of streams differ by. */
const PACKET_S = 0.06

/** How much of the end encoders have not given yet when ffmpeg last counts, seconds. */
const HELD_BACK_S = 0.25

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** That a copied clip begins at a key frame, before the time that was asked for. */
export function beginsEarlier(cut: Pick<Cut, 'startS' | 'seekS'> | undefined): string[] {
  const { startS = 0, seekS = startS } = cut ?? {}
  if (seekS - startS < UNSEEN_S) return []
  return [`the clip begins at ${shown(startS)}, the key frame before ${shown(seekS)}: a copy cannot begin elsewhere`]
}

/** That an output became shorter than was planned, since something of the source cannot be read. */
export async function shorterThanPlanned(
  { info }: AvSource,
  { durationS, isWhole }: AvPlan,
  path: string,
  { lengthS, frames = 0 }: Written,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (durationS === undefined || lengthS === undefined || !isWhole || isEstimated(info)) return undefined
  const frameS = (stream: ReturnType<typeof videoStream>): number => (stream ? 1 / (stream.frameRate ?? USUAL_RATE) : 0)
  const video = videoStream(info)
  const own = frameS(video)
  // ffmpeg counts to where the last packet was decoded, which is some frames before the end.
  if (lengthS > durationS - Math.max(own, PACKET_S)) return undefined
  // At the rate of the source, its frames tell as well: the encoder holds some back, so that packets end earlier.
  const isFilled = video && !video.variableRate && Math.abs(frames * own - durationS) <= Math.max(own, PACKET_S)
  if (isFilled && lengthS > durationS - HELD_BACK_S) return undefined
  const output = await probeMedia(path, { ...(signal && { signal }) }).catch(() => undefined)
  if (output?.durationS === undefined) return undefined
  const tolerance = Math.max(1.5 * own, 1.5 * frameS(videoStream(output)), PACKET_S)
  return output.durationS < durationS - tolerance
    ? `the result is ${shown(output.durationS)} long and not ${shown(durationS)}: the end of the source is damaged or missing`
    : undefined
}
