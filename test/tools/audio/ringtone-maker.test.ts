import { expect, test } from 'vitest'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import ringtoneMaker from '../../../tools/audio/ringtone-maker.ts'
import { infoOf, makeAudio, samplesOf } from '../../helpers/av.ts'
import { withCover } from '../../helpers/cover.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test('an AAC clip in M4R, from the requested start', async () => {
  const source = await makeAudio({ seconds: 4 })
  const { paths, names } = await run(ringtoneMaker, folder, [source], { startS: 1.5, durationS: 2 })
  expect(names[0]).toMatch(/\.m4r$/)
  const info = await infoOf(paths[0]!)
  expect(audioStreams(info)[0]!.codec).toBe('aac')
  expect((await samplesOf(paths[0]!)).length / 48000).toBeCloseTo(2, 1)
})

test('one beyond the end is shorter; keeps covers', async () => {
  const { paths } = await run(ringtoneMaker, folder, [await withCover('mp3')], { startS: 1 })
  const info = await infoOf(paths[0]!)
  expect(info.streams.map(({ type }) => type)).toEqual(['audio', 'video'])
  expect(info.durationS).toBeLessThan(2)
})

test('refuses a start after the end', async () => {
  await expect(run(ringtoneMaker, folder, [await makeAudio()], { startS: 9 })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})
