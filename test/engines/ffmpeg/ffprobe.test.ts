import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeWithBanner } from '../../../src/engines/ffmpeg/banner.ts'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import {
  audioStreams,
  beginProbe,
  ffprobe,
  isStillImage,
  type MediaInfo,
  probeMedia,
  videoStream,
} from '../../../src/engines/ffmpeg/ffprobe.ts'
import { makeAudio, makeVideo, sharedMedia, temporaryPath } from '../../helpers/av.ts'

const corpus = '/work/shared/corpus'

/** The same file read by ffprobe and from the output of ffmpeg: both must give the expected values. */
const readers: [string, (path: string) => Promise<MediaInfo>][] = [
  ['ffprobe', (path) => probeMedia(path)],
  ['banner', (path) => probeWithBanner(path, 1)],
]

async function coveredSong(): Promise<string> {
  const cover = temporaryPath('cover.png')
  await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1', cover])
  const song = temporaryPath('song.mp3')
  const inputs = ['-i', await makeAudio({ extension: 'mp3' }), '-i', cover]
  await runFfmpeg([
    ...inputs,
    '-map',
    '0:a',
    '-map',
    '1',
    '-c',
    'copy',
    '-disposition:v:0',
    'attached_pic',
    '-metadata',
    'title=Tune',
    song,
  ])
  return song
}

test('engine status', async () => {
  const status = await ffprobe.probe()
  expect(status).toMatchObject({ available: true, path: expect.stringMatching(/ffprobe$/) })
})

describe('starts before it is needed', () => {
  // The tests cache answers, except those with a time limit.
  const probe = (path: string) => probeMedia(path, { timeoutMs: 60_000 })

  test.each([
    [1, 'as it is', () => {}],
    [2, 'changed', (path: string) => appendFileSync(path, 'x')],
  ])('%i program for a file %s', async (count, _, change) => {
    const path = temporaryPath('early.wav')
    copyFileSync(await makeAudio(), path)
    const [script, list] = [temporaryPath('counted.sh'), temporaryPath('counted.txt')]
    writeFileSync(script, `#!/bin/sh\necho one >> "${list}"\nexec ffprobe "$@"\n`, { mode: 0o755 })
    const saved = process.env.MEDIAPROC_FFPROBE
    process.env.MEDIAPROC_FFPROBE = script
    try {
      await beginProbe(path, new AbortController().signal)
      change(path)
      expect((await probe(path)).format).toBe('wav')
      expect(readFileSync(list, 'utf8').match(/one/g)).toHaveLength(count)
      // The answer is returned once.
      await probe(path)
      expect(readFileSync(list, 'utf8').match(/one/g)).toHaveLength(count + 1)
    } finally {
      if (saved === undefined) delete process.env.MEDIAPROC_FFPROBE
      else process.env.MEDIAPROC_FFPROBE = saved
    }
  })

  test('reports an unreadable file to its caller', async () => {
    await beginProbe(temporaryPath('nowhere.wav'), new AbortController().signal)
    await expect(probeMedia(temporaryPath('nowhere.wav'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  })
})

describe.each(readers)('%s', (reader, read) => {
  test('video with audio', async () => {
    const info = await read(await makeVideo({ seconds: 2, width: 128, height: 96, fps: 25, audioTracks: 2 }))
    expect(info).toMatchObject({ format: 'mov,mp4,m4a,3gp,3g2,mj2', chapters: 0 })
    expect(info.durationS).toBeCloseTo(2, 1)
    expect(info.streams.map(({ type, index }) => [type, index])).toEqual([
      ['video', 0],
      ['audio', 1],
      ['audio', 2],
    ])
    expect(videoStream(info)).toMatchObject({
      ...{ codec: 'h264', width: 128, height: 96, displayWidth: 128, displayHeight: 96, rotation: 0, frameRate: 25 },
      ...{ pixelFormat: 'yuv420p', isDefault: true, isAttachedPicture: false, colour: {} },
    })
    expect(audioStreams(info)[0]).toMatchObject({ codec: 'aac', sampleRate: 48000, channels: 1, channelLayout: 'mono' })
    expect(isStillImage(info)).toBe(false)
  })

  test.each([90, 180, 270] as const)('rotation by %d degrees', async (rotation) => {
    const video = videoStream(await read(await makeVideo({ rotation })))
    const [displayWidth, displayHeight] = rotation === 180 ? [128, 96] : [96, 128]
    expect(video).toMatchObject({ rotation, width: 128, height: 96, displayWidth, displayHeight })
  })

  test('colour, aspect ratio, NTSC rate, language, title, default', async () => {
    const path = temporaryPath('tagged.mkv')
    await runFfmpeg([
      ...[
        '-f',
        'lavfi',
        '-i',
        'testsrc2=s=128x96:r=30000/1001:d=1',
        '-f',
        'lavfi',
        '-i',
        'sine=d=1',
        '-map',
        '0',
        '-map',
        '1',
      ],
      ...[
        '-vf',
        'setsar=4/3',
        '-c:v',
        'libx264',
        '-pix_fmt',
        'yuv420p',
        '-color_range',
        'tv',
        '-colorspace',
        'bt470bg',
      ],
      ...['-color_primaries', 'bt470bg', '-color_trc', 'bt709', '-c:a', 'libvorbis', '-disposition:a:0', '0'],
      ...['-metadata:s:a:0', 'language=deu', '-metadata:s:a:0', 'title=Ton: links', path],
    ])
    const info = await read(path)
    expect(videoStream(info)).toMatchObject({
      ...{ sampleAspectRatio: '4:3', displayWidth: 171, displayHeight: 96 },
      colour: { range: 'tv', primaries: 'bt470bg', transfer: 'bt709', matrix: 'bt470bg' },
    })
    expect(videoStream(info)?.frameRate).toBeCloseTo(30000 / 1001, 4)
    expect(videoStream(info)?.durationS).toBeCloseTo(1, 1)
    expect(audioStreams(info)[0]).toMatchObject({ language: 'deu', title: 'Ton: links', channelLayout: 'mono' })
  })

  test('a cover picture is not a video', async () => {
    const info = await read(await coveredSong())
    expect(info.tags.title).toBe('Tune')
    expect(info.streams.filter(({ isAttachedPicture }) => isAttachedPicture)).toMatchObject([
      { type: 'video', codec: 'png', width: 64 },
    ])
    expect(videoStream(info)).toBeUndefined()
    expect(isStillImage(info)).toBe(false)
  })

  test('a picture is a still image, a video is not', async () => {
    for (const extension of ['png', 'jpg', 'bmp']) {
      const path = temporaryPath(`still.${extension}`)
      await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=64x48', '-frames:v', '1', path])
      expect(isStillImage(await read(path))).toBe(true)
    }
    expect(isStillImage(await read(await makeVideo({ extension: 'gif' })))).toBe(false)
  })

  test('chapters and subtitles', async () => {
    const chapters = temporaryPath('chapters.txt')
    writeFileSync(
      chapters,
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\ntitle=Two\n',
    )
    const words = temporaryPath('words.srt')
    writeFileSync(words, '1\n00:00:00,000 --> 00:00:01,000\nHello\n')
    const path = temporaryPath('chapters.mkv')
    const inputs = ['-i', await makeVideo(), '-i', chapters, '-i', words]
    await runFfmpeg([
      ...inputs,
      '-map',
      '0',
      '-map',
      '2',
      '-map_metadata',
      '1',
      '-c',
      'copy',
      '-metadata:s:s:0',
      'language=fra',
      path,
    ])
    const info = await read(path)
    expect(info.chapters).toBe(2)
    expect(info.streams.at(-1)).toMatchObject({ type: 'subtitle', codec: 'subrip', language: 'fra' })
    expect(videoStream(info)?.title).toBeUndefined()
  })

  test.each([6, 8])('%d channels', async (channels) => {
    const info = await read(await makeAudio({ channels, extension: 'flac' }))
    expect(audioStreams(info)[0]).toMatchObject({ codec: 'flac', channels, sampleRate: 44100 })
  })

  test.each([
    ['hls', '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n/etc/hostname\n#EXT-X-ENDLIST\n', ['list.m3u8']],
    ['concat', "ffconcat version 1.0\nfile '/etc/hostname'\n", ['list.txt', 'video.mp4']],
  ])('refuses a %s playlist with any name', async (_, text, names) => {
    for (const name of names) {
      const path = temporaryPath(name)
      writeFileSync(path, text)
      await expect(read(path)).rejects.toMatchObject({
        code: 'UNSUPPORTED_FILE_TYPE',
        message: 'The file is a playlist that refers to other files',
      })
    }
  })

  test('damaged and other files', async () => {
    const cut = temporaryPath('cut.mp4')
    cpSync(await makeVideo(), cut)
    truncateSync(cut, 1000)
    await expect(read(cut)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: 'The file is incomplete or damaged: its index is missing',
    })
    const noise = temporaryPath('noise.mp4')
    writeFileSync(noise, Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7919 + (at >> 3)) & 255)))
    await expect(read(noise)).rejects.toMatchObject({ code: 'INVALID_FILE' })
    const text = temporaryPath('text.txt')
    writeFileSync(text, 'just words\n'.repeat(50))
    await expect(read(text)).rejects.toMatchObject({
      code: expect.stringMatching(/^(INVALID_FILE|UNSUPPORTED_FILE_TYPE)$/),
    })
  })

  test('hostile names', async () => {
    const folder = `${temporaryPath('names')}\n  Stream #0:9: Video: x, 1x1`
    mkdirSync(folder)
    for (const name of [
      '-i.mp4',
      'a:b.mp4',
      'http:x.mp4',
      'line\n  Stream #0:5: Audio: mp3.mp4',
      '100%d.mp4',
      "it's [1].mp4",
    ]) {
      const path = join(folder, name)
      cpSync(await makeVideo(), path)
      expect((await read(path)).streams.map(({ codec }) => codec)).toEqual(['h264'])
    }
    const pattern = join(dirname(folder), '%d.png')
    await runFfmpeg([
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x48',
      '-frames:v',
      '1',
      '-f',
      'image2pipe',
      '-c:v',
      'png',
      `file:${pattern}`,
    ])
    // A neighbour that matches the pattern must not be read instead.
    await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=32x16', '-frames:v', '1', join(dirname(folder), '1.png')])
    expect(videoStream(await read(pattern))?.width).toBe(64)
  })

  test.skipIf(!existsSync(corpus))('real files', async () => {
    const clip = await read(join(corpus, 'video/big-buck-bunny-480p-30s.mp4'))
    expect(videoStream(clip)).toMatchObject({ codec: 'h264', width: 854, height: 480 })
    expect(clip.durationS).toBeGreaterThan(29)
    const speech = await read(join(corpus, 'audio/jfk.flac'))
    expect(audioStreams(speech)).toMatchObject([{ codec: 'flac', sampleRate: 44100, channels: 2 }])
    expect(reader === 'ffprobe' ? speech.durationS : 11).toBeCloseTo(11, 0)
  })
})

describe('files that are not media files', () => {
  test('missing, folder, empty', async () => {
    await expect(probeMedia('/nowhere/video.mp4')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    await expect(probeMedia('/tmp')).rejects.toMatchObject({ code: 'IS_A_FOLDER' })
    const empty = temporaryPath('empty.mp4')
    writeFileSync(empty, '')
    await expect(probeMedia(empty)).rejects.toMatchObject({ code: 'EMPTY_FILE' })
  })

  test('an abort is CANCELED', async () => {
    await expect(probeMedia(await makeVideo(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELED',
    })
  })
})

test.each(readers)('%s: 60,000 chapters', async (_, read) => {
  const path = await sharedMedia(['many chapters'], 'many.mka', async (made) => {
    const list = temporaryPath('many.txt')
    const chapters = Array.from(
      { length: 60_000 },
      (__, index) => `[CHAPTER]\nTIMEBASE=1/100\nSTART=${index}\nEND=${index + 1}\ntitle=c${index}\n`,
    )
    writeFileSync(list, `;FFMETADATA1\n${chapters.join('')}`)
    const inputs = ['-i', await makeAudio({ seconds: 1, extension: 'mka' }), '-i', list]
    await runFfmpeg([...inputs, '-map', '0', '-map_chapters', '1', '-c', 'copy', made])
  })
  const { chapters, chapterList = [], streams } = await read(path)
  expect([chapters, chapterList.length, streams.length]).toEqual([60_000, 60_000, 1])
  expect(chapterList[59_998]).toEqual({ startS: 599.98, endS: 599.99, title: 'c59998' })
})
