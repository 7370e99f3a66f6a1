import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import { makeVideo, paintedVideo, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function gifOf(source: string, settings: Record<string, unknown>) {
  const { paths, names } = await run(videoToGif, folder, [source], settings)
  expect(names[0]).toMatch(/^[^/]*video\.gif$|^\d+-[a-z]+\.gif$/)
  const { format, width, pageHeight, pages = 1, delay = [], loop } = await sharp(paths[0]!, { pages: -1 }).metadata()
  expect(format).toBe('gif')
  return {
    path: paths[0]!,
    width,
    height: pageHeight,
    frames: pages,
    durationMs: delay.reduce((sum, one) => sum + one, 0),
    loop,
  }
}

test('12 frames per second, 480 wide, the first 5 seconds, in a loop', async () => {
  const gif = await gifOf(await makeVideo({ seconds: 6, fps: 12 }), {})
  expect(gif).toMatchObject({ width: 480, height: 360, frames: 60, loop: 0 })
  expect(Math.abs(gif.durationMs - 5000)).toBeLessThan(200)
})

test('names the part that a GIF of default length omits; not a requested one', async () => {
  const source = await makeVideo({ seconds: 6, fps: 12 })
  const named = 'the GIF shows 5 s of 6 s: durationS sets another length, up to 60 s'
  const small = { width: 64, fps: 2 }
  expect((await run(videoToGif, folder, [source], small)).warnings).toEqual([named])
  for (const settings of [{ durationS: 3 }, { durationS: 6 }, { startS: 1 }])
    expect((await run(videoToGif, folder, [source], { ...small, ...settings })).warnings).toEqual([])
})

describe('settings', () => {
  test.each([
    [
      { fps: 1, width: 64, durationS: 2 },
      { width: 64, height: 48, frames: 2 },
    ],
    [
      { fps: 30, width: 128, durationS: 1 },
      { width: 128, height: 96, frames: 30 },
    ],
    [
      { fps: 10, width: 64, startS: 1.5, durationS: 60 },
      { width: 64, height: 48, frames: 5 },
    ],
    [
      { fps: 10, width: 1280, durationS: 0.2 },
      { width: 1280, height: 960, frames: 2 },
    ],
  ])('%j', async (settings, expected) => {
    const { path: _path, ...gif } = await gifOf(await makeVideo({ audio: true }), settings)
    expect(gif).toMatchObject(expected)
  })

  test.each([
    { fps: 0 },
    { fps: 31 },
    { width: 63 },
    { width: 1281 },
    { durationS: 0 },
    { durationS: 60.5 },
    { startS: -1 },
    { startS: 2 },
  ])('refused: %j', async (settings) => {
    await expect(run(videoToGif, folder, [await makeVideo()], settings)).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

test.each(['flv', 'avi', 'mkv', 'webm', 'mpg', 'ts'])('a part of %s', async (extension) => {
  const source = await makeVideo({ extension, seconds: 3 })
  const { frames } = await gifOf(source, { fps: 10, width: 64, startS: 1, durationS: 1 })
  expect(Math.abs(frames - 10)).toBeLessThanOrEqual(1)
})

test('the part is the requested one', async () => {
  const source = temporaryPath('blink.mp4')
  const halves = 'color=black:s=64x64:r=10:d=1[a];color=white:s=64x64:r=10:d=1[b];[a][b]concat'
  await runFfmpeg(['-f', 'lavfi', '-i', halves, '-pix_fmt', 'yuv420p', source])
  const dark = await gifOf(source, { fps: 10, width: 64, durationS: 0.5 })
  expect((await sharp(dark.path).stats()).channels[0]!.mean).toBeLessThan(10)
  const light = await gifOf(source, { fps: 10, width: 64, startS: 1.2, durationS: 0.5 })
  expect((await sharp(light.path).stats()).channels[0]!.mean).toBeGreaterThan(245)
})

test('draws a rotated video, and one with non-square pixels, as displayed', async () => {
  const turned = await makeVideo({ rotation: 90, seconds: 1 })
  expect(await gifOf(turned, { width: 96, fps: 5, durationS: 1 })).toMatchObject({ width: 96, height: 128 })
  const wide = temporaryPath('wide.mp4')
  await runFfmpeg(['-i', await makeVideo({ seconds: 1 }), '-vf', 'setsar=2/1', wide])
  expect(await gifOf(wide, { width: 128, fps: 5, durationS: 1 })).toMatchObject({ width: 128, height: 48 })
})

test('static parts stay equal in all frames, which keeps the file small', async () => {
  const still = 'color=black:s=128x96:r=5:d=1,geq=r=2*X:g=2*Y:b=128'
  const moving = `${still}[ground];color=white:s=16x16:r=5:d=1[box];[ground][box]overlay=x=10*n:y=4,format=yuv420p`
  const { path } = await gifOf(await paintedVideo(moving), { fps: 5, width: 128, durationS: 1 })
  const { data, info } = await sharp(path, { pages: -1 }).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const size = 128 * 96 * info.channels
  // Below the box.
  const parts = [0, 1, 2, 3].map((page) => data.subarray(page * size + 128 * 40 * info.channels, (page + 1) * size))
  for (const part of parts.slice(1)) {
    const changed = part.filter((value, at) => Math.abs(value - parts[0]![at]!) > 12).length
    expect(changed / part.length).toBeLessThan(0.01)
  }
})
