import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import muteVideo from '../../../tools/video/audio/mute-video.ts'
import { infoOf, makeAudio, makeVideo, pictureHash, temporaryPath } from '../../helpers/av.ts'
import { badMedia } from '../../helpers/bad-media.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test.each(['mp4', 'mov', 'mkv', 'webm', 'avi', 'ts', 'flv', 'mpg', 'ogv', '3gp', 'wmv', 'm4v'])(
  '%s: the picture stays bit-identical',
  async (extension) => {
    const source = await makeVideo({ audio: true, seconds: 1, extension })
    const { paths, names } = await run(muteVideo, folder, [source])
    expect(names[0]).toMatch(new RegExp(`_muted\\.${extension}$`))
    const [before, after] = [await infoOf(source), await infoOf(paths[0]!)]
    expect(audioStreams(before)).toHaveLength(1)
    expect(audioStreams(after)).toEqual([])
    expect(after.format).toBe(before.format)
    expect(videoStream(after)!.codec).toBe(videoStream(before)!.codec)
    expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
  },
)

test('removes all audio tracks; keeps subtitles and the rotation', async () => {
  const video = await makeVideo({ seconds: 1, audioTracks: 2, rotation: 270 })
  const subtitles = temporaryPath('words.srt')
  writeFileSync(subtitles, '1\n00:00:00,000 --> 00:00:01,000\nHello\n')
  const source = temporaryPath('full.mp4')
  await runFfmpeg(['-i', video, '-i', subtitles, '-map', '0', '-map', '1', '-c', 'copy', '-c:s', 'mov_text', source])
  const { paths } = await run(muteVideo, folder, [source])
  const info = await infoOf(paths[0]!)
  expect(info.streams.map(({ type }) => type)).toEqual(['video', 'subtitle'])
  expect(videoStream(info)!.rotation).toBe(270)
})

test('a video without audio succeeds', async () => {
  const source = await makeVideo({ seconds: 1 })
  const { paths } = await run(muteVideo, folder, [source])
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
})

test('invalid input is refused with its code', async () => {
  for (const { path, code } of await badMedia(folder))
    await expect(run(muteVideo, folder, [path]), path).rejects.toMatchObject({ code })
  await expect(run(muteVideo, folder, [await makeAudio()])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
})
