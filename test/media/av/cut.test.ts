/** Where a cut starts, and its effect on everything besides picture and audio. */
import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { runAv } from '../../../src/media/av/run.ts'
import { cutSubtitles } from '../../../src/media/av/subtitles/cut.ts'
import rotateVideo from '../../../tools/video/geometry/rotate-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import {
  frameTimes,
  grayFrames,
  infoOf,
  makeVideo,
  paintedVideo,
  samplesOf,
  sharedMedia,
  sourceOf,
  temporaryPath,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const textOf = async (args: string[]): Promise<string> =>
  Buffer.from(await captureFfmpeg(args, { maxOutput: 100_000 })).toString()

/** The cues of the first subtitles as `from-to text`, without the fonts that older builds write. */
async function cuesOf(path: string): Promise<string[]> {
  const srt = await textOf(['-i', path, '-map', '0:s:0', '-f', 'srt', 'pipe:1'])
  const cue = /00:00:([\d,]+) --> 00:00:([\d,]+)\n(.*)/g
  return [...srt.matchAll(cue)].map(([, from, to, text]) => `${from}-${to} ${text!.replace(/<[^>]*>/g, '')}`)
}

/** The chapters as `from-to title`, seconds. */
async function chaptersOf(path: string): Promise<string[]> {
  const reported = await textOf(['-i', path, '-f', 'ffmetadata', 'pipe:1'])
  const chapter = /TIMEBASE=1\/(\d+)\nSTART=(-?\d+)\nEND=(-?\d+)\ntitle=(.*)/g
  return [...reported.matchAll(chapter)].map(
    ([, base, from, to, title]) =>
      `${(Number(from) / Number(base)).toFixed(2)}-${(Number(to) / Number(base)).toFixed(2)} ${title}`,
  )
}

/** Four seconds with a key frame in each, five cues and three chapters; its subtitles are French and forced. */
function video(extension: string): Promise<string> {
  return sharedMedia(['video to cut'], `video.${extension}`, async (path) => {
    const words = temporaryPath('words.srt')
    const cue = ([from, to, text]: string[]) => `1\n00:00:0${from} --> 00:00:0${to}\n${text}\n`
    const cues = [
      ['0,200', '0,800', 'before'],
      ['1,100', '2,000', 'into'],
      ['2,200', '2,600', 'inside'],
      ['2,900', '3,800', 'out of'],
      ['3,850', '3,950', 'after'],
    ]
    writeFileSync(words, cues.map(cue).join('\n'))
    const chapters = temporaryPath('chapters.txt')
    const chapter = (start: number, end: number, title: string) =>
      `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\ntitle=${title}\n`
    writeFileSync(
      chapters,
      `;FFMETADATA1\n${chapter(0, 900, 'one')}${chapter(900, 2500, 'two')}${chapter(2500, 4000, 'three')}`,
    )
    await runFfmpeg([
      ...['-i', await makeVideo({ seconds: 4, width: 64, height: 48, extension }), '-i', words, '-i', chapters],
      ...['-map', '0', '-map', '1', '-map_chapters', '2', '-c', 'copy'],
      ...['-c:s', { mp4: 'mov_text', webm: 'webvtt' }[extension] ?? 'srt'],
      ...['-metadata:s:s:0', 'language=fre', '-disposition:s:0', 'forced', path],
    ])
  })
}

describe('subtitles and chapters follow a cut', () => {
  test.each(['mp4', 'mkv', 'webm'])('%s: to the frame', async (extension) => {
    const { paths, warnings } = await run(trimVideo, folder, [await video(extension)], {
      ...{ startS: 1.5, endS: 3.3, precise: true },
    })
    expect(warnings).toEqual([])
    // The cut goes to the next frame, at 1.52 s.
    expect(await cuesOf(paths[0]!)).toEqual(['00,000-00,480 into', '00,680-01,080 inside', '01,380-01,800 out of'])
    expect(await chaptersOf(paths[0]!)).toEqual(['0.00-0.98 two', '0.98-1.80 three'])
    const subtitles = (await infoOf(paths[0]!)).streams.find(({ type }) => type === 'subtitle')
    expect(subtitles).toMatchObject({ language: 'fre', ...(extension === 'mkv' && { isForced: true }) })
    expect((await frameTimes(paths[0]!)).length).toBe(45)
  })

  test.each(['mp4', 'mkv', 'webm'])('%s: copied from the key frame on', async (extension) => {
    const { paths } = await run(trimVideo, folder, [await video(extension)], { startS: 1.5, endS: 3.3 })
    expect(await cuesOf(paths[0]!)).toEqual(['00,100-01,000 into', '01,200-01,600 inside', '01,900-02,300 out of'])
    expect(await chaptersOf(paths[0]!)).toEqual(['0.00-1.50 two', '1.50-2.30 three'])
    expect((await frameTimes(paths[0]!))[0]).toBe(0)
  })

  test('omits subtitles that are empty in the cut without a warning', async () => {
    const { paths, warnings } = await run(trimVideo, folder, [await video('mkv')], { startS: 0, endS: 0.1 })
    expect((await infoOf(paths[0]!)).streams.map(({ type }) => type)).toEqual(['video'])
    expect(warnings).toEqual([])
  })

  test('each format with its own message', () => {
    const span = { fromS: 1.5, toS: 3.3 }
    const srt = '1\n00:00:00,000 --> 00:00:01,500\ngone\n\ntoo\n\n2\n00:00:01,250 --> 00:01:00,000\nkept\n\ntoo\n'
    expect(cutSubtitles(srt, 'srt', span)).toBe('2\n00:00:00,000 --> 00:00:01,800\nkept\n\ntoo\n')
    const vtt =
      'WEBVTT\n\nNOTE x\n\n00:02.000 --> 00:03.000 align:left\r\nkept\n\n01:00:00.000 --> 01:00:01.000\ngone\n'
    expect(cutSubtitles(vtt, 'vtt', { fromS: 1.5, toS: undefined })).toBe(
      'WEBVTT\n\nNOTE x\n\n00:00:00.500 --> 00:00:01.500 align:left\nkept\n\n00:59:58.500 --> 00:59:59.500\ngone\n',
    )
    const script = (events: string[]) => ['[Events]', 'Format: Layer, Start, End, Text', ...events].join('\n')
    const line = (from: string, to: string) => `Dialogue: 0,${from},${to},1, 2, {\\k10}x`
    expect(
      cutSubtitles(script([line('0:00:01.00', '0:00:02.25'), line('0:00:03.30', '0:00:04.00')]), 'ass', span),
    ).toBe(script([line('00:00:00.00', '00:00:00.75')]))
    expect(cutSubtitles(script([]), 'ass', span)).toBeUndefined()
  })
})

/** Frames that get brighter one by one. */
const ramp = (rate: number, seconds: number) =>
  `nullsrc=s=64x48:r=${rate}:d=${seconds},geq=lum='16+2.5*N':cb=128:cr=128`

/** Indices of these frames in a ramp. */
const numbersOf = (frames: readonly Uint8Array[]): number[] =>
  frames.map((frame) => Math.round((frame.reduce((sum, value) => sum + value, 0) / frame.length / 255) * (219 / 2.5)))

const following = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index)

describe('between frames', () => {
  test.each(['mp4', 'mkv', 'avi'])('%s: no frame is duplicated, the first is shown from 0 on', async (extension) => {
    const source = await paintedVideo(ramp(25, 3), extension)
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.33, endS: 2.13, precise: true })
    const times = await frameTimes(paths[0]!)
    for (const [index, time] of times.entries()) expect(Math.abs(time - times[0]! - index / 25)).toBeLessThan(0.002)
    // Frame 34 is shown from 1.36 s on; H.264 in AVI has no times of its own, and ffmpeg counts reordered frames later.
    expect(numbersOf(await grayFrames(paths[0]!))).toEqual(following(extension === 'avi' ? 32 : 34, 20))
  })

  test('after filters, too', async () => {
    const source = await sourceOf(await paintedVideo(ramp(25, 3)))
    const path = temporaryPath('behind.mp4')
    const range = { startS: 1.33, endS: 2.13, exact: true }
    await runAv(source, [{ videoFilters: ['vflip'] }, { range }], path)
    expect(numbersOf(await grayFrames(path))).toEqual(following(34, 20))
    expect((await frameTimes(path)).slice(0, 2)).toEqual([0, 0.04])
  })
})

test('content hidden by an edit list at the start stays hidden', async () => {
  const hidden = temporaryPath('hidden.mp4')
  // As phones cut: the file starts at the key frame half a second before the displayed part.
  const source = await makeVideo({ seconds: 3, width: 64, height: 48, audio: true })
  await runFfmpeg(['-ss', '1.5', '-i', source, '-c', 'copy', hidden])
  const { paths } = await run(trimVideo, folder, [hidden], { endS: 1 })
  expect((await frameTimes(paths[0]!))[0]).toBe(0)
  expect(Math.abs((await samplesOf(paths[0]!)).length / 48_000 - 1)).toBeLessThan(0.06)
})

describe('a screen video with frames that last seconds', () => {
  /** Five frames: at 0, 0.5, 3.2, 3.7 and 4.9 s. */
  const screen = () =>
    sharedMedia(['screen'], 'screen.mp4', async (path) => {
      const changes = 'eq(n,0)+eq(n,5)+eq(n,32)+eq(n,37)+eq(n,49)'
      const picture = ['-f', 'lavfi', '-i', `${ramp(10, 5)},select='${changes}'`]
      await runFfmpeg([...picture, ...videoCodecFor('mp4'), '-vsync', 'vfr', path])
    })

  test('starts with the frame that is on screen', async () => {
    const { paths } = await run(trimVideo, folder, [await screen()], { startS: 1.51, endS: 4, precise: true })
    const times = await frameTimes(paths[0]!)
    expect(times.map((time) => Math.round(time * 10))).toEqual([0, 17, 22])
    expect(numbersOf(await grayFrames(paths[0]!))).toEqual([5, 32, 37])
  })

  test.each(['mp4', 'mkv'])('keeps its frames and their times in %s', async (extension) => {
    const source = extension === 'mp4' ? await screen() : temporaryPath('screen.mkv')
    if (extension === 'mkv') await runFfmpeg(['-i', await screen(), '-c', 'copy', source])
    const { paths } = await run(rotateVideo, folder, [source], { transform: 'hflip' })
    const times = await frameTimes(paths[0]!)
    expect(times.slice(0, 3).map((time) => Math.round((time - times[0]!) * 10))).toEqual([0, 5, 32])
    // Old builds omit the last frames of MP4 from its edit list.
    expect([3, 5]).toContain(times.length)
  })
})
