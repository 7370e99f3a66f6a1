/** An audio file without samples, and a video of one frame: a valid result, or a clear refusal. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { loadTool, scanTools } from '../../../src/tool/registry.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import videoToWebp from '../../../tools/video/convert/video-to-webp.ts'
import changeFps from '../../../tools/video/time/change-fps.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { infoOf, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const empty = () =>
  sharedMedia(['no sound'], 'empty.wav', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', 'anullsrc', '-t', '0', path])
  })
const oneFrame = () => makeVideo({ seconds: 0.04, width: 64, height: 48 })

describe('a WAV without a sample', () => {
  test('is refused by every audio tool with the same message', async () => {
    const entries = (await scanTools()).filter(({ section, base }) => section === 'audio' && !base)
    expect(entries.length).toBeGreaterThan(10)
    const wav = await empty()
    for (const entry of entries) {
      const tool = await loadTool(entry)
      if (!tool.input.accept.includes('audio')) continue
      const example = tool.examples.find(({ settings }) => settings)?.settings ?? {}
      const inputs = tool.input.min > 1 ? [wav, wav] : [wav]
      await expect(run(tool, folder, inputs, example), tool.id).rejects.toMatchObject({
        code: 'INVALID_FILE',
        message: expect.stringContaining('contains no audio: its duration is 0'),
      })
    }
    expect(readdirSync(join(folder)).flatMap((name) => readdirSync(join(folder, name)))).toEqual([])
  })
})

describe('one frame stays one frame', () => {
  test.each([
    [changeFps, { fps: 1 }],
    [videoSpeed, { factor: 4 }],
    [videoToGif, { width: 64 }],
    [videoToWebp, { width: 64 }],
    [trimVideo, { endS: 1, precise: true }],
  ] as const)('$id', async (tool, settings) => {
    const { paths } = await run(tool, folder, [await oneFrame()], settings)
    if (tool === videoToWebp) return
    const info = await infoOf(paths[0]!)
    expect(info.streams).toHaveLength(1)
    expect(info.streams[0]).toMatchObject({ width: 64, height: 48, frames: 1 })
  })

  test('0.01 s of a video is a GIF of one frame', async () => {
    const { paths } = await run(videoToGif, folder, [await makeVideo()], { width: 64, durationS: 0.01 })
    expect((await infoOf(paths[0]!)).streams[0]).toMatchObject({ width: 64, frames: 1 })
  })
})
