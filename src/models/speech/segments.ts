import { lastOf } from '../../lists.ts'
import type { Said } from '../../media/av/subtitles/speech-cues.ts'
import { isTimestamp, secondsOf } from './vocabulary.ts'

/** An end closer than this to the start of a window is no progress, in seconds. */
const LEAST_STEP_S = 1

/** The text of a window; times in seconds from its start. */
export interface WindowSegments {
  segments: Said[]
  /** The end of the processed part; what follows is processed in the next window. */
  heardS: number
  /** The tokens up to there. */
  heard: readonly number[]
}

/**
 * Splits the tokens of a window into timed segments. An unfinished segment is left to the next window, which starts at
 * the end of the last segment: nothing is processed twice or lost.
 * @param lengthS length of the window in seconds
 */
export function segmentsOf(
  tokens: readonly number[],
  lengthS: number,
  decode: (tokens: readonly number[]) => string,
): WindowSegments {
  const cuts = tokens.flatMap((token, at) => (at > 0 && isTimestamp(token) && isTimestamp(tokens[at - 1]!) ? [at] : []))
  const isEnded = tokens.length > 1 && isTimestamp(lastOf(tokens)) && !isTimestamp(tokens.at(-2)!)
  const lastCut = cuts.at(-1) ?? 0
  const stepS = lastCut > 0 ? secondsOf(tokens[lastCut - 1]!) : 0
  const isStep = stepS >= LEAST_STEP_S
  const isWhole = isEnded || !isStep
  const ends = isWhole ? [...cuts, tokens.length] : cuts
  const segments = ends.map((end, index) => {
    const own = tokens.slice(ends[index - 1] ?? 0, end)
    const [first, last] = [own[0], own.at(-1)]
    const startS = first !== undefined && isTimestamp(first) ? secondsOf(first) : 0
    const endS = own.length > 1 && isTimestamp(last!) ? secondsOf(last!) : lengthS
    return { startS: Math.min(startS, lengthS), endS: Math.min(endS, lengthS), text: decode(own).trim() }
  })
  return {
    segments: segments.filter(({ startS, endS, text }) => text !== '' && endS > startS),
    ...(isWhole
      ? { heardS: lengthS, heard: tokens }
      : { heardS: Math.min(stepS, lengthS), heard: tokens.slice(0, lastCut) }),
  }
}
