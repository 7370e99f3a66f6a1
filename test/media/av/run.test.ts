import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvPart } from '../../../src/media/av/filters/graph.ts'
import { runAv } from '../../../src/media/av/run.ts'
import {
  distance,
  frequencyOf,
  grayFrame,
  grayFrames,
  grayFramesFrom,
  infoOf,
  makeAudio,
  makeVideo,
  pictureHash,
  samplesOf,
  sharedMedia,
  sourceOf,
  temporaryPath,
} from '../../helpers/av.ts'

const frameS = 1 / 25

/** Runs parts on a file; the output's path. */
async function run(path: string, ...parts: AvPart[]): Promise<string> {
  const source = await sourceOf(path)
  const extension = parts.findLast((part) => part.encode?.container)?.encode?.container ?? source.extension
  const output = temporaryPath(`out.${extension}`)
  await runAv(source, parts, output)
  return output
}

/** A file with two chapters of 1.5 s, an English subtitle, and two audio tracks with languages; the key frames are at 0, 1, 2 s. */
const richFilm = (extension: 'mkv' | 'mp4'): Promise<string> =>
  sharedMedia(['rich'], `rich.${extension}`, (path) => makeRichFilm(path, extension))

async function makeRichFilm(path: string, extension: 'mkv' | 'mp4'): Promise<void> {
  const chapters = temporaryPath('chapters.txt')
  const chapter = (start: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${start + 1500}\ntitle=${title}\n`
  writeFileSync(chapters, `;FFMETADATA1\ntitle=The video\n${chapter(0, 'One')}${chapter(1500, 'Two')}`)
  const words = temporaryPath('words.srt')
  writeFileSync(words, '1\n00:00:01,200 --> 00:00:01,800\nHello\n')
  const inputs = [await makeVideo({ seconds: 3, audioTracks: 2 }), chapters, words].flatMap((input) => ['-i', input])
  await runFfmpeg([
    ...inputs,
    ...['-map', '0', '-map', '2', '-map_metadata', '1', '-c', 'copy', '-c:s', extension === 'mp4' ? 'mov_text' : 'srt'],
    ...['-metadata:s:a:0', 'language=deu', '-metadata:s:a:1', 'language=fra', '-metadata:s:s:0', 'language=eng', path],
  ])
}

async function subtitleText(path: string): Promise<string> {
  return Buffer.from(
    await captureFfmpeg([...inputArguments(path), '-map', '0:s:0', '-f', 'srt', 'pipe:1'], { maxOutput: 10_000 }),
  ).toString('utf8')
}

/** When the first subtitle is shown, seconds after the first frame: Matroska moves all streams by the audio's lead-in. */
async function subtitleStart(path: string): Promise<number> {
  const [minutes, seconds] = /^1\r?\n00:(\d\d):(\d\d,\d{3}) -->/.exec(await subtitleText(path))!.slice(1)
  return Number(minutes) * 60 + Number(seconds!.replace(',', '.')) - (await firstTime(path, 'v'))
}

describe('copies', () => {
  test('a muted video has bit-identical frames', async () => {
    const video = await makeVideo({ audio: true })
    const output = await run(video, { audio: 'drop' })
    expect(await pictureHash(output)).toBe(await pictureHash(video))
    expect((await infoOf(output)).streams.map(({ type }) => type)).toEqual(['video'])
  })

  test('audio filters keep the video bit-identical', async () => {
    const video = await makeVideo({ audio: true })
    const output = await run(video, { audioFilters: ['volume=0.5'] })
    expect(await pictureHash(output)).toBe(await pictureHash(video))
    const loudest = (samples: Float32Array) => samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    expect(loudest(await samplesOf(output)) / loudest(await samplesOf(video))).toBeCloseTo(0.5, 1)
  })

  test.each(['mp4', 'mkv'] as const)('keeps everything in a complex %s', async (extension) => {
    const output = await run(await richFilm(extension), { videoFilters: ['hflip'] })
    const info = await infoOf(output)
    expect(info.tags.title).toBe('The video')
    expect(info.chapters).toBe(2)
    expect(audioStreams(info).map(({ language }) => language)).toEqual(['deu', 'fra'])
    expect(info.streams.find(({ type }) => type === 'subtitle')?.language).toBe('eng')
    expect(await subtitleText(output)).toContain('Hello')
    expect(frequencyOf(await samplesOf(output, 48000, 1))).toBeCloseTo(880, -1)
  })

  test.each([
    ['mp4', 'mkv', 'subrip'],
    ['mkv', 'mp4', 'mov_text'],
    ['mkv', 'mov', 'mov_text'],
    ['mkv', 'webm', 'webvtt'],
    ['mkv', 'avi', undefined],
  ] as const)('subtitles from %s to %s', async (from, to, codec) => {
    const output = await run(await richFilm(from), { encode: { container: to } })
    const subtitle = (await infoOf(output)).streams.find(({ type }) => type === 'subtitle')
    expect(subtitle?.codec).toBe(codec)
    if (codec) expect(await subtitleStart(output)).toBeCloseTo(1.2, 1)
  })

  test.each(['mp3', 'm4a', 'flac'])(
    'a cover stays in %s if the audio is filtered, and is dropped on request',
    async (extension) => {
      const cover = temporaryPath('cover.jpg')
      await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1', cover])
      const song = temporaryPath(`song.${extension}`)
      const inputs = ['-i', await makeAudio({ seconds: 3, extension }), '-i', cover]
      await runFfmpeg([...inputs, '-map', '0', '-map', '1', '-c', 'copy', '-disposition:v:0', 'attached_pic', song])
      for (const part of [{ audioFilters: ['volume=0.5'] }, { range: { startS: 1, endS: 2, exact: false } }]) {
        const info = await infoOf(await run(song, part))
        expect(info.streams.map(({ type, isAttachedPicture, width }) => [type, isAttachedPicture, width])).toEqual([
          ['audio', false, undefined],
          ['video', true, 64],
        ])
      }
      expect((await infoOf(await run(song, { cover: 'drop' }))).streams.map(({ type }) => type)).toEqual(['audio'])
    },
  )
})

describe('codecs by container', () => {
  test.each([
    ['mp4', 'h264', 'aac', 'yuv420p'],
    ['m4v', 'h264', 'aac', 'yuv420p'],
    ['mov', 'h264', 'aac', 'yuv420p'],
    ['mkv', 'h264', 'aac', 'yuv420p'],
    ['3gp', 'h264', 'aac', 'yuv420p'],
    ['flv', 'h264', 'aac', 'yuv420p'],
    ['ts', 'h264', 'aac', 'yuv420p'],
    ['m2ts', 'h264', 'aac', 'yuv420p'],
    ['wmv', 'h264', 'aac', 'yuv420p'],
    ['avi', 'h264', 'mp3', 'yuv420p'],
    ['webm', 'vp9', 'opus', 'yuv420p'],
    ['ogv', 'theora', 'vorbis', 'yuv420p'],
    ['mpg', 'mpeg2video', 'mp2', 'yuv420p'],
  ])('video to %s', async (container, codec, audio, pixelFormat) => {
    const video = await makeVideo({ audio: true, seconds: 1 })
    const output = await run(video, { videoFilters: ['hflip'], audioFilters: ['volume=0.5'], encode: { container } })
    const info = await infoOf(output)
    expect(videoStream(info)).toMatchObject({ codec, pixelFormat, width: 128, height: 96 })
    expect(audioStreams(info)).toMatchObject([{ codec: audio }])
    expect(info.durationS).toBeGreaterThan(0.95)
    expect(info.durationS).toBeLessThan(1.15)
    expect(frequencyOf(await samplesOf(output))).toBeCloseTo(440, -1)
  })

  test.each([
    ['mp3', 'mp3'],
    ['wav', 'pcm_s16le'],
    ['flac', 'flac'],
    ['opus', 'opus'],
    ['ogg', 'vorbis'],
    ['aiff', 'pcm_s16be'],
    ['m4a', 'aac'],
    ['aac', 'aac'],
  ])('audio to %s', async (container, codec) => {
    const output = await run(await makeVideo({ audioTracks: 2, seconds: 1 }), {
      video: 'drop',
      singleAudio: true,
      encode: { container },
    })
    expect((await infoOf(output)).streams).toMatchObject([{ type: 'audio', codec }])
    expect(frequencyOf(await samplesOf(output))).toBeCloseTo(440, -1)
  })

  test('encodes surround audio with side channels as Opus', async () => {
    const video = temporaryPath('surround.mkv')
    await runFfmpeg(['-f', 'lavfi', '-i', 'sine=d=1,aformat=channel_layouts=5.1(side)', '-c:a', 'ac3', video])
    expect(audioStreams(await infoOf(video))[0]?.channelLayout).toBe('5.1(side)')
    const output = await run(video, { encode: { container: 'webm' } })
    expect(audioStreams(await infoOf(output))[0]).toMatchObject({ codec: 'opus', channels: 6 })
  })

  test('crops an odd size by one column and one row for H.264', async () => {
    const video = await makeVideo({ width: 127, height: 95, seconds: 1, extension: 'mkv' })
    const parts: AvPart[] = [{ encode: { video: [] } }, { videoFilters: ['vflip'] }]
    for (const part of parts)
      expect(videoStream(await infoOf(await run(video, part)))).toMatchObject({ width: 126, height: 94 })
    const whole = await run(video, { encode: { container: 'webm' } })
    expect(videoStream(await infoOf(whole))).toMatchObject({ width: 127, height: 95 })
  })

  test('mp4 has its index at the start, copied or encoded', async () => {
    for (const part of [{}, { encode: { video: [] } }]) {
      const { readFileSync } = await import('node:fs')
      const bytes = readFileSync(await run(await makeVideo({ audio: true }), part))
      expect(bytes.indexOf('moov')).toBeGreaterThan(0)
      expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
    }
  })
})

describe('video properties', () => {
  test('rotation: kept by a copy, applied by an encode and if the container has none', async () => {
    const video = await makeVideo({ rotation: 90, audio: true })
    expect(videoStream(await infoOf(await run(video, { audio: 'drop' })))).toMatchObject({
      rotation: 90,
      width: 128,
      height: 96,
    })
    const upright = await grayFrame(video)
    for (const part of [{ encode: { video: ['-crf', '5'] } }, { encode: { container: 'mkv' } }]) {
      const output = await run(video, part)
      expect(videoStream(await infoOf(output))).toMatchObject({ rotation: 0, width: 96, height: 128 })
      expect(distance(await grayFrame(output), upright)).toBeLessThan(4)
    }
  })

  test('keeps colour tags and sample aspect ratio in an encode', async () => {
    const video = temporaryPath('tagged.mp4')
    const tags = ['-color_range', 'tv', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709']
    const filter = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:d=1,setsar=3/2', '-pix_fmt', 'yuv420p']
    await runFfmpeg([...filter, ...tags, '-c:v', 'libx264', video])
    for (const part of [{ videoFilters: ['hflip'] }, { videoFilters: ['hflip'], encode: { container: 'webm' } }]) {
      expect(videoStream(await infoOf(await run(video, part)))).toMatchObject({
        sampleAspectRatio: '3:2',
        colour: { range: 'tv', matrix: 'bt709', primaries: 'bt709', transfer: 'bt709' },
      })
    }
  })

  test('full range: white stays white and is tagged correctly', async () => {
    const video = temporaryPath('full.mp4')
    const white = ['-f', 'lavfi', '-i', 'color=white:s=64x48:d=1,scale=out_range=pc,format=yuvj420p']
    await runFfmpeg([...white, '-color_range', 'pc', '-c:v', 'libx264', '-crf', '5', video])
    const luma = async (path: string) =>
      (
        await captureFfmpeg([...inputArguments(path), '-frames:v', '1', '-f', 'rawvideo', 'pipe:1'], { maxOutput: 1e6 })
      )[0]
    expect(await luma(video)).toBe(255)
    const h264 = await run(video, { videoFilters: ['hflip'] })
    expect(videoStream(await infoOf(h264))?.colour.range).toBe('pc')
    expect(await luma(h264)).toBe(255)
    const vp9 = await run(video, { encode: { container: 'webm' } })
    expect(videoStream(await infoOf(vp9))?.colour.range).toBe('tv')
    expect(await luma(vp9)).toBe(235)
  })
})

describe('cuts', () => {
  const range = { startS: 1.48, endS: 2.48 }

  test('not exact: from the key frame before, all tracks copied and in sync', async () => {
    const video = await makeVideo({ seconds: 4, audioTracks: 2 })
    const output = await run(video, { range: { ...range, exact: false } })
    const info = await infoOf(output)
    expect(audioStreams(info)).toHaveLength(2)
    expect(info.durationS).toBeGreaterThanOrEqual(1)
    expect(info.durationS).toBeLessThan(1.6)
    expect(await countFrames(output)).toBeGreaterThanOrEqual(25)
  })

  test.each(['mp4', 'mov', 'mkv', 'webm', 'ts', 'avi', 'flv', 'mpg', 'ogv'])(
    'exact in %s: the exact frame, length to a frame, audio in sync',
    async (extension) => {
      const video = await makeVideo({ seconds: 4, audio: true, extension })
      const output = await run(video, { range: { ...range, exact: true } })
      const frames = await countFrames(output)
      expect(Math.abs(frames - 25)).toBeLessThanOrEqual(1)
      const [first] = await grayFrames(output)
      // The frame before, the one itself, and the one after.
      const around = await grayFramesFrom(video, range.startS - frameS, 3)
      const apart = around.map((frame) => distance(frame, first!))
      expect(apart[1]).toBe(Math.min(...apart))
      const info = await infoOf(output)
      // FLV's own figure counts the delay of reordered frames; AVI keeps the MP3 encoder's lead-in and padding.
      const allowance = extension === 'flv' || extension === 'avi' ? 0.11 : frameS + 0.03
      expect(Math.abs(info.durationS! - 1)).toBeLessThanOrEqual(allowance)
      const { length } = await samplesOf(output)
      expect(Math.abs(length / 48000 - 1)).toBeLessThanOrEqual(allowance)
    },
  )

  test('exact with a time that is not a whole number of frames', async () => {
    const video = await makeVideo({ seconds: 3, fps: 30 })
    const output = await run(video, { range: { startS: 1 / 3, endS: 4 / 3, exact: true } })
    expect(await countFrames(output)).toBe(30)
    const [first] = await grayFrames(output)
    const apart = (await grayFrames(video)).slice(9, 12).map((frame) => distance(frame, first!))
    expect(apart[1]).toBe(Math.min(...apart))
  })

  test('exact between frames: the requested length, to a frame', async () => {
    const video = await makeVideo({ seconds: 4, fps: 24 })
    const output = await run(video, { range: { startS: 1.3, endS: 3.7, exact: true } })
    expect(Math.abs((await countFrames(output)) / 24 - 2.4)).toBeLessThanOrEqual(1 / 24)
  })

  test('exact in an audio file is exact to the sample', async () => {
    const output = await run(await makeAudio({ seconds: 3 }), { range: { startS: 0.5, endS: 1.25, exact: true } })
    expect(await samplesOf(output, 44100)).toHaveLength(0.75 * 44100)
  })

  test('moves subtitles and chapters', async () => {
    const output = await run(await richFilm('mkv'), { range: { startS: 1, endS: 2, exact: true } })
    const info = await infoOf(output)
    expect(await subtitleStart(output)).toBeCloseTo(0.2, 1)
    expect(info.chapters).toBe(2)
    expect(info.durationS).toBeLessThan(1.1)
    const copied = await infoOf(await run(await richFilm('mp4'), { range: { startS: 0, endS: 1, exact: false } }))
    expect(copied.chapters).toBe(1)
    // Packets of reordered frames are copied whole; with the chapter after the end it would be 3 s.
    expect(copied.durationS).toBeLessThan(1.3)
  })

  test('copied audio starts with the encoded video', async () => {
    const video = await makeVideo({ seconds: 4, audio: true })
    const output = await run(video, { range: { ...range, exact: false } }, { videoFilters: ['hflip'] })
    expect(await countFrames(output)).toBe(25)
    const [picture, audio] = await Promise.all(['v', 'a'].map((kind) => firstTime(output, kind)))
    expect(Math.abs(picture! - audio!)).toBeLessThan(0.04)
    expect((await infoOf(output)).durationS).toBeLessThan(1.1)
  })

  test('filtered audio starts with the copied video', async () => {
    const video = await makeVideo({ seconds: 4, audio: true })
    const output = await run(video, { range: { ...range, exact: false } }, { audioFilters: ['volume=0.5'] })
    const [picture, audio] = await Promise.all(['v', 'a'].map((kind) => firstTime(output, kind)))
    expect(Math.abs(picture! - audio!)).toBeLessThan(0.06)
  })

  test('refuses a start after the end', async () => {
    const source = await sourceOf(await makeVideo())
    const parts = [{ range: { startS: 9, exact: false } }]
    await expect(runAv(source, parts, temporaryPath('never.mp4'))).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      exit: 2,
    })
  })
})

describe('replaced audio', () => {
  test.each([
    [1, true, 3],
    [1, false, 1],
    [6, true, 3],
    [6, false, 3],
  ])('of %d s, padded %s, lasts %d s in a video of 3 s', async (seconds, padToVideo, expected) => {
    const video = await makeVideo({ seconds: 3, audioTracks: 2 })
    const path = await makeAudio({ seconds, frequency: 1000 })
    const output = await run(video, { audio: { path, padToVideo } })
    expect(await pictureHash(output)).toBe(await pictureHash(video))
    const info = await infoOf(output)
    expect(audioStreams(info)).toMatchObject([{ codec: 'aac' }])
    expect(info.durationS).toBeCloseTo(3, 1)
    const samples = await samplesOf(output)
    expect(samples.length / 48000).toBeCloseTo(expected, 1)
    expect(frequencyOf(samples.subarray(0, 48000))).toBeCloseTo(1000, -1)
  })

  test('later parts apply to the new audio, and a cut to both', async () => {
    const video = await makeVideo({ seconds: 3, audio: true })
    const path = await makeAudio({ seconds: 6, frequency: 1000 })
    const output = await run(
      video,
      { audioFilters: ['volume=0'] },
      { audio: { path, padToVideo: true } },
      { range: { startS: 1, endS: 2, exact: true } },
    )
    expect((await infoOf(output)).durationS).toBeCloseTo(1, 1)
    expect(frequencyOf(await samplesOf(output))).toBeCloseTo(1000, -1)
  })
})

test('a filter graph: palette for a GIF, between other filters', async () => {
  const video = await makeVideo({ seconds: 2, rotation: 90, audio: true })
  const output = await run(video, {
    range: { startS: 0.5, endS: 1.5, exact: true },
    videoFilters: ['fps=10', 'scale=48:-1:flags=lanczos'],
    complexFilter: (videoIn) => `${videoIn}split[a][b];[a]palettegen[p];[b][p]paletteuse[v]`,
    audio: 'drop',
    encode: { container: 'gif' },
  })
  const info = await infoOf(output)
  expect(info.streams).toMatchObject([{ codec: 'gif', width: 48, height: 64, frameRate: 10 }])
  expect(await countFrames(output)).toBe(10)
})

test('a run in one command equals the same parts one after another', async () => {
  const video = await makeVideo({ seconds: 3, audio: true, rotation: 90 })
  const lossless = { encode: { video: ['-crf', '1'] } }
  const parts: AvPart[] = [
    { range: { startS: 1, endS: 2, exact: true }, ...lossless },
    { videoFilters: ['hflip'], ...lossless },
    {
      videoFilters: ['setpts=PTS/2', 'fps=25'],
      audioFilters: ['atempo=2'],
      changesDuration: (durationS) => durationS / 2,
      ...lossless,
    },
    { range: { startS: 0.2, exact: true }, ...lossless },
  ]
  const fused = await run(video, ...parts)
  let stepwise = video
  for (const part of parts) stepwise = await run(stepwise, part)
  const [one, other] = await Promise.all([infoOf(fused), infoOf(stepwise)])
  expect(videoStream(one)).toMatchObject({ width: 96, height: 128, rotation: 0 })
  expect(Math.abs(one.durationS! - other.durationS!)).toBeLessThanOrEqual(frameS)
  expect(distance(await grayFrame(fused), await grayFrame(stepwise))).toBeLessThan(2)
})

describe('running', () => {
  test('hostile names of input and output', async () => {
    const folder = temporaryPath("it's\n a %d [folder]")
    mkdirSync(folder)
    const source = { ...(await sourceOf(await makeVideo())), name: '-x' }
    const output = join(folder, '-y: %03d.mp4')
    await runAv(source, [{ videoFilters: ['hflip'] }], output)
    expect(videoStream(await infoOf(output))?.codec).toBe('h264')
  })

  test('progress ends with 1', async () => {
    const reported: number[] = []
    const source = await sourceOf(await makeVideo())
    await runAv(source, [{ videoFilters: ['hflip'] }], temporaryPath('out.mp4'), {
      onProgress: (fraction) => reported.push(fraction),
    })
    expect(reported.at(-1)).toBe(1)
  })

  test('reports a missing encoder; a failed run leaves no file', async () => {
    const source = await sourceOf(await makeVideo())
    const output = temporaryPath('out.mp4')
    await expect(runAv(source, [{ encode: { video: ['-c:v', 'libnothing'] } }], output)).rejects.toMatchObject({
      code: 'ENCODER_MISSING',
    })
    await expect(runAv(source, [{ videoFilters: ['crop=9999:9999'] }], output)).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
    })
    expect(existsSync(output)).toBe(false)
  })
})

/** Number of decoded frames, without repeating or dropping any. */
const countFrames = async (path: string): Promise<number> => (await grayFrames(path)).length

/** When the first packet of a kind of stream is shown, seconds. */
async function firstTime(path: string, kind: string): Promise<number> {
  const text = await captureFfmpeg(
    [...inputArguments(path), '-map', `0:${kind}:0`, '-copyts', '-f', 'framecrc', 'pipe:1'],
    { maxOutput: 1e6 },
  )
  const lines = Buffer.from(text).toString('utf8').split('\n')
  const [numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/
    .exec(lines.find((line) => line.startsWith('#tb'))!)!
    .slice(1)
    .map(Number)
  const time = Number(lines.find((line) => /^\d/.test(line))!.split(',')[2])
  return (time * numerator!) / denominator!
}
