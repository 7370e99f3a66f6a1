import type { Silence } from '../../../../src/media/av/measure/silences.ts'

/** A part of the video, seconds. */
export interface Span {
  startS: number
  endS: number
}

/** The number of pauses that fit into one command: each is twice in a filter, which has at most 128 kB. */
export const MAX_PAUSES = 1000

/**
 * The pauses that are cut: silences without their margins, from frame to frame. The margin at the start and the end of
 * the video is cut as well.
 * @param frame.periodS length of a frame; cuts are between frames, so that those that remain follow each other evenly
 * @param frame.firstS time of the first frame
 */
export function pausesOf(
  silences: readonly Silence[],
  durationS: number,
  marginS: number,
  { periodS, firstS }: { periodS: number; firstS: number },
): Span[] {
  const onFrame = (timeS: number): number => firstS + Math.round((timeS - firstS) / periodS) * periodS
  return silences.flatMap(({ startS, endS = durationS }) => {
    const isLast = endS >= durationS - periodS
    const from = startS <= periodS ? 0 : onFrame(startS + marginS)
    const to = isLast ? durationS : onFrame(endS - marginS)
    return to - from > periodS / 2 ? [{ startS: from, endS: to }] : []
  })
}

/** What remains between pauses. */
export function remaining(pauses: readonly Span[], durationS: number): Span[] {
  const edges = [{ startS: 0, endS: 0 }, ...pauses, { startS: durationS, endS: durationS }]
  return edges.slice(1).flatMap(({ startS }, index) => {
    const fromS = edges[index]?.endS ?? 0
    return startS > fromS ? [{ startS: fromS, endS: startS }] : []
  })
}

/** The length of all pauses before a time, up to it. */
export const cutBefore = (pauses: readonly Span[], timeS: number): number =>
  pauses.reduce((sum, { startS, endS }) => sum + Math.max(0, Math.min(timeS, endS) - startS), 0)
