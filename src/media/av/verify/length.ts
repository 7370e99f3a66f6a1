import { audioStreams, isStillImage, type MediaInfo, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'
import { playedLength } from '../measure/claimed-length.ts'
import { measureDuration } from '../measure/duration.ts'
import { isEstimated, USUAL_RATE } from '../range.ts'
import type { OutputPlan } from './output-plan.ts'

/** A packet of sound and the encoder's delay, seconds: what the ends of streams differ by. */
const PACKET_S = 0.06
/** A length that differs by less, seconds or as a share of the whole, is no broken result. */
const FAR_S = 1
const FAR_SHARE = 0.1

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** What the length of an output says about it. */
export interface LengthFinding {
  sentence: string
  /** The source is whole, and the output nevertheless far from the plan. */
  isFailure: boolean
}

/** What an MP3 holds of silence before and after the sound, seconds: its delay, and what fills the last of its frames. */
const paddingOfMp3 = (info: MediaInfo): number => 3456 / (audioStreams(info)[0]?.sampleRate ?? 44_100)

const endsEarly = (isS: number, toldS: number): string =>
  `the result is ${shown(isS)} long and not ${shown(toldS)}: the end of the source is damaged or missing`

/** That samples which were read end before the source says that it does. */
export function soundEndsEarly({ info, lengthIsGuessed }: AvSource, readS: number): string | undefined {
  const { durationS } = info
  if (durationS === undefined || lengthIsGuessed) return undefined
  return readS < durationS - Math.max(PACKET_S, paddingOfMp3(info)) ? endsEarly(readS, durationS) : undefined
}

const frameS = (info: MediaInfo): number => {
  const stream = videoStream(info)
  return stream ? 1 / (stream.frameRate ?? USUAL_RATE) : 0
}

/** What the end of an output may differ from the plan by, seconds. */
const toleranceOf = ({ source, isRetimed, durationS = 0 }: OutputPlan, output: MediaInfo): number =>
  Math.max(
    ...[1.5 * frameS(source.info), 1.5 * frameS(output), isRetimed ? Math.max(0.25, 0.02 * durationS) : 0],
    source.info.format === 'mp3' || output.format === 'mp3' ? paddingOfMp3(source.info) : PACKET_S,
  )

/** Subtitles may be shown beyond the end of picture and sound. */
const lengthOf = (output: MediaInfo): number | undefined =>
  output.streams.some(({ type }) => type === 'subtitle') ? (playedLength(output) ?? output.durationS) : output.durationS

/**
 * Compares the length of an output with the plan. Only where they differ is the source read again, to find out whether it
 * is the one that ends elsewhere than it says.
 */
export async function lengthFinding(
  plan: OutputPlan,
  output: MediaInfo,
  { written, damage, signal }: { written: Written; damage: boolean; signal?: AbortSignal },
): Promise<LengthFinding | undefined> {
  const { source, durationS, isWhole, isRoughCut, isCut } = plan
  const { lengthS: writtenS } = written
  if (durationS === undefined || !isWhole || source.lengthIsGuessed) return undefined
  // Of animated WebP, readers know the first picture only, and ffmpeg counts no time.
  if (isStillImage(output)) return undefined
  const isS = (isEstimated(output) ? undefined : lengthOf(output)) ?? writtenS
  if (isS === undefined) return undefined
  const tolerance = toleranceOf(plan, output)
  // ffmpeg's own count and the file must agree: either alone leaves out what encoders held back, or counts an edit list.
  const ends = [isS, ...(writtenS === undefined ? [] : [writtenS])]
  const isShort = ends.every((end) => end < durationS - tolerance)
  const isLong = !isRoughCut && ends.every((end) => end > durationS + Math.max(FAR_S, FAR_SHARE * durationS))
  if (!isShort && !isLong) return undefined
  const measuredS = await measureDuration(source.path, signal)
  const toldS = source.info.durationS ?? durationS
  const isSound = !damage && measuredS !== undefined && measuredS > toldS - 2 * tolerance
  if (isLong) {
    // The source is longer than it says, and all of it was kept.
    if (measuredS === undefined || isCut || measuredS > toldS + FAR_S) return undefined
    return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: true }
  }
  const isFar = isS < durationS - Math.max(FAR_S, FAR_SHARE * durationS)
  if (isSound && isFar) return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: true }
  return { sentence: endsEarly(isS, durationS), isFailure: false }
}

/** Compares the length of what was made of several files, or of pictures, with the plan. */
export function lengthOfMany(
  { durationS: isS }: MediaInfo,
  { durationS, damage }: { durationS: number | undefined; damage: boolean },
): LengthFinding | undefined {
  if (isS === undefined || durationS === undefined) return undefined
  if (Math.abs(isS - durationS) <= Math.max(FAR_S, FAR_SHARE * durationS)) return undefined
  return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: !damage }
}
