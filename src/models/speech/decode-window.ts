import { deflateSync } from 'node:zlib'
import type { TokenDecoder } from './token-decoder.ts'
import { applyRules, highestOf, logProbabilities, type TokenRules } from './token-rules.ts'
import type { Tokenizer } from './tokenizer.ts'
import { LANGUAGES, languageToken, type SpokenLanguage, TOKENS } from './vocabulary.ts'

/** Maximum number of tokens in the decoder, and how many of them may be new. */
const CONTEXT = 448
const MOST_NEW = CONTEXT / 2
/** Maximum number of prompt tokens from previous text. */
const MOST_PREVIOUS = CONTEXT / 2 - 1

/** A failed window is retried at a higher temperature (Whisper's defaults). */
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1] as const
/** Text with a higher compression ratio is repetitive. */
const MOST_REPETITIVE = 2.4
/** A text with a lower mean log probability of its tokens is a guess. */
const LEAST_LIKELY = -1
/** Above this, there is no speech, if the text is also a guess. */
const SILENCE = 0.6

/** The result of a window. */
export interface Decoded {
  /** With timestamps, without the end token. */
  tokens: readonly number[]
  temperature: number
  /** Mean log probability of its tokens. */
  likelihood: number
  /** Probability that there is no speech. */
  silence: number
}

/** The context for decoding a window. */
export interface Expectation extends TokenRules {
  language: SpokenLanguage
  /** Previous text, with its timestamps. */
  previous: readonly number[]
  tokenizer: Tokenizer
  /** From 0 to below 1. */
  random: () => number
}

/** The most probable language of a window, and its probability. */
export async function detectLanguage(
  decoder: TokenDecoder,
): Promise<{ language: SpokenLanguage; probability: number }> {
  const [scores] = await decoder.begin([TOKENS.startOfTranscript])
  const { firstLanguage } = TOKENS
  const known = logProbabilities(scores!.slice(firstLanguage, firstLanguage + LANGUAGES.length))
  const highest = highestOf(known)
  return { language: LANGUAGES[highest]!, probability: Math.exp(known[highest]!) }
}

/** The most probable token, or a random one at a temperature above 0. */
function choose(likelihoods: Float32Array, temperature: number, random: () => number): number {
  if (temperature === 0) return highestOf(likelihoods)
  const warmed = logProbabilities(likelihoods.map((value) => value / temperature))
  let rest = random()
  let last = 0
  for (let token = 0; token < warmed.length; token += 1) {
    if (warmed[token] === Number.NEGATIVE_INFINITY) continue
    last = token
    rest -= Math.exp(warmed[token]!)
    if (rest < 0) break
  }
  return last
}

async function decodeOnce(decoder: TokenDecoder, expected: Expectation, temperature: number): Promise<Decoded> {
  const { language, previous, random } = expected
  const { startOfPrevious, startOfTranscript, transcribe, endOfText, noSpeech } = TOKENS
  const reminder = previous.length > 0 ? [startOfPrevious, ...previous.slice(-MOST_PREVIOUS)] : []
  const prompt = [...reminder, startOfTranscript, languageToken(language), transcribe]
  const begun = await decoder.begin(prompt)
  const silence = Math.exp(logProbabilities(begun[reminder.length]!.slice())[noSpeech]!)
  let scores = begun.at(-1)!
  const tokens: number[] = []
  let sum = 0
  for (;;) {
    const likelihoods = applyRules(scores, tokens, expected)
    const token = choose(likelihoods, temperature, random)
    sum += likelihoods[token]!
    if (token === endOfText) break
    tokens.push(token)
    if (tokens.length === MOST_NEW || prompt.length + tokens.length >= CONTEXT) break
    scores = await decoder.next(token)
  }
  return { tokens, temperature, silence, likelihood: sum / (tokens.length + 1) }
}

/** There is no speech, and the text is a hallucination. */
export const isSilence = ({ silence, likelihood }: Decoded): boolean => silence > SILENCE && likelihood < LEAST_LIKELY

/** The compression ratio of a text: repetitive text compresses well. */
export function repetitiveness(text: string): number {
  const bytes = Buffer.from(text)
  return bytes.length / deflateSync(bytes).length
}

/**
 * The tokens of a window: the most probable ones; if they repeat or are a guess, retried at rising temperatures. If
 * none helps, the most probable result that does not repeat.
 */
export async function decodeWindow(decoder: TokenDecoder, expected: Expectation): Promise<Decoded> {
  const { decode } = expected.tokenizer
  const tried: Decoded[] = []
  const fluent: Decoded[] = []
  for (const temperature of TEMPERATURES) {
    const decoded = await decodeOnce(decoder, expected, temperature)
    const isRepetitive = repetitiveness(decode(decoded.tokens)) > MOST_REPETITIVE
    if (isSilence(decoded) || (!isRepetitive && decoded.likelihood >= LEAST_LIKELY)) return decoded
    tried.push(decoded)
    if (!isRepetitive) fluent.push(decoded)
  }
  const left = fluent.length > 0 ? fluent : tried
  return left.reduce((best, one) => (one.likelihood > best.likelihood ? one : best))
}
