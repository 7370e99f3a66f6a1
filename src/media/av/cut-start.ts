import { videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { keyFrameBefore, packetsUpTo } from './input/packets.ts'
import type { AvSource } from './input/part.ts'
import { USUAL_RATE } from './range.ts'

/** Where a cut begins, by the frames that there are; seconds from the start of the source. */
export interface Beginning {
  /** Everything begins here. */
  startS: number
  /** The picture begins with this earlier frame, which is still on screen at `startS`. */
  pictureS?: number
}

/** Times that people read off a player are rounded to its thousandths. */
const ROUNDED_S = 0.002

/**
 * Where a cut can begin, so that its first frame is shown from its first moment on: with the first frame at or behind it;
 * only where that is far, with the one that stands until then.
 * @param isCopied the picture is copied, and begins with a key frame
 */
export async function beginningOf(
  source: AvSource,
  startS: number,
  isCopied: boolean,
  signal?: AbortSignal,
): Promise<Beginning> {
  if (isCopied) return { startS: (await keyFrameBefore(source, startS, signal))?.timeS ?? startS }
  const times = (await packetsUpTo(source, startS, signal)).map(({ timeS }) => timeS)
  const { frameRate = USUAL_RATE, variableRate } = videoStream(source.info)!
  // Mean rates say nothing of a single frame.
  const frameS = 1.5 / (variableRate ? USUAL_RATE : frameRate)
  const nextS = Math.min(...times.filter((timeS) => timeS > startS - ROUNDED_S))
  if (nextS - startS < frameS) return { startS: nextS }
  const shownS = Math.max(...times.filter((timeS) => timeS < startS))
  return Number.isFinite(shownS) ? { startS, pictureS: shownS } : { startS }
}
