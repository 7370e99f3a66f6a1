/** Speech detection in a real audio file, with weights from the npm registry. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { decodeMonoSound, SPEECH_RATE } from '../../../src/media/av/filters/mono-sound.ts'
import { install } from '../../../src/models/install/install.ts'
import { findSpeech } from '../../../src/models/speech/voice-activity.ts'
import { replaceModel } from '../../../src/models/store/installed.ts'
import { useModel } from '../../../src/models/use-model.ts'
import { sourceOf } from '../../helpers/av.ts'
import { CORPUS } from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SPEECH = join(CORPUS, 'audio/jfk.flac')
const context = { signal: new AbortController().signal, warn: () => undefined, onProgress: () => undefined }

/** The current release of the weights, if installed. */
const NEWEST = join(CORPUS, '../models/transcription/silero_vad.onnx')

/** Start and end of detected speech in seconds. */
async function heardBy(model: string, path: string): Promise<number[][]> {
  const audio = await decodeMonoSound(await sourceOf(path), join(folder, 'sound.s16'), context)
  const found = await useModel([model], context, (loaded) => findSpeech(audio, loaded))
  await audio.close()
  return found!.map(({ from, to }) => [from / SPEECH_RATE, to / SPEECH_RATE])
}

function expectNear(found: number[][], expected: number[][]): void {
  expect(found).toHaveLength(expected.length)
  for (const [index, stretch] of expected.entries())
    for (const side of [0, 1]) expect(Math.abs(found[index]![side]! - stretch[side]!), `${found}`).toBeLessThan(0.1)
}

describe('Silero', () => {
  beforeAll(async () => {
    const { signal } = context
    await install([{ tier: 'light', models: ['silero-vad-v5'] }], join(folder, 'store'), {
      signal,
      acceptLicence: false,
    })
  })
  beforeEach(() => {
    vi.stubEnv('MEDIAPROC_MODELS', join(folder, 'store'))
  })

  test.skipIf(!existsSync(SPEECH))('detects a speech and its pauses', async () => {
    // As measured by the author of the weights' description.
    const stretches = [
      [0.31, 2.23],
      [3.29, 3.83],
      [3.99, 4.41],
      [5.4, 7.64],
      [8.18, 10.55],
    ]
    expectNear(await heardBy('silero-vad-v5', SPEECH), stretches)
  })

  test.skipIf(!existsSync(SPEECH) || !existsSync(NEWEST))('and so do its newest weights', async () => {
    replaceModel('silero-vad', new Map([['silero_vad.onnx', NEWEST]]))
    // They ignore one short pause.
    const found = await heardBy('silero-vad', SPEECH).finally(() => replaceModel('silero-vad', undefined))
    expectNear(found, [
      [0.31, 2.23],
      [3.29, 4.41],
      [5.4, 7.64],
      [8.18, 10.55],
    ])
  })

  test('noise and a tone are not speech', async () => {
    const path = join(folder, 'noise.wav')
    const inputs = ['anoisesrc=d=4:c=pink:a=0.3:seed=1', 'sine=frequency=440:d=4'].flatMap((one) => [
      '-f',
      'lavfi',
      '-i',
      one,
    ])
    await runFfmpeg([...inputs, '-filter_complex', 'concat=n=2:v=0:a=1', path])
    expect(await heardBy('silero-vad-v5', path)).toEqual([])
  })
})
