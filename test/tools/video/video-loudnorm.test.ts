import { expect, test } from 'vitest'
import { inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import videoLoudnorm from '../../../tools/video/audio/video-loudnorm.ts'
import { infoOf, makeVideo, pictureHash } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48, fps: 5, seconds: 4 }

test.each(['mp4', 'webm'])('%s: -16 LUFS, the picture copied, the rate kept', async (extension) => {
  const source = await makeVideo({ ...SMALL, audio: true, extension })
  const { paths, names } = await run(videoLoudnorm, folder, [source])
  expect(names[0]).toMatch(new RegExp(`_loudnorm\\.${extension}$`))
  const said = await runFfmpeg([...inputArguments(paths[0]!), '-map', '0:a', '-af', 'ebur128', '-f', 'null', '-'], {
    logLevel: 'info',
  })
  const lufs = Number(/I:\s+(-?[\d.]+) LUFS/.exec(said.slice(said.lastIndexOf('Summary:')))![1])
  expect(Math.abs(lufs + 16)).toBeLessThan(0.5)
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
  expect(audioStreams(await infoOf(paths[0]!))[0]!.sampleRate).toBe(48000)
})

test('refuses a video without audio', async () => {
  await expect(run(videoLoudnorm, folder, [await makeVideo({ ...SMALL, seconds: 1 })])).rejects.toMatchObject({
    code: 'UNSUPPORTED_FILE_TYPE',
  })
})
