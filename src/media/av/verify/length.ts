import { audioStreams, isStillImage, type MediaInfo, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Written } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'
import { playedLength } from '../measure/claimed-length.ts'
import { measureDuration } from '../measure/duration.ts'
import { isEstimated, USUAL_RATE } from '../range.ts'
import type { OutputPlan } from './output-plan.ts'

/** An audio packet plus the encoder delay, seconds: the ends of streams may differ by this much. */
const PACKET_S = 0.06
/** A smaller difference in duration, seconds or as a share of the total, does not indicate a broken result. */
const FAR_S = 1
const FAR_SHARE = 0.1

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** The result of comparing the duration of an output with the plan. */
export interface LengthFinding {
  sentence: string
  /** The source is complete, but the output is far from the plan. */
  isFailure: boolean
}

/** Silence that an MP3 adds before and after the audio, seconds: encoder delay and padding of the last frame. */
const paddingOfMp3 = (info: MediaInfo): number => 3456 / (audioStreams(info)[0]?.sampleRate ?? 44_100)

const endsEarly = (isS: number, statedS: number): string =>
  `the result is ${shown(isS)} long and not ${shown(statedS)}: the end of the source is damaged or missing`

/** Detects that the decoded samples end before the duration that the source states. */
export function soundEndsEarly({ info, lengthIsGuessed }: AvSource, readS: number): string | undefined {
  const { durationS } = info
  if (durationS === undefined || lengthIsGuessed) return undefined
  return readS < durationS - Math.max(PACKET_S, paddingOfMp3(info)) ? endsEarly(readS, durationS) : undefined
}

const frameS = (info: MediaInfo): number => {
  const stream = videoStream(info)
  return stream ? 1 / (stream.frameRate ?? USUAL_RATE) : 0
}

/** Allowed difference between the end of an output and the plan, seconds. */
const toleranceOf = ({ source, isRetimed, durationS = 0 }: OutputPlan, output: MediaInfo): number =>
  Math.max(
    ...[1.5 * frameS(source.info), 1.5 * frameS(output), isRetimed ? Math.max(0.25, 0.02 * durationS) : 0],
    source.info.format === 'mp3' || output.format === 'mp3' ? paddingOfMp3(source.info) : PACKET_S,
  )

/** Subtitles may be displayed after the end of video and audio. */
const lengthOf = (output: MediaInfo): number | undefined =>
  output.streams.some(({ type }) => type === 'subtitle') ? (playedLength(output) ?? output.durationS) : output.durationS

/**
 * Compares the duration of an output with the plan. Only if they differ, the source is read again to find out whether
 * its stated duration is wrong.
 */
export async function lengthFinding(
  plan: OutputPlan,
  output: MediaInfo,
  { written, damage, signal }: { written: Written; damage: boolean; signal?: AbortSignal },
): Promise<LengthFinding | undefined> {
  const { source, durationS, isWhole, isRoughCut, isCut } = plan
  const { lengthS: writtenS } = written
  if (durationS === undefined || !isWhole || source.lengthIsGuessed) return undefined
  // ffprobe only reads the first picture of an animated WebP, and ffmpeg reports no time.
  if (isStillImage(output)) return undefined
  const isS = (isEstimated(output) ? undefined : lengthOf(output)) ?? writtenS
  if (isS === undefined) return undefined
  const tolerance = toleranceOf(plan, output)
  // ffmpeg's own count and the file must agree: either alone omits frames delayed by the encoder, or counts an edit
  // list.
  const ends = [isS, ...(writtenS === undefined ? [] : [writtenS])]
  const isShort = ends.every((end) => end < durationS - tolerance)
  const isLong = !isRoughCut && ends.every((end) => end > durationS + Math.max(FAR_S, FAR_SHARE * durationS))
  if (!isShort && !isLong) return undefined
  const measuredS = await measureDuration(source.path, signal)
  const statedS = source.info.durationS ?? durationS
  const isSound = !damage && measuredS !== undefined && measuredS > statedS - 2 * tolerance
  if (isLong) {
    // The source is longer than it states, and all of it was kept.
    if (measuredS === undefined || isCut || measuredS > statedS + FAR_S) return undefined
    return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: true }
  }
  const isFar = isS < durationS - Math.max(FAR_S, FAR_SHARE * durationS)
  if (isSound && isFar) return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: true }
  return { sentence: endsEarly(isS, durationS), isFailure: false }
}

/** Compares the duration of an output made from several files, or from images, with the plan. */
export function lengthOfMany(
  { durationS: isS }: MediaInfo,
  { durationS, damage }: { durationS: number | undefined; damage: boolean },
): LengthFinding | undefined {
  if (isS === undefined || durationS === undefined) return undefined
  if (Math.abs(isS - durationS) <= Math.max(FAR_S, FAR_SHARE * durationS)) return undefined
  return { sentence: `it is ${shown(isS)} long and not ${shown(durationS)}`, isFailure: !damage }
}
