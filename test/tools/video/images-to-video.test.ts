import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import imagesToVideo from '../../../tools/video/convert/images-to-video.ts'
import { frameTimes, infoOf, makeVideo, meanColour } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

async function picture(name: string, background: string, size = { width: 32, height: 18 }): Promise<string> {
  const path = join(folder, name)
  await sharp({ create: { ...size, channels: 4, background } }).toFile(path)
  return path
}

test('shows each image for its time, complete, centred on black', async () => {
  const tall = await picture('tall.jpg', '#0000ff', { width: 20, height: 20 })
  const inputs = [await picture('100%d.png', '#ff0000'), tall, await picture('c.webp', '#00ff00')]
  const { paths, names } = await run(imagesToVideo, folder, inputs, { secondsPerImage: 0.5, fps: 10 })
  expect(names).toEqual(['slideshow.mp4'])
  const info = await infoOf(paths[0]!)
  expect(info.streams).toHaveLength(1)
  expect(videoStream(info)).toMatchObject({
    width: 1280,
    height: 720,
    frameRate: 10,
    pixelFormat: 'yuv420p',
    frames: 15,
  })
  expect(info.durationS).toBeCloseTo(1.5, 2)
  expect((await meanColour(paths[0]!, { frame: 4 }))[0]).toBeGreaterThan(250)
  expect((await meanColour(paths[0]!, { frame: 5, area: '700:700:290:10' }))[2]).toBeGreaterThan(250)
  expect((await meanColour(paths[0]!, { frame: 9, area: '270:720:0:0' })).every((part) => part < 3)).toBe(true)
  for (const frame of [10, 14]) expect((await meanColour(paths[0]!, { frame }))[1]).toBeGreaterThan(250)
})

test.each([
  [0.75, 30, 45],
  [0.5, 12, 12],
])('%d s at %d frames per second', async (secondsPerImage, fps, frames) => {
  const inputs = [await picture('a.png', '#ffffff'), await picture('b.png', '#000000')]
  const { paths } = await run(imagesToVideo, folder, inputs, { secondsPerImage, fps, resolution: 'square' })
  expect(await frameTimes(paths[0]!)).toHaveLength(frames)
})

test('transparency is black, and applies EXIF orientation', async () => {
  const turned = join(folder, 'turned.jpg')
  await sharp({ create: { width: 18, height: 32, channels: 3, background: '#ffffff' } })
    .withMetadata({ orientation: 6 })
    .toFile(turned)
  const clear = join(folder, 'clear.png')
  await sharp({ create: { width: 32, height: 18, channels: 4, background: '#ffffff00' } }).toFile(clear)
  const { paths } = await run(imagesToVideo, folder, [turned, clear], { secondsPerImage: 0.5, fps: 10 })
  expect((await meanColour(paths[0]!, { frame: 0 })).every((part) => part > 252)).toBe(true)
  expect((await meanColour(paths[0]!, { frame: 7 })).every((part) => part < 3)).toBe(true)
})

test('refuses a video with any name', async () => {
  const image = await picture('d.png', '#ff0000')
  const video = join(folder, 'no.png')
  copyFileSync(await makeVideo(), video)
  await expect(run(imagesToVideo, folder, [image, video])).rejects.toMatchObject({ code: 'UNSUPPORTED_FILE_TYPE' })
  await expect(run(imagesToVideo, folder, [image])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
})
