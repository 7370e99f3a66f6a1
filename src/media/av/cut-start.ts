import { mainVideo } from '../../engines/ffmpeg/ffprobe.ts'
import { eachFrameUpTo, keyFrameBefore } from './input/packets.ts'
import type { AvSource } from './input/part.ts'
import { USUAL_RATE } from './range.ts'

/** Where a cut starts, based on the actual frames; seconds from the start of the source. */
export interface Beginning {
  /** Start time of all streams. */
  startS: number
  /** The video starts with this earlier frame, which is still displayed at `startS`. */
  pictureS?: number
}

/** Times that users copy from a player are rounded to milliseconds. */
const ROUNDED_S = 0.002

/**
 * Finds where a cut starts so that a frame is displayed from its beginning: the first frame at or after the given time,
 * or, if that is far away, the frame displayed until then.
 * @param isCopied the video is copied and starts with a key frame
 */
export async function beginningOf(
  source: AvSource,
  startS: number,
  isCopied: boolean,
  signal?: AbortSignal,
): Promise<Beginning> {
  if (isCopied) return { startS: (await keyFrameBefore(source, startS, signal))?.timeS ?? startS }
  let [shownS, nextS] = [-Infinity, Infinity]
  const onFrame = ({ timeS }: { timeS: number }): void => {
    if (timeS < startS) shownS = Math.max(shownS, timeS)
    if (timeS > startS - ROUNDED_S) nextS = Math.min(nextS, timeS)
  }
  await eachFrameUpTo(source, startS, onFrame, signal)
  const { frameRate = USUAL_RATE, variableRate } = mainVideo(source.info)
  // An average rate says nothing about a single frame.
  const frameS = 1.5 / (variableRate ? USUAL_RATE : frameRate)
  if (nextS - startS < frameS) return { startS: nextS }
  return Number.isFinite(shownS) ? { startS, pictureS: shownS } : { startS }
}
