import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { tagsOf } from '../../../src/media/av/labels/tags.ts'
import mergeAudio from '../../../tools/audio/merge-audio.ts'
import { frequencyOf, infoOf, levelOf, makeAudio, samplesOf, sharedMedia } from '../../helpers/av.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test.each(['wav', 'flac', 'mp3', 'm4a'])('joins different files as %s, without a gap', async (format) => {
  const inputs = [
    await makeAudio({ seconds: 1, frequency: 400, extension: 'wav' }),
    await makeAudio({ seconds: 0.5, frequency: 800, channels: 2, sampleRate: 22050, extension: 'flac' }),
    await makeAudio({ seconds: 1, frequency: 1200, sampleRate: 48000, extension: 'ogg' }),
  ]
  const { paths, names } = await run(mergeAudio, folder, inputs, { format })
  expect(names).toEqual([`merged.${format}`])
  expect(audioStreams(await infoOf(paths[0]!))[0]).toMatchObject({ channels: 2, sampleRate: 44100 })
  const samples = await samplesOf(paths[0]!, 44100)
  expect(samples.length / 44100).toBeCloseTo(2.5, 1)
  const second = (from: number, to: number) => samples.subarray(Math.round(from * 44100), Math.round(to * 44100))
  expect(Math.abs(frequencyOf(second(0.1, 0.9), 44100) - 400)).toBeLessThan(4)
  expect(Math.abs(frequencyOf(second(1.1, 1.45), 44100) - 800)).toBeLessThan(8)
  expect(Math.abs(frequencyOf(second(1.6, 2.4), 44100) - 1200)).toBeLessThan(12)
  // One channel is as loud as before on both sides: for the measurement ffmpeg adds the two up at -3 dB each.
  const before = levelOf(await samplesOf(inputs[0]!, 44100))
  expect(levelOf(second(0.1, 0.9)) - 10 * Math.log10(2)).toBeCloseTo(before, 0)
})

test('does not use title and cover of the first file', async () => {
  const { paths } = await run(mergeAudio, folder, [await withCover('mp3'), await makeAudio()], { format: 'm4a' })
  const info = await infoOf(paths[0]!)
  expect(info.tags.title).toBeUndefined()
  expect(info.streams).toHaveLength(1)
})

test('one file is too few', async () => {
  await expect(run(mergeAudio, folder, [await makeAudio()])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
})

test('keeps tags that all files share, and reports the others', async () => {
  const tagged = (title: string): Promise<string> =>
    sharedMedia(['tagged', title], `${title}.mp3`, async (path) => {
      const tags = ['-metadata', `title=${title}`, '-metadata', 'album=Peer Gynt', '-metadata', 'artist=Grieg']
      await runFfmpeg(['-i', await makeAudio({ seconds: 1, extension: 'mp3' }), '-c', 'copy', ...tags, path])
    })
  const { paths, warnings } = await run(mergeAudio, folder, [await tagged('Dawn'), await tagged('Death')])
  expect(tagsOf(await infoOf(paths[0]!))).toEqual({ album: 'Peer Gynt', artist: 'Grieg' })
  expect(warnings).toEqual(['tags that differ between the files are left out (title)'])
})
