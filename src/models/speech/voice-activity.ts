import { floatData, floats, type Tensor } from '../../engines/onnx/tensor.ts'
import { type MonoSound, SPEECH_RATE } from '../../media/av/filters/mono-sound.ts'
import type { LoadedModel } from '../use-model.ts'

/** A range of audio, in samples. */
export interface Stretch {
  from: number
  to: number
}

/** Silero VAD processes 32 ms at a time and needs the previous 4 ms: without them it detects nothing (its contract). */
const CHUNK = 512
const BEFORE = 64
const STATE = [2, 1, 128]

const inSamples = (seconds: number): number => Math.round(seconds * SPEECH_RATE)

const BEGINS_AT = 0.5
const ENDS_BELOW = 0.35
const LEAST_SILENCE = inSamples(0.1)
const LEAST_SPEECH = inSamples(0.25)
/** Padding, since consonants at the edges are quiet. */
const PADDING = inSamples(0.03)

/** Samples per read. */
const BLOCK = 600 * CHUNK

/** The speech probability of each chunk, 0 to 1. */
async function* likelihoods(
  sound: MonoSound,
  model: LoadedModel,
  onProgress: (fraction: number) => void,
): AsyncGenerator<number> {
  const heard = new Float32Array(BEFORE + CHUNK)
  const rate: Tensor = { type: 'int64', data: BigInt64Array.of(BigInt(SPEECH_RATE)), dims: [] }
  let state: Tensor = floats(new Float32Array(STATE.reduce((one, other) => one * other)), STATE)
  for (let from = 0; from < sound.length; from += BLOCK) {
    const block = await sound.read(from, from + BLOCK)
    for (let at = 0; at < block.length; at += CHUNK) {
      heard.copyWithin(0, CHUNK)
      heard.fill(0, BEFORE)
      heard.set(block.subarray(at, at + CHUNK), BEFORE)
      const answer = await model.run({ input: floats(heard, [1, heard.length]), state, sr: rate })
      state = answer.stateN!
      yield floatData(answer.output)[0]!
    }
    onProgress(Math.min(1, (from + BLOCK) / sound.length))
  }
}

/**
 * Ranges with speech: from a high probability until it stays low for 0.1 s; ranges shorter than 0.25 s are dropped.
 */
export async function findSpeech(
  sound: MonoSound,
  model: LoadedModel,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<Stretch[]> {
  const found: Stretch[] = []
  let begin: number | undefined
  let quietSince: number | undefined
  let at = 0
  const end = (to: number): void => {
    if (begin !== undefined && to - begin > LEAST_SPEECH) found.push({ from: begin, to })
    begin = undefined
    quietSince = undefined
  }
  for await (const likelihood of likelihoods(sound, model, onProgress)) {
    if (likelihood >= BEGINS_AT) {
      begin ??= at
      quietSince = undefined
    } else if (likelihood < ENDS_BELOW && begin !== undefined) {
      quietSince ??= at
      if (at - quietSince >= LEAST_SILENCE) end(quietSince)
    }
    at += CHUNK
  }
  end(sound.length)
  return padded(found, PADDING, sound.length)
}

/** Pads ranges on both sides, at most to the middle of the gap to their neighbours. */
export function padded(stretches: readonly Stretch[], padding: number, length: number): Stretch[] {
  return stretches.map(({ from, to }, index) => {
    const before = stretches[index - 1]
    const after = stretches[index + 1]
    const earliest = before ? Math.ceil((before.to + from) / 2) : 0
    const latest = after ? Math.floor((to + after.from) / 2) : length
    return { from: Math.max(earliest, from - padding), to: Math.min(latest, to + padding) }
  })
}
