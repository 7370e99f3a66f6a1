import { lastOf } from '../../lists.ts'
import { isTimestamp, TOKENS } from './vocabulary.ts'

/** The first timestamp of a window is at most one second from its start, as in training. */
const LATEST_FIRST_TIMESTAMP = TOKENS.firstTimestamp + 50

const NEVER = Number.NEGATIVE_INFINITY

/** Restrictions on the next token. */
export interface TokenRules {
  /** Never chosen. */
  suppressed: readonly number[]
  /** A blank: no text starts with one, and no text is empty. */
  blank: readonly number[]
}

// Fifty thousand scores per output token: plain loops for speed.

/** Argmax of a range. */
export function highestOf(scores: Float32Array, from = 0, to = scores.length): number {
  let highest = from
  for (let at = from; at < to; at += 1) if (scores[at]! > scores[highest]!) highest = at
  return highest
}

/** Log-sum-exp of a range, without overflow. */
function logSum(scores: Float32Array, from = 0, to = scores.length): number {
  const highest = scores[highestOf(scores, from, to)]!
  if (highest === NEVER) return NEVER
  let sum = 0
  for (let at = from; at < to; at += 1) if (scores[at] !== NEVER) sum += Math.exp(scores[at]! - highest)
  return highest + Math.log(sum)
}

/** Converts scores to log probabilities, in place. */
export function logProbabilities(scores: Float32Array): Float32Array {
  const total = logSum(scores)
  for (let at = 0; at < scores.length; at += 1) scores[at]! -= total
  return scores
}

/** Timestamps come in pairs around text, and never decrease. */
function ruleTimestamps(scores: Float32Array, chosen: readonly number[]): void {
  const { endOfText, firstTimestamp, noTimestamps } = TOKENS
  scores[noTimestamps] = NEVER
  const isBehindTimestamp = chosen.length > 0 && isTimestamp(lastOf(chosen))
  const isBehindPair = isBehindTimestamp && (chosen.length < 2 || isTimestamp(chosen.at(-2)!))
  if (isBehindPair) scores.fill(NEVER, firstTimestamp)
  else if (isBehindTimestamp) scores.fill(NEVER, 0, endOfText)
  const last = chosen.findLast(isTimestamp)
  // A segment may start at the end of the previous one, but cannot be empty.
  if (last !== undefined) scores.fill(NEVER, firstTimestamp, isBehindTimestamp && !isBehindPair ? last : last + 1)
  if (chosen.length === 0) {
    scores.fill(NEVER, 0, firstTimestamp)
    scores.fill(NEVER, LATEST_FIRST_TIMESTAMP + 1)
  }
}

/**
 * Suppresses tokens that cannot follow the chosen ones, as in Whisper's own decoding, and converts the scores to log
 * probabilities. If all timestamps together are more probable than any text token, a timestamp is chosen.
 */
export function applyRules(scores: Float32Array, chosen: readonly number[], rules: TokenRules): Float32Array {
  for (const token of rules.suppressed) scores[token] = NEVER
  if (chosen.length === 0) for (const token of rules.blank) scores[token] = NEVER
  ruleTimestamps(scores, chosen)
  const { firstTimestamp } = TOKENS
  const likeliestText = scores[highestOf(scores, 0, firstTimestamp)]!
  if (logSum(scores, firstTimestamp) > likeliestText) scores.fill(NEVER, 0, firstTimestamp)
  return logProbabilities(scores)
}
