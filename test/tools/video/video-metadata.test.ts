import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import videoMetadata from '../../../tools/video/metadata/video-metadata.ts'
import { infoOf, makeVideo, pictureHash, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48, fps: 5, seconds: 1, audio: true }

test.each(['mp4', 'mov', 'mkv', 'webm', 'avi'])('%s: removes tags, keeps the streams', async (extension) => {
  const tagged = temporaryPath(`tagged.${extension}`)
  const tags = ['-metadata', 'title=Secret garden', '-metadata', 'location=+52.5+013.4/', '-metadata', 'comment=mine']
  const streamTags = ['-metadata:s:v:0', 'title=Secret garden', '-metadata:s:a:0', 'title=Secret garden']
  await runFfmpeg([
    '-i',
    await makeVideo({ ...SMALL, extension }),
    '-map',
    '0',
    '-c',
    'copy',
    ...tags,
    ...streamTags,
    tagged,
  ])
  expect(readFileSync(tagged).includes('Secret garden')).toBe(true)
  const { paths, names, report } = await run(videoMetadata, folder, [tagged])
  expect(names[0]).toMatch(new RegExp(`_clean\\.${extension}$`))
  const bytes = readFileSync(paths[0]!)
  for (const word of ['Secret garden', '+52.5+013.4', 'Lavf5']) expect(bytes.includes(word), word).toBe(false)
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(tagged))
  expect(report.metadata).toMatchObject({
    container: expect.any(String),
    streams: [
      { type: 'video', width: 64, height: 48 },
      { type: 'audio', sampleRate: 48000 },
    ],
  })
})

test('keeps the rotation: it is not personal metadata', async () => {
  const { paths } = await run(videoMetadata, folder, [await makeVideo({ ...SMALL, rotation: 90 })])
  expect(videoStream(await infoOf(paths[0]!))!.rotation).toBe(90)
})

test('reports that there is nothing to remove', async () => {
  for (const extension of ['mp4', 'mkv', 'avi']) {
    const clean = await run(videoMetadata, folder, [await makeVideo({ ...SMALL, extension })])
    expect(clean.warnings).toEqual([])
    const again = await run(videoMetadata, folder, clean.paths)
    expect(again.warnings, extension).toEqual(['nothing is changed: the file has no removable metadata'])
  }
})
