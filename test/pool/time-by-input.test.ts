/** How long a media file may occupy its slot. */
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

const media = (durationS: number | undefined, displayWidth = 0, displayHeight = 0): AvSource => {
  const stream = { index: 0, type: 'video', displayWidth, displayHeight } as Stream
  const streams = displayWidth > 0 ? [stream] : []
  const info = { format: 'matroska', durationS, sizeBytes: 1, tags: {}, chapters: 0, streams }
  return { path: '/a.mkv', name: 'a.mkv', extension: 'mkv', info }
}

test.each([
  ['audio', [media(10)], 900],
  ['a video of 1080p', [media(10, 1920, 1080)], 900],
  ['a video of four times the pixels', [media(10, 3840, 2160)], 2700],
  ['two videos', [media(10, 1920, 1080), media(20)], 2100],
  ['a video of unknown length', [media(10), media(undefined)], undefined],
  ['no media file', [], undefined],
])('%s', (_, sources, wanted) => {
  const reported: number[] = []
  limitByLength({ limitByInput: (seconds) => reported.push(seconds) }, sources)
  expect(reported).toEqual(wanted === undefined ? [] : [wanted])
})

test.each([
  ['that is part of a run', 'audio/volume-adjust', () => makeAudio({ seconds: 2 })],
  ['that works alone', 'video/video-to-frames', () => makeVideo({ seconds: 2 })],
])('a step %s reports it before it starts', async (_, target, make) => {
  const reported: number[] = []
  const ignore = (): void => undefined
  const staging = join(folder, `staging-${reported.length}-${target.replace('/', '-')}`)
  mkdirSync(staging)
  await runTask(toolTask(folder, target, [await make()]), {
    ...{ staging, signal: new AbortController().signal, onProgress: ignore, onWarning: ignore, onMoreTime: ignore },
    onInputLimit: (seconds) => reported.push(Math.round(seconds)),
  })
  expect(reported).toEqual([420])
})
