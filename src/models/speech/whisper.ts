import { floatData, floats } from '../../engines/onnx/tensor.ts'
import { firstOf, required } from '../../lists.ts'
import { type MonoSound, SPEECH_RATE } from '../../media/av/filters/mono-sound.ts'
import type { Said } from '../../media/av/subtitles/speech-cues.ts'
import type { LoadedModel } from '../use-model.ts'
import { decodeWindow, detectLanguage, isSilence } from './decode-window.ts'
import { FRAMES, logMel } from './mel.ts'
import { segmentsOf } from './segments.ts'
import { TokenDecoder } from './token-decoder.ts'
import { readTokenizer, suppressedTokens } from './tokenizer.ts'
import { type SpokenLanguage, TOKENS } from './vocabulary.ts'
import { nextWindow, type Spoken } from './windows.ts'

/** Below this confidence in the language, a warning is issued. */
const SURE = 0.5

/** Mel bands for models that leave the number open: the same for all but the newest. */
const USUAL_BANDS = 80

/** Text decoded at a higher temperature is not used as context for the next window (Whisper's default). */
const MISLEADING_TEMPERATURE = 0.5

/** The two graphs of a Whisper model. */
export interface Whisper {
  encoder: LoadedModel
  decoder: LoadedModel
}

/** What to transcribe: the audio, its speech ranges and the language. */
export interface Task {
  sound: MonoSound
  spoken: readonly Spoken[]
  language: SpokenLanguage | 'auto'
}

/** Callbacks during the transcription. */
export interface HearContext {
  signal: AbortSignal
  warn(message: string): void
  onProgress(fraction: number): void
}

/** Deterministic random numbers (mulberry32): the same audio gives the same text. */
function chance(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function encode(encoder: LoadedModel, samples: Float32Array) {
  const { name, shape } = firstOf(encoder.inputs)
  const bands = typeof shape[1] === 'number' ? shape[1] : USUAL_BANDS
  const [output] = encoder.outputs
  const features = floats(logMel(samples, bands), [1, bands, FRAMES])
  const hidden = (await encoder.run({ [name]: features }, { wanted: [output!.name] }))[output!.name]!
  return floats(floatData(hidden), hidden.dims)
}

async function languageOf(decoder: TokenDecoder, warn: HearContext['warn']): Promise<SpokenLanguage> {
  const { language, probability } = await detectLanguage(decoder)
  if (probability < SURE) warn(`the spoken language is uncertain: ${language}, by ${Math.round(100 * probability)} %`)
  return language
}

const timeOf = (seconds: number): number => Math.round(seconds * 1000) / 1000

/** The text of a window, with times in the media file. */
const placed = (segments: readonly Said[], windowS: number): Said[] =>
  segments.map(({ startS, endS, text }) => ({ startS: timeOf(windowS + startS), endS: timeOf(windowS + endS), text }))

/** Whether there is speech at that time: text without speech is a hallucination. */
const isSpoken = ({ startS, endS }: Said, spoken: readonly Spoken[]): boolean =>
  spoken.some(({ from, to }) => startS * SPEECH_RATE < to && endS * SPEECH_RATE > from)

/** Transcribes window by window: each starts at the end of the last segment of the previous one. */
export async function hear(
  { encoder, decoder }: Whisper,
  { sound, spoken, language: wanted }: Task,
  { signal, warn, onProgress }: HearContext,
): Promise<{ language: SpokenLanguage; segments: Said[] }> {
  const tokenizer = await readTokenizer(required(encoder.files, 'tokenizer.json'))
  const rules = { suppressed: suppressedTokens(tokenizer), blank: [...tokenizer.encode(' '), TOKENS.endOfText] }
  const random = chance()
  const segments: Said[] = []
  let language = wanted
  let previous: readonly number[] = []
  let at = 0
  try {
    for (let window = nextWindow(spoken, at); window; window = nextWindow(spoken, at)) {
      signal.throwIfAborted()
      const { from, to } = window
      const tokens = new TokenDecoder(decoder, await encode(encoder, await sound.read(from, to)))
      if (language === 'auto') language = await languageOf(tokens, warn)
      const decoded = await decodeWindow(tokens, { ...rules, tokenizer, language, previous, random })
      at = to
      if (!isSilence(decoded)) {
        const part = segmentsOf(decoded.tokens, (to - from) / SPEECH_RATE, tokenizer.decode)
        at = from + Math.round(part.heardS * SPEECH_RATE)
        segments.push(...placed(part.segments, from / SPEECH_RATE).filter((said) => isSpoken(said, spoken)))
        // Excludes text that is processed again: as context, the model would treat it as already transcribed.
        previous = decoded.temperature > MISLEADING_TEMPERATURE ? [] : [...previous, ...part.heard]
      }
      onProgress(at / sound.length)
    }
  } finally {
    // A terminated thread has no state to clear, and the reason for its end is the error to report.
    await decoder.reset().catch(() => undefined)
  }
  return { language: language as SpokenLanguage, segments }
}
