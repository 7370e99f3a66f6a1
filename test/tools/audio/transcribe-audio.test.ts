import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { replaceModel } from '../../../src/models/store/installed.ts'
import transcribeAudio from '../../../tools/audio/transcribe-audio.ts'
import { stubModel } from '../../helpers/models.ts'
import type { Graph } from '../../helpers/onnx.ts'
import { stubSpeechModels, tones, WHISPERED, wordOf } from '../../helpers/speech.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
stubSpeechModels(folder, 'de')

/** Every tone differs from its neighbours, and identifies its second. */
const speech = (seconds: number): number[] =>
  Array.from({ length: seconds }, (_, second) => 200 + 80 * ((second * 11) % 40))

/** A graph that can be loaded. */
const IDENTITY: Graph = {
  inputs: [{ name: 'x', shape: ['n'] }],
  outputs: [{ name: 'y', shape: ['n'] }],
  nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
}

/** Two words, a pause and a third. */
const REMARKS = [0, 0, 400, 800, 0, 0, 0, 1200]

const text = (path: string): string => readFileSync(path, 'utf8')

test('words across windows, none repeated and none lost', async () => {
  const said = speech(34)
  const source = tones(folder, 'talk.wav', said)
  const { names, paths, report, warnings } = await run(transcribeAudio, folder, [source], { language: 'en' })
  expect(names).toEqual(['talk.txt'])
  expect(text(paths[0]!)).toBe(`${said.map((hertz) => wordOf(hertz)).join(' ')}\n`)
  expect(report).toEqual({ language: 'en', segments: 34, model: 'whisper-tiny' })
  expect(warnings).toEqual([])
})

test('detects the language, and subtitles have the times of the words', async () => {
  const source = tones(folder, 'remarks.wav', REMARKS)
  const srt = await run(transcribeAudio, folder, [source], { outputFormat: 'srt' })
  expect(srt.names).toEqual(['remarks.srt'])
  expect(srt.report).toEqual({ language: 'de', segments: 3, model: 'whisper-tiny' })
  const cues = text(srt.paths[0]!).split('\n\n')
  expect(cues.map((cue) => cue.trim().split('\n')[2])).toEqual([400, 800, 1200].map((hertz) => wordOf(hertz, false)))
  const starts = [...text(srt.paths[0]!).matchAll(/^00:00:(\d\d),(\d{3}) -->/gm)].map(([, s, ms]) =>
    Number(`${s}.${ms}`),
  )
  expect(starts).toHaveLength(3)
  // Speech is detected 0.4 s before it, and the stub counts seconds from there.
  for (const [index, second] of [2, 3, 7].entries()) expect(Math.abs(starts[index]! - second)).toBeLessThan(0.5)
  const vtt = await run(transcribeAudio, folder, [source], { outputFormat: 'vtt' })
  expect(text(vtt.paths[0]!)).toMatch(/^WEBVTT\n\n00:00:01\.\d{3} --> 00:00:02\.\d{3}\n/)
})

test.each([
  ['txt', ''],
  ['srt', ''],
  ['vtt', 'WEBVTT\n'],
])('silence as %s is an empty result', async (outputFormat, content) => {
  const source = tones(folder, 'silence.wav', [0, 0])
  const { paths, report, warnings } = await run(transcribeAudio, folder, [source], { outputFormat })
  expect(text(paths[0]!)).toBe(content)
  expect(report).toEqual({ language: 'und', segments: 0 })
  expect(warnings).toEqual(['no speech was detected'])
})

test('omits guesses where nobody speaks', async () => {
  const said = [400, 0, 0, 0, 1000, 0, 0, 0, 800]
  const source = tones(folder, 'made-up.wav', said, [9000, 0, 0, 0, WHISPERED])
  const { paths } = await run(transcribeAudio, folder, [source], { language: 'en' })
  expect(text(paths[0]!)).toBe(`${wordOf(400)} ${wordOf(800)}\n`)
  // If it is loud enough to be speech, it is transcribed.
  const loud = await run(transcribeAudio, folder, [tones(folder, 'spoken.wav', said)], { language: 'en' })
  expect(text(loud.paths[0]!)).toBe(`${wordOf(400)} ${wordOf(1000)} ${wordOf(800)}\n`)
})

describe('the models', () => {
  const source = tones(folder, 'word.wav', [400])
  const files = [wordOf(400, false)]
  const said = async () => {
    const { paths, report, warnings } = await run(transcribeAudio, folder, [source])
    return { words: text(paths[0]!).trim().split(' '), report, warnings }
  }
  afterEach(() => {
    for (const id of ['whisper-small', 'silero-vad', 'whisper-tiny']) replaceModel(id, undefined)
    stubSpeechModels(folder, 'de')
  })

  test('falls back from a model that cannot be loaded to the next, with a warning', async () => {
    // The first of its graphs is valid, and the second is not.
    stubModel(folder, 'whisper-small', {
      'encoder_model_quantized.onnx': IDENTITY,
      'decoder_model_merged_quantized.onnx': 'no graph',
      'tokenizer.json': '{}',
    })
    const { words, report, warnings } = await said()
    expect(words).toEqual(files)
    expect(report).toMatchObject({ model: 'whisper-tiny' })
    expect(warnings.join()).toContain('whisper-small could not be loaded')
  })

  test('transcribes everything without a voice detection model, with a warning', async () => {
    replaceModel('silero-vad', 'absent')
    const { words, warnings } = await said()
    expect(words).toEqual(files)
    expect(warnings.join()).toContain('silence is transcribed, too')
  })

  test('without a speech model names what to install', async () => {
    replaceModel('whisper-tiny', 'absent')
    await expect(said()).rejects.toMatchObject({
      code: 'FEATURE_NOT_INSTALLED',
      fields: { feature: 'transcription' },
      hint: expect.stringContaining('mediaproc models install transcription'),
    })
  })

  test('an invalid tokenizer is a damaged model', async () => {
    replaceModel(
      'whisper-tiny',
      new Map([
        ['encoder_model_quantized.onnx', join(folder, 'whisper-tiny', 'encoder_model_quantized.onnx')],
        ['decoder_model_merged_quantized.onnx', join(folder, 'whisper-tiny', 'decoder_model_merged_quantized.onnx')],
        ['tokenizer.json', source],
      ]),
    )
    await expect(said()).rejects.toMatchObject({ message: 'The tokenizer of the speech model is damaged' })
  })
})
