/** Container, depth, rate and channels that every encoding audio tool guarantees. */
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import volumeAdjust from '../../../tools/audio/volume-adjust.ts'
import { ENCODED_AUDIO, infoOf, makeAudio, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test.each(ENCODED_AUDIO)('%s becomes %s with %s', async (extension, expected, codec) => {
  const source = await makeAudio({ seconds: 1, extension, sampleRate: 48000, channels: 2 })
  const { paths, names } = await run(volumeAdjust, folder, [source], { gainDb: -3 })
  expect(names[0]).toMatch(new RegExp(`_volume\\.${expected}$`))
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ codec, sampleRate: 48000, channels: 2 })
})

test.each([
  ['wav', 'pcm_s24le', 's32'],
  ['wav', 'pcm_f32le', 'flt'],
  ['aiff', 'pcm_s24be', 's32'],
  ['flac', 'flac', 's32'],
])('%s keeps the depth of %s, and a rate of 96 kHz', async (extension, codec, sampleFormat) => {
  const source = temporaryPath(`deep.${extension}`)
  const tone = ['-f', 'lavfi', '-i', 'sine=440:sample_rate=96000:d=0.2']
  await runFfmpeg([...tone, '-c:a', codec, ...(codec === 'flac' ? ['-sample_fmt', 's32'] : []), source])
  const { paths } = await run(volumeAdjust, folder, [source], { gainDb: -3 })
  const [stream] = audioStreams(await infoOf(paths[0]!))
  expect(stream).toMatchObject({ codec, sampleFormat, sampleRate: 96000 })
})

test('MP3 at 8 kHz gets a supported bit rate', async () => {
  const source = await makeAudio({ seconds: 1, extension: 'wav', sampleRate: 8000 })
  const mp3 = temporaryPath('low.mp3')
  await runFfmpeg(['-i', source, '-b:a', '64k', mp3])
  const { paths } = await run(volumeAdjust, folder, [mp3], { gainDb: -3 })
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ codec: 'mp3', sampleRate: 8000 })
})
