import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SPEECH_RATE } from '../../src/media/av/filters/mono-sound.ts'
import { melBands } from '../../src/models/speech/mel.ts'
import { languageToken, TOKENS } from '../../src/models/speech/vocabulary.ts'
import { stubModel } from './models.ts'
import type { Constant, Graph, Node } from './onnx.ts'

const FRAME_RATE = 40
const BANDS = 80
const SECONDS = 30
const VOCABULARY = 51_865
/** Of whisper-tiny. */
const LAYERS = 4
const HEADS = 6
const SIZE = 384

/** Tokens of words: those of a tone in English, and in any other language. */
const FIRST_ENGLISH = 300
const FIRST_FOREIGN = 1300

const int64 = (name: string, ...values: number[]): Constant => ({
  name,
  dims: [values.length],
  data: BigInt64Array.from(values, BigInt),
})
const float = (name: string, ...values: number[]): Constant => ({
  name,
  dims: [values.length],
  data: Float32Array.from(values),
})
const TO_FLOAT = { to: 1 }
const TO_INT64 = { to: 7 }

/** Loud parts are speech. Tensors of Silero VAD. */
const LOUDNESS: Graph = {
  inputs: [
    { name: 'input', shape: [1, 'samples'] },
    { name: 'state', shape: [2, 1, 128] },
    { name: 'sr', type: 'int64', shape: [] },
  ],
  outputs: [
    { name: 'output', shape: [1, 1] },
    { name: 'stateN', shape: [2, 1, 128] },
  ],
  constants: [float('quiet', 0.02)],
  nodes: [
    { op: 'Abs', inputs: ['input'], outputs: ['loud'] },
    { op: 'ReduceMean', inputs: ['loud'], outputs: ['mean'], attributes: { axes: [1], keepdims: 1 } },
    { op: 'Greater', inputs: ['mean', 'quiet'], outputs: ['speaks'] },
    { op: 'Cast', inputs: ['speaks'], outputs: ['output'], attributes: TO_FLOAT },
    { op: 'Identity', inputs: ['state'], outputs: ['stateN'] },
  ],
}

/**
 * Detects tones, one in the middle of each second: the encoder outputs the loudest band and the second of each, and -1 after
 * the last. Tensors of Whisper's encoder.
 */
const TONES: Graph = {
  inputs: [{ name: 'input_features', shape: ['batch', 'features', 'length'] }],
  outputs: [{ name: 'last_hidden_state', shape: [1, 1500, SIZE] }],
  constants: [
    int64('middle', 50),
    int64('end', 3000),
    int64('frames', 2),
    int64('second', 100),
    int64('flat', -1),
    int64('zero', 0),
    int64('places', 1500),
    int64('column', 1, 1500, 1),
    int64('rest', 1, 1500, SIZE - 2),
    float('audible', 0.5),
    float('nothing', -1),
    float('seconds', ...Array.from({ length: SECONDS }, (_, second) => second)),
  ],
  nodes: [
    { op: 'Slice', inputs: ['input_features', 'middle', 'end', 'frames', 'second'], outputs: ['heard'] },
    { op: 'ArgMax', inputs: ['heard'], outputs: ['band'], attributes: { axis: 1, keepdims: 0 } },
    { op: 'Cast', inputs: ['band'], outputs: ['bands'], attributes: TO_FLOAT },
    { op: 'ReduceMax', inputs: ['heard'], outputs: ['levels'], attributes: { axes: [1], keepdims: 0 } },
    { op: 'Greater', inputs: ['levels', 'audible'], outputs: ['loud'] },
    { op: 'Reshape', inputs: ['loud', 'flat'], outputs: ['isLoud'] },
    { op: 'Expand', inputs: ['nothing', 'places'], outputs: ['silence'] },
    ...['bands', 'seconds'].flatMap((name): Node[] => [
      { op: 'Reshape', inputs: [name, 'flat'], outputs: [`${name}.flat`] },
      { op: 'Compress', inputs: [`${name}.flat`, 'isLoud'], outputs: [`${name}.response`] },
      { op: 'Concat', inputs: [`${name}.response`, 'silence'], outputs: [`${name}.long`], attributes: { axis: 0 } },
      { op: 'Slice', inputs: [`${name}.long`, 'zero', 'places'], outputs: [`${name}.all`] },
      { op: 'Reshape', inputs: [`${name}.all`, 'column'], outputs: [`${name}.column`] },
    ]),
    { op: 'Expand', inputs: ['nothing', 'rest'], outputs: ['padding'] },
    {
      op: 'Concat',
      inputs: ['bands.column', 'seconds.column', 'padding'],
      outputs: ['last_hidden_state'],
      attributes: { axis: 2 },
    },
  ],
}

const CACHES = Array.from({ length: LAYERS }, (_, layer) =>
  ['decoder', 'encoder'].flatMap((side) => ['key', 'value'].map((part) => `${layer}.${side}.${part}`)),
).flat()

/**
 * Transcribes tones: a timestamp, a word and a timestamp for each; no end for one cut by the end of the window. Counts by the
 * length of its cache; the length of the prompt and the language are known in the first step only, and stored in the
 * encoder's cache, which later steps output empty. Tensors of Whisper's merged decoder.
 * @param language the language that it detects
 */
const wordsOf = (language: number): Graph => ({
  inputs: [
    { name: 'input_ids', type: 'int64', shape: ['batch', 'length'] },
    { name: 'encoder_hidden_states', shape: ['batch', 1500, SIZE] },
    ...CACHES.map((name) => ({ name: `past_key_values.${name}`, shape: ['batch', HEADS, `past.${name}`, 64] })),
    { name: 'use_cache_branch', type: 'bool', shape: [1] },
  ],
  outputs: [
    { name: 'logits', shape: ['batch', 'length', VOCABULARY] },
    ...CACHES.map((name) => ({ name: `present.${name}`, shape: ['batch', HEADS, `present.${name}`, 64] })),
  ],
  constants: [
    ...[0, 1, 2, 3, 29, 50, 1500].map((value) => int64(`n${value}`, value)),
    int64('minusTwo', -2),
    int64('flat', -1),
    int64('english', languageToken('en')),
    int64('firstEnglish', FIRST_ENGLISH),
    int64('firstForeign', FIRST_FOREIGN),
    int64('endOfText', TOKENS.endOfText),
    int64('start', TOKENS.startOfTranscript),
    int64('firstTimestamp', TOKENS.firstTimestamp),
    int64('language', language),
    int64('size', VOCABULARY),
    int64('cacheShape', 1, HEADS, 1500, 64),
    int64('one', 1),
    int64('heads', HEADS),
    int64('width', 64),
    float('scores', 0, 20),
    float('empty', 0),
  ],
  nodes: [
    { op: 'Shape', inputs: ['input_ids'], outputs: ['idsShape'] },
    { op: 'Gather', inputs: ['idsShape', 'n1'], outputs: ['given'] },
    { op: 'Shape', inputs: ['past_key_values.0.decoder.key'], outputs: ['pastShape'] },
    { op: 'Gather', inputs: ['pastShape', 'n2'], outputs: ['past'] },
    { op: 'Add', inputs: ['past', 'given'], outputs: ['total'] },
    // Known in the first step only: the length of the prompt, and its language.
    { op: 'Slice', inputs: ['input_ids', 'minusTwo', 'size', 'n1'], outputs: ['lastTwo'] },
    { op: 'Slice', inputs: ['lastTwo', 'n0', 'n1', 'n1'], outputs: ['spokenRow'] },
    { op: 'Reshape', inputs: ['spokenRow', 'n1'], outputs: ['spokenNow'] },
    ...(['key', 'value'] as const).flatMap((part): Node[] => {
      const now = part === 'key' ? 'given' : 'spokenNow'
      return [
        { op: 'Cast', inputs: [now], outputs: [`${part}.float`], attributes: TO_FLOAT },
        { op: 'Expand', inputs: [`${part}.float`, 'cacheShape'], outputs: [`${part}.filled`] },
        { op: 'Reshape', inputs: [`past_key_values.0.encoder.${part}`, 'flat'], outputs: [`${part}.before`] },
        {
          op: 'Concat',
          inputs: [`${part}.before`, `${part}.float`],
          outputs: [`${part}.both`],
          attributes: { axis: 0 },
        },
        { op: 'Gather', inputs: [`${part}.both`, 'n0'], outputs: [`${part}.known`] },
        { op: 'Cast', inputs: [`${part}.known`], outputs: [`${part}.number`], attributes: TO_INT64 },
      ]
    }),
    // In the first step the cache is empty, and the current value is first; later the cached value is.
    { op: 'Sub', inputs: ['total', 'key.number'], outputs: ['index'] },
    { op: 'Div', inputs: ['index', 'n3'], outputs: ['place'] },
    { op: 'Mod', inputs: ['index', 'n3'], outputs: ['phase'] },
    { op: 'Gather', inputs: ['encoder_hidden_states', 'place'], outputs: ['row'], attributes: { axis: 1 } },
    ...(['band', 'second'] as const).flatMap((name, column): Node[] => [
      { op: 'Slice', inputs: ['row', `n${column}`, `n${column + 1}`, 'n2'], outputs: [`${name}.cell`] },
      { op: 'Reshape', inputs: [`${name}.cell`, 'n1'], outputs: [`${name}.float`] },
      { op: 'Cast', inputs: [`${name}.float`], outputs: [name], attributes: TO_INT64 },
    ]),
    { op: 'Less', inputs: ['second', 'n0'], outputs: ['isOver'] },
    { op: 'Mul', inputs: ['second', 'n50'], outputs: ['steps'] },
    { op: 'Add', inputs: ['firstTimestamp', 'steps'], outputs: ['from'] },
    { op: 'Where', inputs: ['isOver', 'endOfText', 'from'], outputs: ['opening'] },
    { op: 'Equal', inputs: ['value.number', 'english'], outputs: ['isEnglish'] },
    { op: 'Where', inputs: ['isEnglish', 'firstEnglish', 'firstForeign'], outputs: ['firstWord'] },
    { op: 'Add', inputs: ['firstWord', 'band'], outputs: ['word'] },
    { op: 'Equal', inputs: ['second', 'n29'], outputs: ['isCut'] },
    { op: 'Add', inputs: ['from', 'n50'], outputs: ['to'] },
    { op: 'Where', inputs: ['isCut', 'endOfText', 'to'], outputs: ['closing'] },
    { op: 'Equal', inputs: ['phase', 'n0'], outputs: ['isOpening'] },
    { op: 'Equal', inputs: ['phase', 'n1'], outputs: ['isWord'] },
    { op: 'Where', inputs: ['isWord', 'word', 'closing'], outputs: ['later'] },
    { op: 'Where', inputs: ['isOpening', 'opening', 'later'], outputs: ['next'] },
    { op: 'Equal', inputs: ['input_ids', 'start'], outputs: ['isStart'] },
    { op: 'Where', inputs: ['isStart', 'language', 'next'], outputs: ['chosen'] },
    { op: 'OneHot', inputs: ['chosen', 'size', 'scores'], outputs: ['logits'] },
    // The caches: the decoder's grow, the encoder's are output in the first step only.
    { op: 'Concat', inputs: ['one', 'heads', 'given', 'width'], outputs: ['newShape'], attributes: { axis: 0 } },
    { op: 'Expand', inputs: ['empty', 'newShape'], outputs: ['new'] },
    { op: 'Where', inputs: ['use_cache_branch', 'n0', 'n1500'], outputs: ['kept'] },
    ...CACHES.map((name): Node => {
      const present = [`present.${name}`]
      if (name.includes('decoder'))
        return { op: 'Concat', inputs: [`past_key_values.${name}`, 'new'], outputs: present, attributes: { axis: 2 } }
      return { op: 'Slice', inputs: [`${name.split('.').at(-1)}.filled`, 'n0', 'kept', 'n2'], outputs: present }
    }),
  ],
})

/** The band with the strongest response to a tone; a multiple of 40 Hz is one bin of the spectrum. */
export function bandOf(hertz: number): number {
  const heights = melBands(BANDS).map(({ first, weights }) => weights[hertz / FRAME_RATE - first] ?? 0)
  return heights.indexOf(Math.max(...heights))
}

/** Different words, because repeated text is rejected. */
const nameOf = (band: number): string => (((band + 1) * 7919 * 7919) % 999_983).toString(36)

/** The word that is transcribed for a tone. */
export function wordOf(hertz: number, isEnglish = true): string {
  const name = nameOf(bandOf(hertz))
  return isEnglish ? name : name.toUpperCase()
}

/** Replaces speech models by stubs: tones of a second are words. */
export function stubSpeechModels(folder: string, language: Parameters<typeof languageToken>[0] = 'en'): void {
  const words = [
    ...Array.from({ length: BANDS }, (_, band) => [`Ġ${nameOf(band)}`, FIRST_ENGLISH + band] as const),
    ...Array.from({ length: BANDS }, (_, band) => [`Ġ${nameOf(band).toUpperCase()}`, FIRST_FOREIGN + band] as const),
  ]
  stubModel(folder, 'silero-vad', LOUDNESS)
  stubModel(folder, 'whisper-tiny', {
    'encoder_model_quantized.onnx': TONES,
    'decoder_model_merged_quantized.onnx': wordsOf(languageToken(language)),
    'tokenizer.json': JSON.stringify({ model: { vocab: Object.fromEntries(words) } }),
  })
}

/** Tones at this level are speech; those far below are audible, but not speech. */
const LOUD = 9000
export const WHISPERED = 600

/** A WAV file of tones of a second each, 0 for silence, with their amplitudes. */
export function tones(folder: string, name: string, hertz: readonly number[], heights: readonly number[] = []): string {
  const samples = Int16Array.from({ length: hertz.length * SPEECH_RATE }, (_, at) => {
    const second = Math.floor(at / SPEECH_RATE)
    const own = hertz[second]!
    return (heights[second] ?? LOUD) * Math.sin((2 * Math.PI * own * at) / SPEECH_RATE)
  })
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SPEECH_RATE, 24)
  header.writeUInt32LE(2 * SPEECH_RATE, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([header, new Uint8Array(samples.buffer)]))
  return path
}
