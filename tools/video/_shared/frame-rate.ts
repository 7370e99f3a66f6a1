import { abilities } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'
import { isSteady } from '../../../src/media/av/measure/steady.ts'
import { seconds, USUAL_RATE } from '../../../src/media/av/range.ts'

/** A rate this close to an NTSC rate counts as that rate. */
const TOLERANCE = 0.005

/** A frame rate in ffmpeg's syntax: 29.97 as its exact fraction (SMPTE 170M: 1000/1001 of a whole rate). */
export function frameRate(fps: number): string {
  const whole = Math.ceil(fps)
  const ntsc = (whole * 1000) / 1001
  return !Number.isInteger(fps) && Math.abs(fps - ntsc) < TOLERANCE ? `${whole * 1000}/1001` : String(fps)
}

/**
 * The filter that converts a video to a frame rate. A video shorter than a frame at that rate would lose its only
 * frame.
 * @param rate in ffmpeg's syntax
 * @param lengthS length of the filtered video, seconds, if known
 */
export function atRate(rate: number | string, lengthS: number | undefined): string {
  const [numerator, denominator = 1] = String(rate).split('/').map(Number)
  const isShort = lengthS !== undefined && lengthS * numerator! < denominator
  return `fps=${rate}${isShort ? ':eof_action=pass' : ''}`
}

/** Higher base rates are those of clocks, such as the milliseconds of Matroska. */
const MOST_RATE = 120
/** Rates of videos whose frames have no common one, and below which a frame is too long to cut at. */
const [CLOCKED_RATE, LEAST_RATE] = [60, 10]
/** The least rate to which such videos are converted: they may be denser later than where the base rate was found. */
const DENSE_RATE = 25

/** Whether a rate is a whole number of frames in one or two seconds, or of NTSC. */
const isUsual = (rate: number): boolean =>
  [rate * 2, rate * 1.001].some((number) => Math.abs(number - Math.round(number)) < 0.01)

/**
 * A constant frame rate for a video.
 * @returns the rate, and whether the video has it already
 */
export async function constantRate(
  source: AvSource,
  signal: AbortSignal,
): Promise<{ rate: number; isConstant: boolean }> {
  const { frameRate = USUAL_RATE, baseRate = frameRate, isInterlaced } = mainVideo(source.info)
  // In interlaced video, readers also count fields.
  if (isInterlaced) return { rate: frameRate, isConstant: true }
  if (isUsual(frameRate) && frameRate >= LEAST_RATE && (await isSteady(source, frameRate, signal)))
    return { rate: frameRate, isConstant: true }
  const rate = isUsual(baseRate) && baseRate <= MOST_RATE ? baseRate : CLOCKED_RATE
  return { rate: rate * Math.max(1, Math.ceil(DENSE_RATE / rate)), isConstant: false }
}

/**
 * Filters that give a video a constant rate.
 * @param durationS to which the last frame is held, where ffmpeg can do it
 * @param fromZero whether the first frame is shown from 0
 */
export async function toConstant(
  rate: number,
  durationS: number | undefined,
  { fromZero }: { fromZero: boolean },
): Promise<string[]> {
  const fps = `fps=${frameRate(rate)}${fromZero ? ':start_time=0' : ''}`
  if (durationS === undefined || !(await abilities()).filters.has('tpad')) return [fps]
  const end = seconds(durationS)
  return [fps, `tpad=stop_mode=clone:stop_duration=${end}`, `trim=end=${end}`]
}
