import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import {
  frameTimes,
  frequencyOf,
  infoOf,
  levelOf,
  makeAudio,
  makeVideo,
  meanColour,
  paintedVideo,
  samplesOf,
  sharedMedia,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A plain colour with a tone, in any container. */
function clip(colour: string, size: string, seconds: number, frequency: number, extension = 'mp4', fps = 25) {
  return sharedMedia(['clip', colour, size, seconds, frequency, fps], `clip.${extension}`, async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', `color=${colour}:s=${size}:r=${fps}:d=${seconds}`],
      ...['-f', 'lavfi', '-i', `sine=frequency=${frequency}:sample_rate=44100:d=${seconds}`],
      ...[...videoCodecFor(extension, { preset: 'ultrafast' }), ...audioCodecFor(extension), path],
    ])
  })
}

test('joins picture and audio of clips with other sizes, rates and codecs', async () => {
  const inputs = [
    await clip('red', '96x64', 1, 400),
    await clip('blue', '48x64', 0.6, 800, 'webm', 10),
    await clip('lime', '96x64', 1, 1200, 'avi', 15),
  ]
  const { paths, names } = await run(mergeVideos, folder, inputs)
  expect(names).toEqual(['merged.mp4'])
  const info = await infoOf(paths[0]!)
  expect(info.streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
  expect(videoStream(info)).toMatchObject({ width: 96, height: 64, frameRate: 30, pixelFormat: 'yuv420p' })
  expect(audioStreams(info)[0]).toMatchObject({ sampleRate: 48000, channels: 2 })
  const times = await frameTimes(paths[0]!)
  // The length of WebM and AVI has a few hundredths for the last packet of sound.
  expect(Math.abs(times.length - 2.6 * 30)).toBeLessThanOrEqual(3)
  const [red, ,] = await meanColour(paths[0]!, { frame: 5 })
  expect(red).toBeGreaterThan(240)
  // Narrower than the first: bars at its sides.
  expect((await meanColour(paths[0]!, { frame: 40, area: '16:64:0:0' })).every((part) => part < 4)).toBe(true)
  expect((await meanColour(paths[0]!, { frame: 40, area: '40:60:28:2' }))[2]).toBeGreaterThan(240)
  expect((await meanColour(paths[0]!, { frame: 60 }))[1]).toBeGreaterThan(240)
  const samples = await samplesOf(paths[0]!)
  const part = (from: number, to: number) => samples.subarray(from * 48000, to * 48000)
  expect(Math.abs(frequencyOf(part(0.1, 0.9)) - 400)).toBeLessThan(6)
  expect(Math.abs(frequencyOf(part(1.1, 1.5)) - 800)).toBeLessThan(12)
  expect(Math.abs(frequencyOf(part(1.75, 2.5)) - 1200)).toBeLessThan(12)
})

test('a clip without audio is silent for its own length', async () => {
  const { paths } = await run(mergeVideos, folder, [
    await paintedVideo('color=gray:s=64x48:r=25:d=1'),
    await clip('red', '96x64', 1, 400),
  ])
  const samples = await samplesOf(paths[0]!)
  expect(levelOf(samples.subarray(0, 45_000))).toBeLessThan(-80)
  expect(Math.abs(frequencyOf(samples.subarray(50_000, 90_000)) - 400)).toBeLessThan(6)
})

test('all without audio: a video without audio; a rotated one is upright, odd sides are cut to even', async () => {
  const inputs = [await makeVideo({ width: 65, height: 48, rotation: 90 }), await makeVideo({ width: 64, height: 48 })]
  const info = await infoOf((await run(mergeVideos, folder, inputs)).paths[0]!)
  expect(info.streams).toHaveLength(1)
  expect(videoStream(info)).toMatchObject({ displayWidth: 48, displayHeight: 64, rotation: 0 })
})

test('clips that cannot be joined', async () => {
  const video = await makeVideo({ width: 64, height: 48 })
  await expect(run(mergeVideos, folder, [video])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  await expect(run(mergeVideos, folder, Array(11).fill(video))).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
  await expect(run(mergeVideos, folder, [await makeAudio(), video])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
})

test('keeps the audio language if all clips agree, otherwise warns', async () => {
  const clip = (language: string) =>
    sharedMedia(['spoken', language], 'spoken.mp4', async (path) => {
      const source = await makeVideo({ seconds: 1, fps: 30, audio: true })
      await runFfmpeg(['-i', source, '-c', 'copy', '-metadata:s:a:0', `language=${language}`, path])
    })
  const languageOf = async (path: string) => audioStreams(await infoOf(path))[0]?.language
  const agreed = await run(mergeVideos, folder, [await clip('eng'), await clip('eng')])
  expect(await languageOf(agreed.paths[0]!)).toBe('eng')
  const mixed = await run(mergeVideos, folder, [await clip('eng'), await clip('fra')])
  expect(await languageOf(mixed.paths[0]!)).toBeUndefined()
  expect(mixed.warnings).toContain(
    'the audio is in several languages (eng, fra): the result is marked with none of them',
  )
})
