import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import replaceAudio from '../../../tools/video/audio/replace-audio.ts'
import {
  frequencyOf,
  infoOf,
  makeAudio,
  makeVideo,
  pictureHash,
  samplesOf,
  sharedMedia,
  temporaryPath,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

describe('the new audio', () => {
  test('cuts audio longer than the video; the picture stays bit-identical', async () => {
    const video = await makeVideo({ audioTracks: 2 })
    const { paths, names } = await run(replaceAudio, folder, [video, await makeAudio({ seconds: 5, frequency: 1000 })])
    expect(names[0]).toMatch(/_newaudio\.mp4$/)
    const info = await infoOf(paths[0]!)
    expect(info.streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
    expect(info.durationS).toBeCloseTo(2, 1)
    expect(await pictureHash(paths[0]!)).toBe(await pictureHash(video))
    expect(frequencyOf(await samplesOf(paths[0]!))).toBeCloseTo(1000, -1)
  })

  test('silence follows audio shorter than the video', async () => {
    const video = await makeVideo({ seconds: 3, audio: true })
    const { paths } = await run(replaceAudio, folder, [video, await makeAudio({ seconds: 1, frequency: 1000 })])
    const info = await infoOf(paths[0]!)
    expect(videoStream(info)!.durationS).toBeCloseTo(3, 1)
    expect(audioStreams(info)[0]!.durationS).toBeCloseTo(3, 1)
    const samples = await samplesOf(paths[0]!)
    const loudest = (part: Float32Array) => part.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    expect(loudest(samples.subarray(0, 40_000))).toBeGreaterThan(0.05)
    expect(loudest(samples.subarray(60_000))).toBeLessThan(0.001)
  })
})

test('by name: --audio FILE with one video', async () => {
  const video = await makeVideo()
  const { paths } = await run(replaceAudio, folder, [video], {}, { secondary: { audio: await makeAudio() } })
  expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
})

test('VP9 gives WebM with Opus; encodes a codec that MP4 does not support', async () => {
  const audio = await makeAudio({ extension: 'mp3' })
  const webm = await run(replaceAudio, folder, [await makeVideo({ extension: 'webm', audio: true }), audio])
  expect(webm.names[0]).toMatch(/_newaudio\.webm$/)
  expect((await infoOf(webm.paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['vp9', 'opus'])
  const ogv = await run(replaceAudio, folder, [await makeVideo({ extension: 'ogv', audio: true }), audio])
  expect((await infoOf(ogv.paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
})

test('the audio of another video; without its cover and picture', async () => {
  const covered = temporaryPath('covered.m4a')
  const picture = temporaryPath('cover.png')
  await runFfmpeg(['-f', 'lavfi', '-i', 'color=red:s=32x32', '-frames:v', '1', picture])
  const tone = await makeAudio({ extension: 'm4a' })
  await runFfmpeg([
    '-i',
    tone,
    '-i',
    picture,
    '-map',
    '0',
    '-map',
    '1',
    '-c',
    'copy',
    '-disposition:v',
    'attached_pic',
    covered,
  ])
  const { paths } = await run(replaceAudio, folder, [await makeVideo(), covered])
  expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
  const other = await run(replaceAudio, folder, [await makeVideo(), await makeVideo({ audio: true, width: 64 })])
  expect(videoStream(await infoOf(other.paths[0]!))!.width).toBe(128)
})

test('keeps the rotation', async () => {
  const { paths } = await run(replaceAudio, folder, [await makeVideo({ rotation: 90 }), await makeAudio()])
  expect(videoStream(await infoOf(paths[0]!))!.rotation).toBe(90)
})

test('missing or superfluous inputs', async () => {
  const [video, audio] = [await makeVideo(), await makeAudio()]
  await expect(run(replaceAudio, folder, [video])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  await expect(run(replaceAudio, folder, [video, audio, audio])).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
  await expect(run(replaceAudio, folder, [video, audio], {}, { secondary: { audio: audio } })).rejects.toMatchObject({
    code: 'TOO_MANY_FILES',
  })
  await expect(run(replaceAudio, folder, [audio, audio])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
  await expect(run(replaceAudio, folder, [video, video])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})

test('keeps subtitles, and reports lost ones', async () => {
  const source = await sharedMedia(['two sounds and words'], 'rich.mkv', async (path) => {
    const words = temporaryPath('words.srt')
    writeFileSync(words, '1\n00:00:00,200 --> 00:00:00,700\nHello\n')
    const plain = await makeVideo({ width: 64, height: 48, seconds: 1, audioTracks: 2 })
    const labels = ['-metadata:s:s:0', 'language=deu']
    await runFfmpeg(['-i', plain, '-i', words, '-map', '0', '-map', '1', '-c', 'copy', '-c:s', 'srt', ...labels, path])
  })
  const { paths, warnings } = await run(replaceAudio, folder, [source, await makeAudio({ seconds: 1 })])
  const { streams } = await infoOf(paths[0]!)
  expect(streams.map(({ type, codec }) => `${type} ${codec}`)).toEqual(['video h264', 'audio aac', 'subtitle mov_text'])
  expect(streams[2]!.language).toBe('deu')
  expect(warnings).toEqual(['the new audio replaces 2 audio tracks'])
})
