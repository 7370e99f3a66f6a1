import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import trimAudio from '../../../tools/audio/trim-audio.ts'
import { infoOf, makeAudio, makeVideo, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test.each([
  ['mp4', 'm4a', 'aac'],
  ['mkv', 'm4a', 'aac'],
  ['webm', 'opus', 'opus'],
  ['ogv', 'ogg', 'vorbis'],
  ['avi', 'mp3', 'mp3'],
  ['mpg', 'mp3', 'mp3'],
])('of a video (%s) only the audio: %s', async (extension, own, codec) => {
  const video = await makeVideo({ seconds: 2, width: 64, height: 48, audio: true, extension })
  const { paths, names } = await run(trimAudio, folder, [video], { startS: 0.5, endS: 1.5 })
  expect(names[0]).toMatch(new RegExp(`_trimmed\\.${own}$`))
  expect((await infoOf(paths[0]!)).streams.map((stream) => stream.codec)).toEqual([codec])
  // Ogg is cut at a page.
  expect(Math.abs((await samplesOf(paths[0]!)).length / 48000 - 1)).toBeLessThan(0.16)
})

test('cuts Apple Lossless to the sample', async () => {
  const source = temporaryPath('lossless.m4a')
  await runFfmpeg(['-i', await makeAudio({ seconds: 2, sampleRate: 48000 }), '-c:a', 'alac', source])
  const { paths } = await run(trimAudio, folder, [source], { startS: 0.5, endS: 1.25 })
  expect(audioStreams(await infoOf(paths[0]!))[0]!.codec).toBe('alac')
  expect(await samplesOf(paths[0]!)).toEqual((await samplesOf(source)).slice(24_000, 60_000))
})

describe('copied', () => {
  test.each(['mp3', 'm4a', 'ogg', 'opus', 'ac3', 'aac', 'wma'])('%s', async (extension) => {
    const source = await makeAudio({ seconds: 4, extension, sampleRate: 48000 })
    const { paths, names } = await run(trimAudio, folder, [source], { startS: 1, endS: 3 })
    expect(names[0]).toMatch(new RegExp(`_trimmed\\.${extension}$`))
    const [before, after] = [await infoOf(source), await infoOf(paths[0]!)]
    expect(audioStreams(after)[0]!.codec).toBe(audioStreams(before)[0]!.codec)
    expect(Math.abs((await samplesOf(paths[0]!)).length / 48000 - 2)).toBeLessThan(0.16)
  })
})

test('WMA begins within one packet of the start', async () => {
  const source = temporaryPath('rising.wma')
  // A tone that rises by 300 Hz per second, so that its frequency is the time.
  const rising = "aevalsrc='0.5*sin(2*PI*(200*t+150*t*t))':s=44100:d=6"
  await runFfmpeg(['-f', 'lavfi', '-i', rising, '-c:a', 'wmav2', '-b:a', '128k', source])
  /** The time in the tone, 0.3 s after a position in a file; the count of crossings is right to 8 ms. */
  const timeAt = async (path: string, fromS: number): Promise<number> => {
    const samples = (await samplesOf(path, 44100)).subarray((fromS + 0.1) * 44100, (fromS + 0.5) * 44100)
    const crossings = samples.filter((sample, at) => at > 0 && sample >= 0 && samples[at - 1]! < 0).length
    return (crossings / 0.4 - 200) / 300
  }
  for (const startS of [2, 3.3]) {
    const { paths } = await run(trimAudio, folder, [source], { startS, endS: startS + 1 })
    const lateS = (await timeAt(paths[0]!, 0)) - (await timeAt(source, startS))
    // A packet is 46 ms.
    expect(lateS).toBeGreaterThan(-0.075)
    expect(lateS).toBeLessThan(0.02)
  }
})

describe('to the sample', () => {
  test.each(['wav', 'flac', 'aiff'])('%s', async (extension) => {
    const source = await makeAudio({ seconds: 3, extension })
    const { paths, names } = await run(trimAudio, folder, [source], { startS: 0.5, endS: 1.75 })
    expect(names[0]).toMatch(new RegExp(`_trimmed\\.${extension}$`))
    const expected = (await samplesOf(source, 44100)).subarray(22050, 77175)
    expect(await samplesOf(paths[0]!, 44100)).toEqual(expected)
  })

  test.each([
    ['wav', 'pcm_s24le'],
    ['wav', 'pcm_f32le'],
    ['aiff', 'pcm_s24be'],
    ['flac', 'flac'],
  ])('%s keeps the depth of %s', async (extension, codec) => {
    const source = temporaryPath(`deep.${extension}`)
    const tone = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(t*1000)+0.00001*sin(t*777):s=44100:d=2']
    await runFfmpeg([...tone, '-c:a', codec, ...(codec === 'flac' ? ['-sample_fmt', 's32'] : []), source])
    const { paths } = await run(trimAudio, folder, [source], { startS: 0.5, endS: 1 })
    expect(audioStreams(await infoOf(paths[0]!))[0]!.codec).toBe(codec)
    const raw = (path: string) => captureFfmpeg([...inputArguments(path), '-f', 's32le', 'pipe:1'], { maxOutput: 1e7 })
    expect(Buffer.from(await raw(paths[0]!))).toEqual(Buffer.from(await raw(source)).subarray(22050 * 4, 44100 * 4))
  })
})

test('an end after the end cuts at the end', async () => {
  for (const extension of ['wav', 'mp3']) {
    const { paths } = await run(trimAudio, folder, [await makeAudio({ extension })], { startS: 1, endS: 100 })
    expect((await infoOf(paths[0]!)).durationS).toBeCloseTo(1, 1)
  }
})

test.each(['mp3', 'm4a', 'flac'] as const)('keeps the cover and the title of %s', async (extension) => {
  const { paths } = await run(trimAudio, folder, [await withCover(extension)], { startS: 0.5, endS: 1.5 })
  const info = await infoOf(paths[0]!)
  expect(info.streams.map(({ type, isAttachedPicture }) => [type, isAttachedPicture])).toEqual(
    expect.arrayContaining([
      ['audio', false],
      ['video', true],
    ]),
  )
  expect(info.tags.title).toBe('Red')
  expect((await samplesOf(paths[0]!)).length / 48000).toBeCloseTo(1, 0)
  const picture = ['-map', '0:v', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const pixels = await captureFfmpeg([...inputArguments(paths[0]!), ...picture], { maxOutput: 1e6 })
  expect(pixels.length).toBe(64 * 64 * 3)
  expect(pixels[0]).toBeGreaterThan(240)
})

test.each([
  { startS: 2, endS: 3 },
  { startS: 1, endS: 1 },
  { startS: 1.5, endS: 1 },
  { endS: 0 },
  { startS: -1, endS: 1 },
  {},
])('refused: %j', async (settings) => {
  await expect(run(trimAudio, folder, [await makeAudio()], settings)).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(run(trimAudio, folder, [path], { endS: 1 }), path).rejects.toMatchObject({ code })
})
