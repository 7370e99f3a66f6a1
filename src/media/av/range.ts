import type { MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../errors.ts'
import type { AvPart, AvSource } from './input/part.ts'

/** A cut in seconds from the start of its input. */
export interface Cut {
  startS: number
  /** Undefined: to the end. */
  endS: number | undefined
  exact: boolean
  /** The seek position at which a copy starts with the key frame at `startS`; `startS` by default. */
  seekS?: number
  /** The video starts with this earlier frame, which is still displayed at `startS`. */
  pictureS?: number
}

/** Demuxers of indexed files, in which seeking finds the exact frame. */
const INDEXED = new Set(['mov', 'matroska'])

/** Seconds in ffmpeg's format: plain decimals, at most 6 digits after the point, no exponent. */
export function seconds(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}

/**
 * A part's range as a cut, or undefined when it keeps everything.
 * @param durationS duration of the input, if known
 * @throws MediaprocError INVALID_SETTINGS for an empty range, or one that starts at or after the end
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

/** Combines a cut with an earlier one into a single cut of the original. */
export function cutAgain(earlier: Cut | undefined, cut: Cut): Cut {
  if (!earlier) return cut
  const endS = Math.min(earlier.endS ?? Infinity, cut.endS === undefined ? Infinity : earlier.startS + cut.endS)
  return {
    startS: earlier.startS + cut.startS,
    endS: Number.isFinite(endS) ? endS : undefined,
    exact: earlier.exact || cut.exact,
  }
}

/** The duration that remains of `durationS` after a cut. */
export function lengthAfter(cut: Cut, durationS: number | undefined): number | undefined {
  if (durationS === undefined) return undefined
  return Math.max(0, Math.min(durationS, cut.endS ?? durationS) - cut.startS)
}

/**
 * The cut as filters. Timestamps restart at 0 at the cut, so that audio and video stay in sync. A first frame that
 * comes less than a frame after the cut is displayed from 0; otherwise the output would start with a gap.
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
 * Whether a file has no timestamps (raw AAC). Its end must be cut while writing, because older builds would otherwise
 * read nothing, and its duration is estimated from the bit rate.
 */
export function isUntimed(info: MediaInfo): boolean {
  return info.format === 'aac'
}

/**
 * Whether a file is Windows Media: seeking finds ASF packets, which hold several packets of audio, and its decoders
 * return no samples for the first packet.
 */
export const isAsf = ({ format }: MediaInfo): boolean => format === 'asf'

/** Assumed for a video with an unknown frame rate. */
export const USUAL_RATE = 25

/** Packets of AVI and MPEG may lack timestamps, which other containers require for copied streams. */
export const lacksTimes = ({ info }: AvSource): boolean => /^(avi|mpeg|mpegts)$/.test(info.format)

/** Program and transport streams have no index: seeking ends anywhere between key frames. */
export function seeksToKeyFrame({ info }: AvSource): boolean {
  return info.format !== 'mpegts' && info.format !== 'mpeg'
}

/** Whether a packet cut must be applied while writing, because reading cannot start at the key frame. */
export const cutsWhileWriting = (cut: Cut | undefined, source: AvSource): boolean =>
  cut !== undefined && !cut.exact && !seeksToKeyFrame(source)

/** Formats without an index, whose duration ffprobe estimates from the bit rate. */
const ESTIMATED = /^(mp3|aac|ac3|eac3|dts|amr|loas|h264|hevc|m4v|mpegvideo)$/

/** Whether the duration that ffprobe reports for a file is an estimate. */
export const isEstimated = ({ format }: MediaInfo): boolean => ESTIMATED.test(format)

/** The cut as options before `-i`; untimed files get no end. */
export function cutOptions(cut: Cut, source: AvSource): string[] {
  if (cutsWhileWriting(cut, source)) return []
  const { startS, endS, seekS = startS } = cut
  const end = isUntimed(source.info) ? undefined : endS
  if (seekS > startS) {
    // Stream and chapter times count from the seek position but must count from the key frame found.
    const length = end === undefined ? [] : ['-t', seconds(end - startS)]
    return ['-itsoffset', seconds(seekS - startS), '-ss', seconds(seekS), ...length]
  }
  const start = startS > 0 ? ['-ss', seconds(startS)] : []
  return end === undefined ? start : [...start, '-to', seconds(end)]
}

/** Whether seeking in the source is frame-exact (with decoding); otherwise only decoding from the start is. */
export function seeksExactly(source: AvSource): boolean {
  return source.info.format.split(',').some((name) => INDEXED.has(name))
}
