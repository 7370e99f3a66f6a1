/** Every loss of an output compared with its source is reported, and nothing else. */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import { lossesOf } from '../../../src/media/av/verify/compare.ts'
import { lossSentences } from '../../../src/media/av/verify/sentences.ts'
import extractAudio from '../../../tools/video/audio/extract-audio.ts'
import muteVideo from '../../../tools/video/audio/mute-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import videoToGif from '../../../tools/video/convert/video-to-gif.ts'
import resizeVideo from '../../../tools/video/geometry/resize-video.ts'
import mergeVideos from '../../../tools/video/time/merge-videos.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { infoOf, makeVideo, pictureHash, sharedMedia, sourceOf } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48 }

/** Two audio tracks, the first in 5.1, subtitles, two chapters and an attached font. */
function fullFilm(): Promise<string> {
  return sharedMedia(['full video'], 'full.mkv', async (path) => {
    const words = join(folder, 'words.srt')
    writeFileSync(words, '1\n00:00:00,500 --> 00:00:01,000\nHello\n')
    const chapters = join(folder, 'chapters.txt')
    const chapter = (start: number) => `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${start + 1}\n`
    writeFileSync(chapters, `;FFMETADATA1\n${chapter(0)}${chapter(1)}`)
    await runFfmpeg([
      ...[
        '-i',
        await makeVideo({ ...SMALL, audio: true }),
        '-f',
        'lavfi',
        '-i',
        'anullsrc=cl=5.1,atrim=end=2',
        '-i',
        words,
        '-i',
        chapters,
      ],
      ...[
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-map',
        '0:a',
        '-map',
        '2:s',
        '-map_chapters',
        '3',
        '-c:v',
        'copy',
        '-c:a',
        'aac',
        '-c:s',
        'srt',
      ],
      ...['-attach', words, '-metadata:s:t', 'mimetype=font/ttf', '-t', '2', path],
    ])
  })
}

describe('properties that a container does not support', () => {
  test('AVI: subtitles, chapters, attached files, and more than two channels', async () => {
    const { warnings } = await run(convertVideo, folder, [await fullFilm()], { format: 'avi' })
    expect(warnings).toEqual([
      '6 channels are mixed down to 2: the codec has no more',
      '1 subtitle track is left out: AVI does not hold them',
      '2 chapters are left out: AVI has none',
      '1 attached file is left out: AVI holds none',
      'audio track 2 was the one that players choose, and is no longer marked as such',
    ])
  })

  test('MP4 supports all but the attached file', async () => {
    const { warnings } = await run(convertVideo, folder, [await fullFilm()], { format: 'mp4' })
    expect(warnings).toEqual(['1 attached file is left out: MP4 holds none'])
  })

  test('MKV supports everything; requested changes are not reported', async () => {
    expect((await run(convertVideo, folder, [await fullFilm()], { format: 'mkv' })).warnings).toEqual([])
    expect((await run(muteVideo, folder, [await fullFilm()])).warnings).toEqual([])
    expect((await run(videoToGif, folder, [await fullFilm()], { width: 64, durationS: 1 })).warnings).toEqual([])
    const { warnings } = await run(extractAudio, folder, [await fullFilm()], { format: 'wav' })
    expect(warnings).toEqual(['of 2 audio tracks only the first is kept', '2 chapters are left out: WAV has none'])
  })

  test('subtitles cannot follow another speed; chapters do', async () => {
    const { warnings } = await run(videoSpeed, folder, [await fullFilm()], { factor: 2 })
    expect(warnings).toEqual(['1 subtitle track is left out: they cannot follow the change in timing'])
  })

  test('joined or reversed: reports every loss, with the name of the clip if there are several', async () => {
    const lost = ['1 subtitle track is left out: they cannot follow the change in timing']
    const video = await fullFilm()
    const reversed = await run(reverseVideo, folder, [video])
    expect(reversed.warnings).toEqual(lost)
    const { streams } = await infoOf(reversed.paths[0]!)
    expect(streams.map(({ type }) => type)).toEqual(['video', 'audio', 'audio', 'attachment'])
    const short = await makeVideo(SMALL)
    const slower = 'the frame rate is 30 and not 25 per second: all joined files get the same format'
    const joined = await run(mergeVideos, folder, [video, short])
    const name = video.split('/').at(-1)!
    expect(joined.warnings).toEqual(
      [
        ...[slower, 'of 2 audio tracks only the first is kept'],
        '6 channels are mixed down to 2: all joined files get the same format',
        ...[...lost, '1 attached file is left out: MP4 holds none'],
      ]
        .map((loss) => `${name}: ${loss}`)
        .concat(`${short.split('/').at(-1)!}: ${slower}`),
    )
  })

  test('data tracks, except the chapter track of MP4', async () => {
    const source = await sourceOf(await makeVideo(SMALL))
    const data = { ...source.info.streams[0]!, type: 'data', codec: 'bin_data', tags: {} } as const
    const lossesWith = (changes: object, made = source.info.streams) => {
      const plan = planAv({ ...source, info: { ...source.info, ...changes } }, [], 'x.mp4').output
      const output = { ...source.info, streams: made, chapters: plan.source.info.chapters }
      return lossSentences(lossesOf(plan, output), 'mp4')
    }
    const streams = [...source.info.streams, data]
    const reported = ['1 data track is left out: only tracks that players show or play are kept']
    expect(lossesWith({ streams })).toEqual(reported)
    expect(lossesWith({ streams, chapters: 2 })).toEqual([])
    expect(lossesWith({ streams: [...streams, data], chapters: 2 })).toEqual(reported)
    const timed = [...source.info.streams, { ...data, tags: { timecode: '00:00:00:00' } }]
    expect(lossesWith({ streams: timed }, timed)).toEqual([])
    expect(lossesWith({ streams: timed })).toEqual(['the timecode 00:00:00:00 is left out: MP4 has none'])
  })

  test('--strict refuses', async () => {
    await expect(
      run(convertVideo, folder, [await fullFilm()], { format: 'avi' }, { strict: true }),
    ).rejects.toMatchObject({
      code: 'REFUSED_BY_STRICT',
    })
  })
})

describe('a copied clip', () => {
  test.each(['mp4', 'ts'])('%s: reports where it starts, if that is earlier', async (extension) => {
    const source = await makeVideo({ ...SMALL, seconds: 4, audio: true, extension })
    const early = await run(trimVideo, folder, [source], { startS: 1.6, endS: 3 })
    expect(early.warnings).toEqual([
      'the clip begins at 1 s, the key frame before 1.6 s: a copy cannot begin elsewhere',
    ])
    expect((await run(trimVideo, folder, [source], { startS: 1, endS: 3 })).warnings).toEqual([])
    expect((await run(trimVideo, folder, [source], { startS: 1.6, endS: 3, precise: true })).warnings).toEqual([])
  })

  test('of a transport stream has its picture from the start', async () => {
    const source = await makeVideo({ ...SMALL, seconds: 4, audio: true, extension: 'ts' })
    // Nine tenths after a key frame, and shorter than to the next one.
    const { paths } = await run(trimVideo, folder, [source], { startS: 1.9, endS: 1.98 })
    const info = await infoOf(paths[0]!)
    expect(info.streams.map(({ type }) => type)).toEqual(['video', 'audio'])
    expect(Math.abs(info.durationS! - 0.98)).toBeLessThan(0.1)
    expect(await pictureHash(paths[0]!)).toMatch(/MD5=/)
  })
})

describe('length', () => {
  test.each(['mp4', 'mkv'])('%s: a missing tail is reported, and refused by --strict', async (extension) => {
    const whole = await makeVideo({ width: 160, height: 120, seconds: 4, audio: true, extension })
    const moved = join(folder, `whole.${extension}`)
    await runFfmpeg(['-i', whole, '-c', 'copy', '-movflags', '+faststart', moved])
    const cut = join(folder, `cut.${extension}`)
    copyFileSync(moved, cut)
    truncateSync(cut, Math.round(readFileSync(moved).length * 0.6))
    const { warnings } = await run(convertVideo, folder, [cut], { format: 'mp4' })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/^the result is [\d.]+ s long and not 4(\.\d+)? s: the end of the source is damaged/)
    await expect(run(convertVideo, folder, [cut], { format: 'mp4' }, { strict: true })).rejects.toMatchObject({
      code: 'REFUSED_BY_STRICT',
    })
  })
})

describe('transparency', () => {
  /** Half a second, transparent on the right. */
  const clear = (): Promise<string> =>
    sharedMedia(['transparent'], 'transparent.webm', async (path) => {
      const picture = "color=red:s=64x48:r=10:d=0.5,format=yuva420p,geq=lum=90:cb=90:cr=200:a='255*lt(X,32)'"
      await runFfmpeg(['-f', 'lavfi', '-i', picture, '-c:v', 'libvpx-vp9', '-b:v', '0', '-crf', '30', path])
    })

  test('stays if the format supports it', async () => {
    const { paths, warnings } = await run(resizeVideo, folder, [await clear()], { width: 32 })
    expect(warnings).toEqual([])
    const read = ['-c:v', 'libvpx-vp9', '-i', paths[0]!, '-frames:v', '1', '-vf', 'alphaextract,format=gray']
    const alpha = await captureFfmpeg([...read, '-f', 'rawvideo', 'pipe:1'], { maxOutput: 10_000 })
    expect(alpha[32 * 12 + 4]).toBeGreaterThan(250)
    expect(alpha[32 * 12 + 28]).toBeLessThan(5)
  })

  test('is reported otherwise, and so are deep colours', async () => {
    const { warnings } = await run(convertVideo, folder, [await clear()], { format: 'mp4' })
    expect(warnings).toEqual(['the transparency is left out: MP4 is written without any'])
    const deep = await sharedMedia(['deep colours'], 'deep.mkv', async (path) => {
      await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=0.5,format=yuv444p10le', '-c:v', 'ffv1', path])
    })
    expect((await run(convertVideo, folder, [deep], { format: 'mp4' })).warnings).toEqual([
      expect.stringContaining('more than 8 bits'),
    ])
  })
})
