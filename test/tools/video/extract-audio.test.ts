import { expect, test } from 'vitest'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import extractAudio from '../../../tools/video/audio/extract-audio.ts'
import { frequencyOf, infoOf, makeVideo, samplesOf } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { seconds: 1, width: 64, height: 48, fps: 5 }

test.each([
  ['mp3', 'mp3'],
  ['wav', 'pcm_s16le'],
  ['m4a', 'aac'],
  ['ogg', 'vorbis'],
])('%s', async (format, codec) => {
  const source = await makeVideo({ ...SMALL, audioTracks: 2 })
  const { paths, names } = await run(extractAudio, folder, [source], { format })
  expect(names[0]).toMatch(new RegExp(`video\\.${format}$`))
  const info = await infoOf(paths[0]!)
  expect(info.streams.map((stream) => [stream.type, stream.codec])).toEqual([['audio', codec]])
  expect(audioStreams(info)[0]).toMatchObject({ sampleRate: 48000, channels: 1 })
  expect(Math.abs(frequencyOf(await samplesOf(paths[0]!)) - 440)).toBeLessThan(5)
})

test('copies AAC to m4a unchanged', async () => {
  const source = await makeVideo({ ...SMALL, audio: true })
  const { paths } = await run(extractAudio, folder, [source], { format: 'm4a' })
  expect(await samplesOf(paths[0]!)).toEqual(await samplesOf(source))
})

test('refuses a video without audio', async () => {
  await expect(run(extractAudio, folder, [await makeVideo(SMALL)])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
    message: expect.stringContaining('has no audio to save'),
  })
})
