import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { abilities, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { distance, grayFrame, infoOf, makeVideo, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const stem = (path: string): string => basename(path).replace(/\.[^.]*$/, '')

describe('formats', () => {
  test.each([
    ['mp4', 'mov', 'h264', 'aac'],
    ['mov', 'mov', 'h264', 'aac'],
    ['mkv', 'matroska', 'h264', 'aac'],
    ['avi', 'avi', 'h264', 'mp3'],
    ['webm', 'matroska', 'vp9', 'opus'],
  ])('%s', async (format, demuxer, video, audio) => {
    const source = await makeVideo({ audio: true, extension: format === 'mkv' ? 'mp4' : 'mkv' })
    const { paths, names } = await run(convertVideo, folder, [source], { format })
    expect(names).toEqual([`${stem(source)}.${format}`])
    const info = await infoOf(paths[0]!)
    expect(info.format.split(',')).toContain(demuxer)
    expect(info.streams.map(({ codec }) => codec)).toEqual([video, audio])
    expect(videoStream(info)).toMatchObject({ width: 128, height: 96, pixelFormat: 'yuv420p' })
    expect(videoStream(info)!.frameRate).toBeCloseTo(25, 1)
    expect(info.durationS).toBeCloseTo(2, 0)
    expect(distance(await grayFrame(source, 30), await grayFrame(paths[0]!, 30))).toBeLessThan(6)
  })

  test('the index of an MP4 is at the start', async () => {
    const { paths } = await run(convertVideo, folder, [await makeVideo({ extension: 'mkv' })])
    const bytes = await readFile(paths[0]!)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
    expect(bytes.indexOf('moov')).toBeGreaterThan(0)
  })

  test('re-encodes the same container with another name', async () => {
    const source = await makeVideo()
    const { names } = await run(convertVideo, folder, [source], { format: 'mp4' })
    expect(names).toEqual([`${stem(source)}_convert.mp4`])
  })
})

const { encoders, year = 2020 } = await abilities()
const hasAv1 = encoders.has('libsvtav1') || (encoders.has('libaom-av1') && year >= 2020)

describe('codecs', () => {
  test.each<[string, string, string]>([
    ['mp4', 'hevc', 'hevc'],
    ['mkv', 'hevc', 'hevc'],
    ...(hasAv1
      ? ([
          ['webm', 'av1', 'av1'],
          ['mp4', 'av1', 'av1'],
        ] as [string, string, string][])
      : []),
    ['mkv', 'vp9', 'vp9'],
    ['mkv', 'h264', 'h264'],
  ])('%s with %s', async (format, codec, found) => {
    const source = await makeVideo({ audio: true, extension: 'avi' })
    const { paths, warnings } = await run(convertVideo, folder, [source], { format, codec })
    const video = videoStream(await infoOf(paths[0]!))
    expect([video?.codec, video?.pixelFormat, warnings]).toEqual([found, 'yuv420p', []])
    expect(distance(await grayFrame(source, 30), await grayFrame(paths[0]!, 30))).toBeLessThan(6)
    if (format === 'mp4' && codec === 'hevc')
      expect((await readFile(paths[0]!)).includes(Buffer.from('hvc1'))).toBe(true)
  })

  test.runIf(encoders.has('libaom-av1'))('AV1 of tiny videos, which SVT refuses', async () => {
    const source = await makeVideo({ seconds: 0.2, width: 64, height: 48 })
    const { paths } = await run(convertVideo, folder, [source], { codec: 'av1' })
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec: 'av1', width: 64, height: 48 })
  })

  test.each([
    ['webm', 'hevc', 'VP9, AV1'],
    ['avi', 'av1', 'H.264'],
  ])('%s cannot hold %s', async (format, codec, held) => {
    await expect(run(convertVideo, folder, [await makeVideo()], { format, codec })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      hint: `It can hold ${held}.`,
    })
  })

  test('compress-video keeps the look with HEVC', async () => {
    const source = await makeVideo({ seconds: 2 })
    const [usual, hevc] = [
      await run(compressVideo, folder, [source], { quality: 'light' }),
      await run(compressVideo, folder, [source], { quality: 'light', codec: 'hevc' }),
    ]
    expect(videoStream(await infoOf(hevc.paths[0]!))?.codec).toBe('hevc')
    const far = async (path: string) => distance(await grayFrame(source, 30), await grayFrame(path, 30))
    expect(await far(hevc.paths[0]!)).toBeLessThan((await far(usual.paths[0]!)) + 1)
  })
})

test('quality orders the sizes', async () => {
  const source = await makeVideo({ seconds: 1 })
  for (const format of ['mp4', 'webm']) {
    const sizes = []
    for (const quality of ['high', 'balanced', 'small']) {
      const { paths } = await run(convertVideo, folder, [source], { format, quality })
      sizes.push((await infoOf(paths[0]!)).sizeBytes)
    }
    expect(sizes[0]).toBeGreaterThan(sizes[1]!)
    expect(sizes[1]).toBeGreaterThan(sizes[2]!)
  }
})

test('odd sizes lose one pixel for H.264, none for VP9', async () => {
  const source = await makeVideo({ width: 97, height: 65, seconds: 1, extension: 'mkv' })
  const mp4 = await run(convertVideo, folder, [source])
  expect(videoStream(await infoOf(mp4.paths[0]!))).toMatchObject({ width: 96, height: 64 })
  const webm = await run(convertVideo, folder, [source], { format: 'webm' })
  expect(videoStream(await infoOf(webm.paths[0]!))).toMatchObject({ width: 97, height: 65 })
})

test('a rotated video becomes upright', async () => {
  const source = await makeVideo({ rotation: 90, seconds: 1 })
  for (const format of ['mp4', 'avi']) {
    const { paths } = await run(convertVideo, folder, [source], { format })
    expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ width: 96, height: 128, rotation: 0 })
    expect(distance(await grayFrame(source, 5), await grayFrame(paths[0]!, 5))).toBeLessThan(6)
  }
})

test('keeps every audio track and text subtitles, if the container supports them', async () => {
  const video = await makeVideo({ audioTracks: 2, extension: 'mkv' })
  const { writeFileSync } = await import('node:fs')
  const subtitles = temporaryPath('words.srt')
  writeFileSync(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nHello\n')
  const source = temporaryPath('full.mkv')
  await runFfmpeg(['-i', video, '-i', subtitles, '-map', '0', '-map', '1', '-c', 'copy', source])
  for (const [format, subtitle] of [
    ['mp4', 'mov_text'],
    ['mkv', 'subrip'],
    ['webm', 'webvtt'],
  ] as const) {
    const { paths } = await run(convertVideo, folder, [source], { format })
    const info = await infoOf(paths[0]!)
    expect(audioStreams(info)).toHaveLength(2)
    expect(info.streams.filter(({ type }) => type === 'subtitle').map(({ codec }) => codec)).toEqual([subtitle])
  }
})

test('a video without audio stays silent', async () => {
  const { paths } = await run(convertVideo, folder, [await makeVideo({ seconds: 1 })], { format: 'avi' })
  expect(audioStreams(await infoOf(paths[0]!))).toEqual([])
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(run(convertVideo, folder, [path]), path).rejects.toMatchObject({ code })
  await expect(run(convertVideo, folder, [await makeVideo()], { format: 'gif' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})

test('audio only, and a cover picture, are not video', async () => {
  const { makeAudio } = await import('../../helpers/av.ts')
  const track = await makeAudio({ extension: 'm4a' })
  await expect(run(convertVideo, folder, [track])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})

test('reads MXF, which becomes MP4 if a tool keeps the type', async () => {
  const source = await sharedMedia(['mxf'], 'tape.mxf', async (path) => {
    const plain = await makeVideo({ width: 720, height: 576, seconds: 1, audio: true })
    await runFfmpeg(['-i', plain, '-c:v', 'mpeg2video', '-q:v', '8', '-c:a', 'pcm_s16le', path])
  })
  const converted = await run(convertVideo, folder, [source], { format: 'mp4' })
  const trimmed = await run(trimVideo, folder, [source], { endS: 0.5 })
  expect(trimmed.names[0]).toMatch(/_trimmed\.mp4$/)
  for (const { paths } of [converted, trimmed])
    expect((await infoOf(paths[0]!)).streams.slice(0, 2).map(({ type }) => type)).toEqual(['video', 'audio'])
})
