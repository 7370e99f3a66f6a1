import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import { infoOf, makeVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test('higher strength, smaller; always MP4 with H.264 and AAC', async () => {
  const source = await makeVideo({ audio: true, extension: 'webm', seconds: 1 })
  const sizes: number[] = []
  for (const quality of ['light', 'balanced', 'strong']) {
    const { paths, names } = await run(compressVideo, folder, [source], { quality })
    expect(names[0]).toMatch(/_compressed\.mp4$/)
    const info = await infoOf(paths[0]!)
    expect(videoStream(info)).toMatchObject({ codec: 'h264', pixelFormat: 'yuv420p', width: 128, height: 96 })
    expect(audioStreams(info)[0]!.codec).toBe('aac')
    sizes.push(statSync(paths[0]!).size)
  }
  expect(sizes[1]).toBeLessThan(sizes[0]!)
  expect(sizes[2]).toBeLessThan(sizes[1]!)
})

test.each([
  [{ width: 64, height: 600 }, '480p', [52, 480]],
  [{ width: 96, height: 64 }, '480p', [96, 64]],
  [{ width: 97, height: 63 }, 'original', [96, 62]],
])('%j to %s', async (size, resolution, expected) => {
  const { paths } = await run(compressVideo, folder, [await makeVideo({ ...size, fps: 2, seconds: 1 })], { resolution })
  const { width, height } = videoStream(await infoOf(paths[0]!))!
  expect([width, height]).toEqual(expected)
})

test('reports a result that is not smaller', async () => {
  const source = await makeVideo({ audio: true, seconds: 1 })
  const strong = await run(compressVideo, folder, [source], { quality: 'strong' })
  expect(strong.warnings).toEqual([])
  const { warnings, paths } = await run(compressVideo, folder, [strong.paths[0]!], { quality: 'light' })
  expect(statSync(paths[0]!).size).toBeGreaterThanOrEqual(statSync(strong.paths[0]!).size)
  expect(warnings).toEqual([expect.stringContaining('not smaller')])
})
