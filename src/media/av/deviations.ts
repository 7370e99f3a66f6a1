import { audioStreams, type MediaInfo, probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../engines/ffmpeg/progress.ts'
import type { AvPlan } from './graph.ts'
import type { AvSource } from './part.ts'
import { type Cut, USUAL_RATE } from './range.ts'

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
  { info, lengthIsGuessed }: AvSource,
  { durationS, isWhole }: AvPlan,
  path: string,
  { lengthS, frames = 0 }: Written,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (durationS === undefined || lengthS === undefined || !isWhole || lengthIsGuessed) return undefined
  const frameS = (stream: ReturnType<typeof videoStream>): number => (stream ? 1 / (stream.frameRate ?? USUAL_RATE) : 0)
  const video = videoStream(info)
  const own = frameS(video)
  const packetS = info.format === 'mp3' ? paddingOfMp3(info) : PACKET_S
  // ffmpeg counts to where the last packet was decoded, which is some frames before the end.
  if (lengthS > durationS - Math.max(own, packetS)) return undefined
  // At the rate of the source, its frames tell as well: the encoder holds some back, so that packets end earlier.
  const isFilled = video && !video.variableRate && Math.abs(frames * own - durationS) <= Math.max(own, PACKET_S)
  if (isFilled && lengthS > durationS - HELD_BACK_S) return undefined
  const output = await probeMedia(path, { ...(signal && { signal }) }).catch(() => undefined)
  if (output?.durationS === undefined) return undefined
  const tolerance = Math.max(1.5 * own, 1.5 * frameS(videoStream(output)), packetS)
  return output.durationS < durationS - tolerance ? endsEarly(output.durationS, durationS) : undefined
}

const endsEarly = (isS: number, toldS: number): string =>
  `the result is ${shown(isS)} long and not ${shown(toldS)}: the end of the source is damaged or missing`

/** What an MP3 holds of silence before and after the sound, seconds: its delay, and what fills the last of its frames. */
const paddingOfMp3 = (info: MediaInfo): number => 3456 / (audioStreams(info)[0]?.sampleRate ?? 44_100)

/** That samples which were read end before the source says that it does. */
export function soundEndsEarly({ info, lengthIsGuessed }: AvSource, readS: number): string | undefined {
  const { durationS } = info
  if (durationS === undefined || lengthIsGuessed) return undefined
  return readS < durationS - Math.max(PACKET_S, paddingOfMp3(info)) ? endsEarly(readS, durationS) : undefined
}
