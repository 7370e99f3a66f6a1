/** Called with the completed share, 0 to 1 and never decreasing, and the speed relative to playback. */
export type ProgressListener = (fraction: number, speed?: number) => void

/** Progress by frames, if the position alone is not sufficient. */
export interface FrameProgress {
  /** The expected number of frames. */
  expected: number
  /** Their share of the work, above 0 to 1; reading all frames is the rest, and comes first. */
  share: number
}

/**
 * A filter that prints the timestamp of each frame read, seconds: ffmpeg itself reports nothing before the first frame
 * is written, which for a palette of all frames is after the last one is read.
 */
export const PRINTED_TIMES = 'select=if(print(t\\,16)\\,1\\,1)'

/** A timestamp that `PRINTED_TIMES` wrote to stderr. */
const PRINTED_TIME = /^(?:\[Eval @ [^\]]*\] )?(\d+\.\d+)$/

/** Minimum progress between reports for frames read. */
const LEAST_STEP = 0.01

/**
 * Converts the lines of `ffmpeg -progress` to fractions. Reads the position from `out_time`: old builds have no
 * `out_time_us`, and `out_time_ms` is in microseconds in all builds.
 * @param durationS expected length of the output; without it only the end (1) is reported
 */
export function progressReader(
  durationS: number | undefined,
  listener: ProgressListener,
  frames?: FrameProgress,
): (line: string) => void {
  let reached = 0
  let written = 0
  let positionS: number | undefined
  let speed: number | undefined
  return (line) => {
    const printed = frames && PRINTED_TIME.exec(line)?.[1]
    if (printed && durationS) {
      const read = Math.min(1, Number(printed) / durationS) * (1 - frames.share)
      if (read < reached + LEAST_STEP) return
      reached = read
      listener(read)
      return
    }
    const [key, value = ''] = line.split('=', 2).map((part) => part.trim())
    if (key === 'out_time') positionS = clockSeconds(value)
    else if (key === 'frame') written = Number(value) || 0
    else if (key === 'speed') speed = positiveNumber(value.replace(/x$/, ''))
    else if (key === 'progress') {
      const byTime = durationS && positionS ? positionS / durationS : 0
      const byFrames = frames && written > 0 ? 1 - frames.share + (written / frames.expected) * frames.share : 0
      const fraction = frames ? byFrames : byTime
      // Reporting once per block avoids calls without progress; rounding errors must not reach 1 before the end.
      const shown = value === 'end' ? 1 : Math.min(fraction, 0.999)
      if (shown <= reached) return
      reached = shown
      listener(shown, speed)
    }
  }
}

/** The counts that ffmpeg reported at its end. */
export interface Written {
  /** Video frames; undefined without video. */
  frames?: number
  /** End of the last packet of any stream, seconds. */
  lengthS?: number
}

/** Reads the counts from the lines of `ffmpeg -progress`; `written` has the latest ones. */
export function writtenReader(written: Written, onPosition?: (writtenS: number) => void): (line: string) => void {
  return (line) => {
    const [key, value = ''] = line.split('=', 2).map((part) => part.trim())
    if (key === 'frame') written.frames = Number(value)
    const lengthS = key === 'out_time' ? clockSeconds(value) : undefined
    if (lengthS === undefined) return
    written.lengthS = lengthS
    onPosition?.(lengthS)
  }
}

/** `00:01:02.500000` in seconds; undefined for `N/A` and for the negative times at the start of some files. */
export function clockSeconds(text: string): number | undefined {
  const parts = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text)
  return parts ? Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]) : undefined
}

function positiveNumber(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) && value > 0 ? value : undefined
}
