/** Which audio and subtitle tracks are kept: by number and language, with their labels. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import extractAudio from '../../../tools/video/audio/extract-audio.ts'
import muteVideo from '../../../tools/video/audio/mute-video.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import extractSubtitles from '../../../tools/video/subtitles/extract-subtitles.ts'
import { frequencyOf, infoOf, makeVideo, pictureHash, samplesOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Tracks of 440, 880 and 1320 Hz in German, English and French (commentary), and subtitles in English and German (forced). */
const film = (): Promise<string> =>
  sharedMedia(['three-languages'], 'tracks.mkv', async (path) => {
    const texts = ['Hello', 'Hallo'].map((word) => {
      const text = temporaryPath(`${word}.srt`)
      writeFileSync(text, `1\n00:00:00,100 --> 00:00:00,900\n${word}\n`)
      return ['-i', text]
    })
    const video = await makeVideo({ seconds: 1, width: 64, height: 48, audioTracks: 3 })
    const label = (track: string, ...values: string[]) => values.flatMap((value) => [`-metadata:s:${track}`, value])
    await runFfmpeg([
      ...['-i', video, ...texts.flat(), '-map', '0', '-map', '1', '-map', '2', '-c', 'copy', '-c:s', 'srt'],
      ...[...label('a:0', 'language=ger'), ...label('a:1', 'language=eng', 'title=Original')],
      ...label('a:2', 'language=fra', 'title=Director'),
      ...['-disposition:a:0', '0', '-disposition:a:1', 'default', '-disposition:a:2', 'comment'],
      ...[...label('s:0', 'language=eng'), ...label('s:1', 'language=ger')],
      ...['-disposition:s:0', '0', '-disposition:s:1', 'forced', path],
    ])
  })

const labels = async (path: string) =>
  (await infoOf(path)).streams
    .filter(({ type }) => type !== 'video')
    .map(({ type, language, title, tags, isDefault, isForced }) => ({
      ...{ type, language, title: title ?? tags.handler_name?.replace(/Handler$/, ''), isDefault },
      ...(isForced && { isForced }),
    }))

const hertz = async (path: string, stream = 0): Promise<number> =>
  Math.round(frequencyOf(await samplesOf(path, 48000, stream)) / 10) * 10

test.each([
  [{ audioTracks: '2,fr', subtitleTracks: 'de' }, [880, 1320], ['ger']],
  [{ audioTracks: 'ger', subtitleTracks: 'none' }, [440], []],
  [{ audioTracks: 'none', subtitleTracks: 'EN,2' }, [], ['eng', 'ger']],
  [{}, [440, 880, 1320], ['eng', 'ger']],
])('%j', async (choice, tones, texts) => {
  const source = await film()
  const { paths, warnings } = await run(convertVideo, folder, [source], { format: 'mkv', ...choice })
  expect(warnings).toEqual([])
  const found = await labels(paths[0]!)
  const [audio, subtitle] = ['audio', 'subtitle'].map((type) => found.filter((one) => one.type === type))
  expect(await Promise.all(tones.map((_, stream) => hertz(paths[0]!, stream)))).toEqual(tones)
  expect(audio).toHaveLength(tones.length)
  expect(subtitle!.map(({ language }) => language)).toEqual(texts)
  const original = await labels(source)
  for (const one of found) expect(original).toContainEqual(one)
})

test('titles and languages are kept in MP4; the budget of a size counts the chosen tracks', async () => {
  const source = await film()
  const choice = { audioTracks: 'eng', subtitleTracks: '2' }
  const { paths, warnings } = await run(compressVideo, folder, [source], choice)
  const [audio, subtitle] = await labels(paths[0]!)
  expect(audio).toMatchObject({ type: 'audio', language: 'eng', title: 'Original' })
  expect(subtitle).toMatchObject({ type: 'subtitle', language: 'ger' })
  // ffmpeg of 2018 writes no roles into MP4.
  expect(subtitle!.isForced || warnings.some((one) => one.includes('forced'))).toBe(true)
  const sized = await run(compressVideo, folder, [source], { ...choice, targetSizeKb: 40, codec: 'hevc' })
  expect(audioStreams(await infoOf(sized.paths[0]!))).toHaveLength(1)
})

test('a track that is not there is an error that lists the others', async () => {
  const source = await film()
  for (const audioTracks of ['4', '0', 'es', '1,nonsense'])
    await expect(run(convertVideo, folder, [source], { audioTracks }), audioTracks).rejects.toMatchObject({
      code: 'TARGET_UNREACHABLE',
      hint: 'It has 3 audio tracks: 1 ger, 2 eng, 3 fra.',
    })
  await expect(run(convertVideo, folder, [source], { audioTracks: ' , ' })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
  const mute = await makeVideo({ seconds: 1, width: 64, height: 48 })
  await expect(run(convertVideo, folder, [mute], { audioTracks: '1' })).rejects.toMatchObject({
    hint: 'It has no audio tracks.',
  })
})

test('one audio or subtitle track is saved', async () => {
  const source = await film()
  const { paths, warnings } = await run(extractAudio, folder, [source], { format: 'wav', audioTrack: 'en' })
  expect(warnings).toEqual([expect.stringContaining('the title of a track')])
  expect(await hertz(paths[0]!)).toBe(880)
  expect((await run(extractAudio, folder, [source], { format: 'wav' })).warnings).toEqual([
    'of 3 audio tracks only the first is kept',
  ])
  const text = await run(extractSubtitles, folder, [source], { subtitleTrack: '2' })
  expect(readFileSync(text.paths[0]!, 'utf8')).toContain('Hallo')
  expect(text.warnings).toEqual([])
})

test('mute-video drops some of the tracks without encoding', async () => {
  const source = await film()
  const { paths } = await run(muteVideo, folder, [source], { tracks: '1,fra' })
  expect((await labels(paths[0]!)).map(({ language }) => language)).toEqual(['eng', 'eng', 'ger'])
  expect(await hertz(paths[0]!)).toBe(880)
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
})
