/** How long a recording may keep its place. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Stream } from '../../src/engines/ffmpeg/media-info.ts'
import type { AvSource } from '../../src/media/av/input/part.ts'
import { limitByLength } from '../../src/pipeline/run/av-time.ts'
import { runTask } from '../../src/pool/run-task.ts'
import { makeAudio, makeVideo } from '../helpers/av.ts'
import { toolTask } from '../helpers/pool.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

const recording = (durationS: number | undefined, displayWidth = 0, displayHeight = 0): AvSource => {
  const stream = { index: 0, type: 'video', displayWidth, displayHeight } as Stream
  const streams = displayWidth > 0 ? [stream] : []
  const info = { format: 'matroska', durationS, sizeBytes: 1, tags: {}, chapters: 0, streams }
  return { path: '/a.mkv', name: 'a.mkv', extension: 'mkv', info }
}

test.each([
  ['sound', [recording(10)], 900],
  ['a film of 1080p', [recording(10, 1920, 1080)], 900],
  ['a film of four times the pixels', [recording(10, 3840, 2160)], 2700],
  ['two films', [recording(10, 1920, 1080), recording(20)], 2100],
  ['a film of unknown length', [recording(10), recording(undefined)], undefined],
  ['no recording', [], undefined],
])('%s', (_, sources, wanted) => {
  const told: number[] = []
  limitByLength({ limitByInput: (seconds) => told.push(seconds) }, sources)
  expect(told).toEqual(wanted === undefined ? [] : [wanted])
})

test.each([
  ['that is part of a run', 'audio/volume-adjust', () => makeAudio({ seconds: 2 })],
  ['that works alone', 'video/video-to-frames', () => makeVideo({ seconds: 2 })],
])('a step %s tells it before it begins', async (_, target, make) => {
  const told: number[] = []
  const ignore = (): void => undefined
  const staging = join(folder, `staging-${told.length}-${target.replace('/', '-')}`)
  mkdirSync(staging)
  await runTask(toolTask(folder, target, [await make()]), {
    ...{ staging, signal: new AbortController().signal, onProgress: ignore, onWarning: ignore, onMoreTime: ignore },
    onInputLimit: (seconds) => told.push(Math.round(seconds)),
  })
  expect(told).toEqual([420])
})
