import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import {
  distance,
  frameTimes,
  grayFrame,
  grayFrames,
  infoOf,
  makeVideo,
  samplesOf,
  sharedMedia,
  temporaryPath,
} from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

describe('copied', () => {
  test.each(['mp4', 'mov', 'mkv', 'webm', 'avi', 'ts', 'flv'])(
    '%s keeps its container and codecs',
    async (extension) => {
      const source = await makeVideo({ seconds: 4, audio: true, extension })
      const { paths, names } = await run(trimVideo, folder, [source], { startS: 1, endS: 3 })
      expect(names[0]).toMatch(new RegExp(`_trimmed\\.${extension}$`))
      const [before, after] = [await infoOf(source), await infoOf(paths[0]!)]
      expect(after.format).toBe(before.format)
      expect(after.streams.map(({ codec }) => codec)).toEqual(before.streams.map(({ codec }) => codec))
      // It may start at the key frame before: there is one each second.
      expect(after.durationS).toBeGreaterThan(1.9)
      expect(after.durationS).toBeLessThan(3.2)
    },
  )

  test('the frames at a key frame are identical', async () => {
    const source = await makeVideo({ seconds: 4 })
    const { paths } = await run(trimVideo, folder, [source], { startS: 2, endS: 3 })
    expect(await grayFrame(paths[0]!, 0)).toEqual((await grayFrames(source))[50])
  })

  test('keeps all tracks, subtitles and the rotation', async () => {
    const video = await makeVideo({ seconds: 4, audioTracks: 2, rotation: 90 })
    const subtitles = temporaryPath('words.srt')
    writeFileSync(subtitles, '1\n00:00:02,000 --> 00:00:03,000\nHello\n')
    const source = temporaryPath('full.mp4')
    const maps = ['-map', '0', '-map', '1', '-c', 'copy', '-c:s', 'mov_text']
    await runFfmpeg(['-i', video, '-i', subtitles, ...maps, source])
    const { paths } = await run(trimVideo, folder, [source], { startS: 1, endS: 4 })
    const info = await infoOf(paths[0]!)
    expect(audioStreams(info)).toHaveLength(2)
    expect(info.streams.some(({ codec }) => codec === 'mov_text')).toBe(true)
    expect(videoStream(info)!.rotation).toBe(90)
  })
})

describe('precise', () => {
  test.each([
    ['mp4', 'h264', 'aac'],
    ['mkv', 'h264', 'aac'],
    ['avi', 'h264', 'aac'],
    ['webm', 'vp9', 'opus'],
    ['ogv', 'theora', 'vorbis'],
    ['mpg', 'mpeg2video', 'mp2'],
    ['flv', 'h264', 'aac'],
  ])('%s to the frame', async (extension, video, audio) => {
    const source = await makeVideo({ seconds: 4, audio: true, extension })
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.2, endS: 2.6, precise: true })
    const info = await infoOf(paths[0]!)
    expect(videoStream(info)!.codec).toBe(video)
    // AVI is cut like the others; its sound is what the container's own encoder writes.
    expect(audioStreams(info)[0]!.codec).toBe(extension === 'avi' ? 'mp3' : audio)
    expect(Math.abs(info.durationS! - 1.4)).toBeLessThan(0.12)
    const first = await grayFrame(paths[0]!, 0)
    const numbers = [27, 28, 29, 30, 31, 32]
    const all = await grayFrames(source)
    const distances = numbers.map((number) => distance(first, all[number]!))
    const shown = numbers[distances.indexOf(Math.min(...distances))]
    // H.264 in AVI has no times of its own: ffmpeg counts its first frame as the second.
    expect(extension === 'avi' ? [29, 30] : [30]).toContain(shown)
  })

  test('35 frames for 1.4 s', async () => {
    const source = await makeVideo({ seconds: 4 })
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.2, endS: 2.6, precise: true })
    const info = await infoOf(paths[0]!)
    expect(videoStream(info)!.frames).toBe(35)
    expect(info.durationS).toBeCloseTo(1.4, 2)
  })
})

test('an end after the end cuts at the end', async () => {
  const source = await makeVideo({ seconds: 4 })
  for (const precise of [false, true]) {
    const { paths } = await run(trimVideo, folder, [source], { startS: 2, endS: 900, precise })
    // Copied frames have the encoder's delay of two frames.
    expect(Math.abs((await infoOf(paths[0]!)).durationS! - 2)).toBeLessThan(precise ? 0.01 : 0.09)
  }
})

test('impossible times', async () => {
  const source = await makeVideo({ seconds: 2 })
  for (const settings of [
    { startS: 2, endS: 3 },
    { startS: 50, endS: 60 },
    { startS: 1, endS: 1 },
    { startS: 1, endS: 0.5 },
    { startS: -1, endS: 1 },
    { endS: 0 },
    {},
  ])
    await expect(run(trimVideo, folder, [source], settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

test('writes tiny times without an exponent', async () => {
  const source = await makeVideo({ seconds: 2 })
  const { paths } = await run(trimVideo, folder, [source], { startS: 1e-7, endS: 1, precise: true })
  expect((await infoOf(paths[0]!)).durationS).toBeCloseTo(1, 1)
})

test('a media file without a stated length', async () => {
  const source = temporaryPath('live.mkv')
  await runFfmpeg(['-i', await makeVideo({ seconds: 2, audio: true }), '-c', 'copy', '-live', '1', source])
  expect((await infoOf(source)).durationS).toBeUndefined()
  await expect(run(trimVideo, folder, [source], { startS: 5, endS: 6 })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
  const { paths } = await run(trimVideo, folder, [source], { startS: 0.4, endS: 1.4, precise: true })
  expect(Math.abs(videoStream(await infoOf(paths[0]!))!.durationS! - 1)).toBeLessThan(0.08)
})

test('the content determines the extension, with any name', async () => {
  const wrong = join(folder, 'clip.mkv')
  copyFileSync(await makeVideo(), wrong)
  expect((await run(trimVideo, folder, [wrong], { endS: 1 })).names).toEqual(['clip_trimmed.mp4'])
  const bare = join(folder, 'clip')
  copyFileSync(wrong, bare)
  expect((await run(trimVideo, folder, [bare], { endS: 1 })).names).toEqual(['clip_trimmed.mp4'])
})

test.each(['100%d.mp4', '-i.mp4', 'new\nline.mp4', 'quo\'te".mp4', 'a:b.mp4', '🎬.mp4'])(
  'the name %j',
  async (name) => {
    const path = join(folder, name)
    copyFileSync(await makeVideo(), path)
    const { paths, names } = await run(trimVideo, folder, [path], { endS: 1 })
    expect(names).toEqual([name.replace('.mp4', '_trimmed.mp4')])
    expect((await infoOf(paths[0]!)).durationS).toBeCloseTo(1, 1)
  },
)

test('cuts a very long name in its stem', async () => {
  const path = join(folder, `${'ß'.repeat(125)}.mp4`)
  copyFileSync(await makeVideo(), path)
  const { names } = await run(trimVideo, folder, [path], { endS: 1 })
  expect(names[0]).toBe(`${'ß'.repeat(121)}_trimmed.mp4`)
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(run(trimVideo, folder, [path], { endS: 1 }), path).rejects.toMatchObject({ code })
})

test.each(['ts', 'mpg'])('%s with reordered frames: the picture starts with its key frame', async (extension) => {
  const clip = await sharedMedia(['waiting frames'], `waiting.${extension}`, async (path) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=3', '-f', 'lavfi', '-i', 'sine=d=3']
    await runFfmpeg([...picture, '-c:v', 'mpeg2video', '-bf', '2', '-g', '25', '-c:a', 'mp2', path])
  })
  const { paths } = await run(trimVideo, folder, [clip], { startS: 1.5, endS: 2.5 })
  const times = await frameTimes(paths[0]!)
  // A group of 25 starts about a second after the first, and is cut about a second and a half later.
  expect(times.length).toBeGreaterThan(35)
  expect(times.length).toBeLessThan(45)
  expect(times[0]).toBeLessThan(0.15)
})

test('of Ogg, whose pages contain a second of audio, copies picture and audio from the same time', async () => {
  const clip = await sharedMedia(['pages'], 'pages.ogv', async (path) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=3', '-f', 'lavfi', '-i', 'anoisesrc=r=48000:d=3']
    await runFfmpeg([...picture, '-c:v', 'libtheora', '-q:v', '7', '-g', '12', '-c:a', 'libvorbis', path])
  })
  const { paths } = await run(trimVideo, folder, [clip], { startS: 1.3, endS: 2.6 })
  const times = await frameTimes(paths[0]!)
  expect(times[0]).toBeLessThan(0.1)
  const pictureS = times.at(-1)! - times[0]!
  expect(Math.abs((await samplesOf(paths[0]!)).length / 48_000 - pictureS)).toBeLessThan(0.15)
})

test.each(['ts', 'm2ts', 'mpg'])('a copy from the first key frame of %s', async (extension) => {
  const source = await sharedMedia(['first key', extension], `first.${extension}`, async (path) => {
    const codec = extension === 'mpg' ? ['-c:v', 'mpeg2video', '-bf', '2'] : ['-c:v', 'libx264', '-bf', '2']
    await runFfmpeg(['-i', await makeVideo({ seconds: 3, audio: true }), ...codec, '-g', '25', '-c:a', 'mp2', path])
  })
  for (const startS of [0, 0.5]) {
    const { paths, warnings } = await run(trimVideo, folder, [source], { startS, endS: 2 })
    const { durationS } = await infoOf(paths[0]!)
    expect(durationS).toBeGreaterThan(1.8)
    expect(durationS).toBeLessThan(2.3)
    expect(warnings.length).toBe(startS > 0 ? 1 : 0)
    expect(distance(await grayFrame(paths[0]!), await grayFrame(source))).toBe(0)
  }
})
