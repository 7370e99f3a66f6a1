/** Progress covers every pass of a tool: it rises, and each pass has its part of it. */
import { describe, expect, test } from 'vitest'
import { progressReader } from '../../../src/engines/ffmpeg/progress.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import type { StepContext } from '../../../src/tool/job.ts'
import type { AvStep } from '../../../src/tool/steps.ts'
import normalizeAudio from '../../../tools/audio/normalize-audio.ts'
import silenceRemoval from '../../../tools/audio/silence-removal.ts'
import volumeAdjust from '../../../tools/audio/volume-adjust.ts'
import videoLoudnorm from '../../../tools/video/audio/video-loudnorm.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import videoToWebp from '../../../tools/video/convert/video-to-webp.ts'
import stabilizeVideo from '../../../tools/video/geometry/stabilize-video.ts'
import { makeAudio, makeVideo, sourceOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

describe('passes before the encode', () => {
  test.each([
    [normalizeAudio, {}, 0.4],
    [videoLoudnorm, {}, 0.4],
    [volumeAdjust, { gainDb: 6 }, 0.4],
    [silenceRemoval, {}, 0.4],
    [stabilizeVideo, {}, 0.5],
  ] as const)('%#', async (tool, settings, first) => {
    const small = { width: 64, height: 48, seconds: 4, audio: true }
    const source = tool.section === 'audio' ? await makeAudio({ seconds: 4 }) : await makeVideo(small)
    const reached: number[] = []
    await run(tool, folder, [source], settings, { onProgress: (fraction) => reached.push(fraction) })
    expect(reached).toEqual([...reached].sort((one, other) => one - other))
    expect(reached.some((fraction) => Math.abs(fraction - first) < 0.001)).toBe(true)
    expect(reached.at(-1)).toBe(1)
  })
})

/** What a listener receives of these lines. */
function fractionsOf(lines: string, frames?: { expected: number; share: number }): number[] {
  const received: number[] = []
  const read = progressReader(10, (fraction) => received.push(Number(fraction.toFixed(3))), frames)
  for (const line of lines.split(' ')) read(line)
  return received
}

describe('frames', () => {
  const block = (frame: number, seconds: string) => `frame=${frame} out_time=00:00:${seconds} progress=continue`

  test('only the frame number, if the position is unknown before the end', () => {
    const lines = `${block(0, 'N/A')} ${block(25, 'N/A')} ${block(75, 'N/A')} progress=end`
    expect(fractionsOf(lines, { expected: 100, share: 1 })).toEqual([0.25, 0.75, 1])
  })

  test('after the times that a filter prints, if all is read before writing', () => {
    const lines = `0.000000 5.000000 5.040000 10.000000 ${block(50, '05.0')} progress=end`
    expect(fractionsOf(lines, { expected: 100, share: 0.4 })).toEqual([0.3, 0.6, 0.8, 1])
  })

  test('a GIF reports progress while its frames are read', async () => {
    const source = await makeVideo({ width: 64, height: 48, seconds: 2 })
    const reached: number[] = []
    const settings = { width: 64, durationS: 60 }
    await run(videoToGif, folder, [source], settings, { onProgress: (fraction) => reached.push(fraction) })
    expect(reached.filter((fraction) => fraction > 0 && fraction <= 0.6).length).toBeGreaterThan(20)
    expect(reached).toEqual([...reached].sort((one, other) => one - other))
    expect(reached.at(-1)).toBe(1)
  })

  test.each([
    [videoToGif, { fps: 10, width: 64, durationS: 60 }],
    [videoToWebp, { fps: 10, width: 64 }],
  ] as const)('%#: as many as are expected', async (tool, settings) => {
    const source = await sourceOf(await makeVideo({ width: 64, height: 48, seconds: 2 }))
    const { plan } = (tool as unknown as { step: AvStep }).step
    const part = await plan!(source, { startS: 0, quality: 75, loop: true, ...settings }, {
      warn() {},
    } as unknown as StepContext)
    expect(planAv(source, [part], temporaryPath('out')).frames!.expected).toBe(20)
  })
})
