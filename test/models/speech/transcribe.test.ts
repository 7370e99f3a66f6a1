import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MediaprocError } from '../../../src/errors.ts'
import { transcribe } from '../../../src/models/speech/transcribe.ts'
import { sourceOf } from '../../helpers/av.ts'
import { stubSpeechModels, tones, wordOf } from '../../helpers/speech.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
stubSpeechModels(folder)

/** Progress messages for an audio file that states its own length. */
async function listen(
  path: string,
  { stop = new AbortController(), stopAt = Number.POSITIVE_INFINITY, durationS = 1 } = {},
) {
  const reported: [number, string][] = []
  const more: number[] = []
  const source = await sourceOf(path)
  const { signal } = stop
  const transcript = await transcribe({ ...source, info: { ...source.info, durationS } }, 'auto', {
    signal,
    warn: () => undefined,
    moreTime: (seconds) => more.push(seconds),
    progress(fraction, phase) {
      reported.push([fraction, phase])
      if (fraction >= stopAt) stop.abort(new MediaprocError('CANCELED'))
    },
    scratch: async () => mkdtempSync(join(folder, 'scratch-')),
  })
  return { transcript, reported, more }
}

test('an abort stops it, and does not affect the next job', async () => {
  const path = tones(folder, 'word.wav', [400])
  await expect(listen(path, { stopAt: 0.2 })).rejects.toMatchObject({ code: 'CANCELED' })
  const { transcript, reported } = await listen(path)
  expect(transcript.segments.map(({ text }) => text)).toEqual([wordOf(400)])
  expect([...new Set(reported.map(([, phase]) => phase))]).toEqual([
    ...['decoding the audio', 'looking for speech', 'transcribing'],
  ])
  const fractions = reported.map(([fraction]) => fraction)
  expect(fractions).toEqual(fractions.toSorted((one, other) => one - other))
  expect(fractions.at(-1)).toBeCloseTo(0.95)
})

test('a long file may take twice its length', async () => {
  const silence = tones(folder, 'silence.wav', [0])
  expect((await listen(silence, { durationS: 150 })).more).toEqual([])
  expect((await listen(silence, { durationS: 3600 })).more).toEqual([6900])
})

test('two concurrent jobs take turns, each with its own results', async () => {
  const [one, other] = [400, 800].map((hertz) => listen(tones(folder, `${hertz}.wav`, [hertz, hertz])))
  expect((await one!).transcript.segments.map(({ text }) => text)).toEqual([wordOf(400), wordOf(400)])
  expect((await other!).transcript.segments.map(({ text }) => text)).toEqual([wordOf(800), wordOf(800)])
})
