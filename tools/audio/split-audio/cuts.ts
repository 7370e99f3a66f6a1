import { MediaprocError } from '../../../src/errors.ts'
import type { Silence } from '../../../src/media/av/measure/silences.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

/** A cut closer than this to the start or the end would leave an empty part, seconds (catalogue). */
const MIN_PART_S = 0.05
/** A safety limit: more files than anyone needs, or than a folder should contain. */
export const MAX_PARTS = 10_000

/** The end of each part of equal length, in seconds from the start; the last part is the remainder. */
export function everySegment(durationS: number, segmentS: number): number[] {
  const count = Math.ceil(durationS / segmentS)
  if (count > MAX_PARTS)
    throw invalidSettings(`That would be ${count} parts; the limit is ${MAX_PARTS}`, 'Give a longer --segment-s.')
  return inside(
    Array.from({ length: Math.max(0, count - 1) }, (_, index) => (index + 1) * segmentS),
    durationS,
  )
}

/** The ends of the given number of parts of equal length. */
export function equalParts(durationS: number, parts: number): number[] {
  return Array.from({ length: parts - 1 }, (_, index) => ((index + 1) * durationS) / parts)
}

/**
 * The middle of every silence that starts and ends within the file.
 */
export function middlesOfSilence(silences: readonly Silence[], durationS: number): number[] {
  const cuts = silences.flatMap(({ startS, endS }) => (endS === undefined ? [] : [(startS + endS) / 2]))
  if (cuts.length === 0)
    throw new MediaprocError('INVALID_SETTINGS', 'No silence was found to cut at', {
      hint: {
        shell: 'Give a higher --threshold-db or a shorter --min-silence-s.',
        http: 'Give a higher thresholdDb or a shorter minSilenceS.',
      },
    })
  return inside(cuts, durationS)
}

const inside = (cuts: readonly number[], durationS: number): number[] =>
  cuts.filter((cut) => cut >= MIN_PART_S && cut <= durationS - MIN_PART_S)

/** @throws INVALID_SETTINGS when there would be only one part */
export function checkCuts(cuts: readonly number[], durationS: number): void {
  if (cuts.length > 0) return
  throw invalidSettings(
    `The audio is ${seconds(durationS)} s long and would stay in one part`,
    'Ask for shorter parts, or for a number of them: --mode parts --parts 2',
  )
}
