import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import { infoOf, makeVideo, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function sizeAfter(source: string, settings: Record<string, unknown>): Promise<object> {
  const { paths } = await run(resizeVideo, folder, [source], settings)
  const { width, height, displayWidth, displayHeight, rotation } = videoStream(await infoOf(paths[0]!))!
  // The displayed size is the requested one: no stretched pixels.
  expect([displayWidth, displayHeight]).toEqual([width, height])
  expect(rotation).toBe(0)
  return { width, height }
}

describe('sizes of a 128 x 96 video', () => {
  test.each([
    [{ width: 64 }, 64, 48],
    [{ width: 65 }, 64, 48],
    [{ height: 50 }, 66, 50],
    [{ width: 200, height: 50 }, 200, 50],
    [{ width: 201, height: 51 }, 200, 50],
    [{ width: 16 }, 16, 12],
    [{ width: 17, height: 17 }, 16, 16],
    [{ preset: '360p' }, 480, 360],
    [{ preset: '480p', width: 16, height: 16 }, 640, 480],
    [{ preset: '720p' }, 960, 720],
  ])('%j', async (settings, width, height) => {
    expect(await sizeAfter(await makeVideo({ seconds: 1 }), settings)).toEqual({ width, height })
  })
})

test.each([
  ['1080p', 1080],
  ['1440p', 1440],
  ['2160p', 2160],
])('%s', async (preset, height) => {
  const source = await makeVideo({ seconds: 1, fps: 2, width: 64, height: 48 })
  expect(await sizeAfter(source, { preset })).toEqual({ width: (height * 4) / 3, height })
})

test('a rotated video: sizes are the displayed ones, and a named height is the height', async () => {
  const source = await makeVideo({ seconds: 1, rotation: 90 })
  expect(await sizeAfter(source, { width: 48 })).toEqual({ width: 48, height: 64 })
  expect(await sizeAfter(source, { preset: '360p' })).toEqual({ width: 270, height: 360 })
})

test('non-square pixels become square', async () => {
  const source = temporaryPath('wide.mp4')
  await runFfmpeg(['-i', await makeVideo({ seconds: 1 }), '-vf', 'setsar=2/1', '-an', source])
  expect(await sizeAfter(source, { width: 128 })).toEqual({ width: 128, height: 48 })
  expect(await sizeAfter(source, { height: 96 })).toEqual({ width: 256, height: 96 })
})

test.each([
  ['webm', 'vp9'],
  ['ogv', 'theora'],
  ['mpg', 'mpeg2video'],
  ['avi', 'h264'],
  ['mkv', 'h264'],
])('%s is kept and encoded with %s', async (extension, codec) => {
  const source = await makeVideo({ seconds: 1, audio: true, extension })
  const { paths, names } = await run(resizeVideo, folder, [source], { width: 64 })
  expect(names[0]).toMatch(new RegExp(`_resized\\.${extension}$`))
  const [before, after] = [await infoOf(source), await infoOf(paths[0]!)]
  expect(after.format).toBe(before.format)
  expect(videoStream(after)).toMatchObject({ codec, width: 64, height: 48 })
  expect(audioStreams(after)[0]!.codec).toBe(audioStreams(before)[0]!.codec)
})

test('copies the audio sample for sample', async () => {
  const source = await makeVideo({ seconds: 1, audio: true, extension: 'mkv' })
  const { paths } = await run(resizeVideo, folder, [source], { width: 64 })
  expect(await samplesOf(paths[0]!)).toEqual(await samplesOf(source))
})

test.each([{}, { preset: 'custom' }, { width: 15 }, { width: 7681 }, { height: 4321 }, { preset: '999p' }])(
  'refused: %j',
  async (settings) => {
    const source = await makeVideo({ seconds: 1 })
    await expect(run(resizeVideo, folder, [source], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  },
)
