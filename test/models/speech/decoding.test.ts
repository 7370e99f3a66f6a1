import { expect, test } from 'vitest'
import { floats } from '../../../src/engines/onnx/tensor.ts'
import { decodeWindow, detectLanguage, isSilence, repetitiveness } from '../../../src/models/speech/decode-window.ts'
import { TokenDecoder } from '../../../src/models/speech/token-decoder.ts'
import { languageToken, TOKENS } from '../../../src/models/speech/vocabulary.ts'
import type { LoadedModel } from '../../../src/models/use-model.ts'

const VOCABULARY = 51_865
const T = TOKENS.firstTimestamp

/** Scores of one step, equal except for some. */
const scores = (higher: Readonly<Record<number, number>>): Float32Array => {
  const all = new Float32Array(VOCABULARY)
  for (const [token, score] of Object.entries(higher)) all[Number(token)] = score
  return all
}

/** A decoder with scripted scores for each start of a text. */
function scripted(steps: readonly Float32Array[], begun: number[][] = []): TokenDecoder {
  let at = 0
  const model = {
    inputs: [{ name: 'past_key_values.0.decoder.key', type: 'float32', shape: ['b', 1, 'p', 1] }],
    outputs: [],
    async run({ input_ids: ids, use_cache_branch: branch }: Parameters<LoadedModel['run']>[0]) {
      const tokens = [...(ids!.data as BigInt64Array)].map(Number)
      if (branch!.data[0] === 0) {
        begun.push(tokens)
        at = 0
      }
      const rows = new Float32Array(tokens.length * VOCABULARY)
      for (const row of tokens.keys()) rows.set(steps[Math.min(at, steps.length - 1)]!.slice(), row * VOCABULARY)
      at += 1
      return { logits: floats(rows, [1, tokens.length, VOCABULARY]) }
    },
  } as unknown as LoadedModel
  return new TokenDecoder(model, floats(new Float32Array(0), [1, 0]))
}

const expectation = (words: Readonly<Record<number, string>> = {}, previous: number[] = []) => ({
  suppressed: [],
  blank: [220, TOKENS.endOfText],
  language: 'de' as const,
  previous,
  tokenizer: {
    encode: () => [],
    decode: (tokens: readonly number[]) => tokens.map((one) => words[one] ?? '').join(''),
  },
  random: () => 0.5,
})

const SPOKEN = [scores({ [T]: 30 }), scores({ 5: 30 }), scores({ [T + 100]: 30 }), scores({ [TOKENS.endOfText]: 30 })]

test('the most likely tokens, after the language, the task and the previous text', async () => {
  const begun: number[][] = []
  const previous = Array.from({ length: 300 }, (_, index) => index)
  const decoded = await decodeWindow(scripted(SPOKEN, begun), expectation({ 5: 'word' }, previous))
  expect(decoded.tokens).toEqual([T, 5, T + 100])
  expect(decoded).toMatchObject({ temperature: 0 })
  expect(decoded.likelihood).toBeCloseTo(0, 4)
  expect(begun).toEqual([
    [TOKENS.startOfPrevious, ...previous.slice(-223), TOKENS.startOfTranscript, languageToken('de'), TOKENS.transcribe],
  ])
})

test('retries repetitive text with rising temperature, and accepts the last result', async () => {
  const begun: number[][] = []
  const words = { 5: 'again and again and again and again and again and again and again and again ' }
  const decoded = await decodeWindow(scripted(SPOKEN, begun), expectation(words))
  expect(begun).toHaveLength(6)
  expect(decoded.tokens).toEqual([T, 5, T + 100])
  expect(repetitiveness(words[5])).toBeGreaterThan(2.4)
  expect(repetitiveness('Ask not what your country can do for you.')).toBeLessThan(1.1)
})

test('temperature finds nearly as likely tokens', async () => {
  const begun: number[][] = []
  // The most likely text repeats itself; one that does not is close, and a temperature of 0.5 selects it.
  const steps = [SPOKEN[0]!, scores({ 5: 30, 6: 29.99, 7: 29.99 }), SPOKEN[2]!, SPOKEN[3]!]
  const words = { 5: 'again and again and again and again and again and again and again and again ', 6: 'once' }
  const decoded = await decodeWindow(scripted(steps, begun), expectation(words))
  expect(decoded).toMatchObject({ tokens: [T, 6, T + 100], temperature: 0.2 })
  expect(begun).toHaveLength(2)
})

test('a guess is silence if speech is unlikely, and retried otherwise', async () => {
  const end = scores({ [TOKENS.endOfText]: 30 })
  const guessed = scores({}).fill(-20, T)
  const silent = await decodeWindow(scripted([scores({ [TOKENS.noSpeech]: 30 }), guessed, end]), expectation())
  expect(isSilence(silent)).toBe(true)
  const begun: number[][] = []
  const unsure = await decodeWindow(scripted([scores({ [T]: 30 }), guessed, end], begun), expectation())
  expect(isSilence(unsure)).toBe(false)
  expect(unsure.likelihood).toBeCloseTo(-Math.log(50_363) / 3, 2)
  expect(begun).toHaveLength(6)
})

test('an endless text stops when the decoder is full', async () => {
  const endless = [scores({ [T]: 30 }), scores({ 5: 30 })]
  const one = await decodeWindow(scripted(endless), expectation())
  expect(one.tokens).toHaveLength(224)
  const reminded = await decodeWindow(
    scripted(endless),
    expectation(
      {},
      Array.from({ length: 223 }, () => 1),
    ),
  )
  expect(reminded.tokens).toHaveLength(448 - 227)
})

test('the language is the most likely of the supported ones', async () => {
  const german = scores({ [languageToken('de')]: 12, [languageToken('nl')]: 10, 5: 40 })
  const { language, probability } = await detectLanguage(scripted([german]))
  expect(language).toBe('de')
  expect(probability).toBeCloseTo(Math.exp(12) / (Math.exp(12) + Math.exp(10) + 97), 4)
})
