import type { MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import type { AvPart, AvSource } from './input/part.ts'

/** A cut in seconds from the start of what it cuts. */
export interface Cut {
  startS: number
  /** Undefined = to the end. */
  endS: number | undefined
  exact: boolean
  /** What reading must seek to so that a copy begins at the key frame `startS`; `startS` by default. */
  seekS?: number
  /** The picture begins with this earlier frame, which is still on screen at `startS`. */
  pictureS?: number
}

/** Demuxers whose files carry an index, so that seeking finds the very frame. */
const INDEXED = new Set(['mov', 'matroska'])

/** Seconds as ffmpeg takes them: plain decimals, at most 6 digits behind the point, no exponent. */
export function seconds(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}

/**
 * A part's range as a cut, or undefined when it keeps everything.
 * @param durationS length of what is cut, where it is known
 * @throws MediaprocError INVALID_SETTINGS for an empty range, or one that begins at or beyond the end
 */
export function cutOf(range: AvPart['range'], durationS: number | undefined): Cut | undefined {
  if (!range) return undefined
  const { startS = 0, endS, exact } = range
  if (!(startS >= 0) || (endS !== undefined && !(endS > startS))) {
    throw new MediaprocError('INVALID_SETTINGS', `The end (${endS} s) must be greater than the start (${startS} s)`)
  }
  if (durationS !== undefined && startS > 0 && startS >= durationS) {
    throw new MediaprocError(
      'INVALID_SETTINGS',
      `The start (${seconds(startS)} s) is at or beyond the end of the file (${seconds(durationS)} s)`,
    )
  }
  return startS === 0 && endS === undefined ? undefined : { startS, endS, exact }
}

/** A cut of what an earlier cut left, as one cut of the whole. */
export function cutAgain(earlier: Cut | undefined, cut: Cut): Cut {
  if (!earlier) return cut
  const endS = Math.min(earlier.endS ?? Infinity, cut.endS === undefined ? Infinity : earlier.startS + cut.endS)
  return {
    startS: earlier.startS + cut.startS,
    endS: Number.isFinite(endS) ? endS : undefined,
    exact: earlier.exact || cut.exact,
  }
}

/** How much of `durationS` a cut leaves. */
export function lengthAfter(cut: Cut, durationS: number | undefined): number | undefined {
  if (durationS === undefined) return undefined
  return Math.max(0, Math.min(durationS, cut.endS ?? durationS) - cut.startS)
}

/**
 * The cut as filters; time starts again at 0 at the cut, so that audio and video stay together. A frame that comes less than
 * a frame behind the cut is shown from 0 on; as it is, the first moment would be empty.
 */
export function cutFilters({ startS, endS }: Cut, frameRate = USUAL_RATE): { video: string[]; audio: string[] } {
  const from = seconds(startS)
  const span = `start=${from}${endS === undefined ? '' : `:end=${seconds(endS)}`}`
  const isNear = `lt(STARTT-${from}\\,${seconds(1 / frameRate)})`
  return {
    video: [`trim=${span}`, `setpts=PTS-if(${isNear}\\,STARTPTS\\,${from}/TB)`],
    audio: [`atrim=${span}`, `asetpts=PTS-${from}/TB`],
  }
}

/**
 * Whether a file has no times at all (AAC without a container): its end must be cut while writing, since older builds then
 * read nothing, and its length is an estimate by the bit rate.
 */
export function isUntimed(info: MediaInfo): boolean {
  return info.format === 'aac'
}

/** What is assumed of a video that does not say its rate. */
export const USUAL_RATE = 25

/** Packets of AVI and MPEG may lack times, which other containers want of what is copied. */
export const lacksTimes = ({ info }: AvSource): boolean => /^(avi|mpeg|mpegts)$/.test(info.format)

/** Programme and transport streams have no index: seeking lands anywhere between key frames. */
export function seeksToKeyFrame({ info }: AvSource): boolean {
  return info.format !== 'mpegts' && info.format !== 'mpeg'
}

/** Whether a cut at packets must be made while writing, since reading cannot begin at the key frame. */
export const cutsWhileWriting = (cut: Cut | undefined, source: AvSource): boolean =>
  cut !== undefined && !cut.exact && !seeksToKeyFrame(source)

/** Formats without an index, whose length ffprobe estimates by the bit rate. */
const ESTIMATED = /^(mp3|aac|ac3|eac3|dts|amr|loas|h264|hevc|m4v|mpegvideo)$/

/** Whether the length that ffprobe tells of a file is an estimate. */
export const isEstimated = ({ format }: MediaInfo): boolean => ESTIMATED.test(format)

/** The cut as options before `-i`; without its end for untimed files. */
export function cutOptions(cut: Cut, source: AvSource): string[] {
  if (cutsWhileWriting(cut, source)) return []
  const { startS, endS, seekS = startS } = cut
  const end = isUntimed(source.info) ? undefined : endS
  if (seekS > startS) {
    // Times of streams and chapters count from the position sought; they must count from the key frame that is found.
    const length = end === undefined ? [] : ['-t', seconds(end - startS)]
    return ['-itsoffset', seconds(seekS - startS), '-ss', seconds(seekS), ...length]
  }
  const start = startS > 0 ? ['-ss', seconds(startS)] : []
  return end === undefined ? start : [...start, '-to', seconds(end)]
}

/** Whether seeking in the source is exact to the frame (with decoding); otherwise only decoding from its start is. */
export function seeksExactly(source: AvSource): boolean {
  return source.info.format.split(',').some((name) => INDEXED.has(name))
}
