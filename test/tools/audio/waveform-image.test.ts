import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import waveformImage from '../../../tools/audio/waveform-image.ts'
import { makeAudio, makeVideo, temporaryPath } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function draw(source: string, settings: Record<string, unknown> = {}) {
  const { paths, names } = await run(waveformImage, folder, [source], settings)
  const { data, info } = await sharp(paths[0]!).raw().toBuffer({ resolveWithObject: true })
  const pixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
  return { name: names[0]!, info, pixel }
}

test('1024 x 256, indigo on transparent', async () => {
  const loud = temporaryPath('loud.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'aevalsrc=0.5*sin(440*2*PI*t):d=2:s=44100', loud])
  const { name, info, pixel } = await draw(loud)
  expect(name).toMatch(/_waveform\.png$/)
  expect(info).toMatchObject({ width: 1024, height: 256, channels: 4 })
  expect(pixel(512, 128)).toEqual([0x4f, 0x46, 0xe5, 255])
  // Linear: opaque up to the mean, 0.35 of the half height, and semi-transparent up to the loudest samples, 0.5 of it.
  expect(pixel(512, 128 - 37)[3]).toBe(255)
  expect([127, 128]).toContain(pixel(512, 128 - 55)[3])
  expect(pixel(512, 128 - 66)[3]).toBe(0)
  expect(pixel(512, 128 - 95)[3]).toBe(0)
  expect(pixel(512, 3)).toEqual([0, 0, 0, 0])
})

test('full scale fills the height, silence is a line', async () => {
  const source = temporaryPath('full.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', "aevalsrc='gte(t,1)*(2*gte(sin(220*2*PI*t),0)-1)':d=2:s=44100", source])
  const { pixel } = await draw(source, { width: 256, height: 64 })
  for (const y of [0, 32, 63]) expect(pixel(200, y)[3], `row ${y}`).toBe(255)
  expect([0, 30, 31, 32, 33].map((y) => pixel(60, y)[3]! > 0)).toEqual([false, false, true, true, false])
})

test('shows the loudest sample of a long file', async () => {
  const source = temporaryPath('click.wav')
  // More samples than are stored individually, and one peak.
  await runFfmpeg(['-f', 'lavfi', '-i', "aevalsrc='0.01+0.89*eq(n,200000)':d=6:s=48000", source])
  const { pixel } = await draw(source, { width: 256, height: 64 })
  const column = Math.floor((200_000 / (6 * 48_000)) * 256)
  const tops = Array.from({ length: 256 }, (_, x) => [x, pixel(x, 5)[3]! > 0] as const).filter(([, isDrawn]) => isDrawn)
  expect(tops.map(([x]) => x)).toEqual([column])
})

test('the picture follows the audio: silence first, then a tone', async () => {
  const source = temporaryPath('late.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'aevalsrc=0.8*sin(440*2*PI*t)*gte(t\\,1):d=2:s=44100', source])
  const { pixel } = await draw(source, { width: 256, height: 64 })
  expect(pixel(60, 16)[3]).toBe(0)
  expect(pixel(200, 16)[3]).toBe(255)
})

describe('settings', () => {
  test.each([
    { width: 256, height: 64, color: '#ff0000' },
    { width: 3840, height: 1080, color: '#00FF00' },
  ])('%j', async ({ width, height, color }) => {
    const { info, pixel } = await draw(await makeAudio(), { width, height, color })
    expect(info).toMatchObject({ width, height })
    const expected = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    expect(pixel(width / 2, height / 2).slice(0, 3)).toEqual(expected)
  })

  test.each([
    { width: 255 },
    { width: 3841 },
    { height: 63 },
    { height: 1081 },
    { color: 'reddish' },
    { color: '#ffff0' },
  ])('refused: %j', async (settings) => {
    await expect(draw(await makeAudio(), settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

test('stereo: one colour for both, semi-transparent where only one channel reaches', async () => {
  const source = temporaryPath('stereo.wav')
  const channels = 'aevalsrc=0.9*sin(440*2*PI*t)|0.3*sin(440*2*PI*t):d=2:s=44100'
  await runFfmpeg(['-f', 'lavfi', '-i', channels, source])
  const { pixel } = await draw(source, { color: '#ff0000' })
  expect(pixel(512, 128)[3]).toBeGreaterThan(250)
  const outside = pixel(512, 128 - 50)
  expect(outside.slice(1, 3)).toEqual([0, 0])
  expect(outside[3]).toBeGreaterThan(60)
  expect(outside[3]).toBeLessThan(200)
})

test('covers, videos, and audio with fewer samples than pixels', async () => {
  expect((await draw(await withCover('mp3'))).info.width).toBe(1024)
  expect((await draw(await makeVideo({ audio: true }))).info.width).toBe(1024)
  expect((await draw(await makeAudio({ seconds: 0.01 }), { width: 3840 })).info.width).toBe(3840)
})

test.each(['50% %03d', '-y', 'new\nline', 'a:b'])('names and folders such as %j', async (name) => {
  const odd = join(mkdtempSync(join(folder, 'odd-')), name)
  mkdirSync(odd)
  const source = join(odd, `${name}.mp3`)
  copyFileSync(await makeAudio({ extension: 'mp3' }), source)
  const { paths, names } = await run(waveformImage, odd, [source])
  expect(names).toEqual([`${name}_waveform.png`])
  expect((await sharp(await sharp(paths[0]!).toBuffer()).metadata()).width).toBe(1024)
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder)) await expect(draw(path), path).rejects.toMatchObject({ code })
})
