/** gif-to-video and video-to-webp. */
import { statSync } from 'node:fs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import gifToVideo from '../../../tools/video/convert/gif-to-video.ts'
import videoToWebp from '../../../tools/video/convert/video-to-webp.ts'
import { frameTimes, infoOf, makeVideo, meanColour, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Frames of one colour each, with their own delays, ms. */
async function gif(colours: readonly string[], delay: number[], { width = 31, height = 21 } = {}): Promise<string> {
  const path = temporaryPath('frames.gif')
  const frames = colours.map((background) => ({ create: { width, height, channels: 4 as const, background } }))
  const pictures = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()))
  const whole = pictures.length > 1 ? sharp(pictures, { join: { animated: true } }) : sharp(pictures[0])
  await whole.gif({ delay, loop: 3 }).toFile(path)
  return path
}

describe('gif-to-video', () => {
  test.each([
    ['mp4', 'h264'],
    ['mov', 'h264'],
    ['webm', 'vp9'],
  ])('%s: even sides, the times of the frames, no audio', async (format, codec) => {
    const { paths, names } = await run(gifToVideo, folder, [await gif(['red', 'blue', 'lime'], [100, 500, 200])], {
      format,
    })
    expect(names[0]).toMatch(new RegExp(`frames\\.${format}$`))
    const info = await infoOf(paths[0]!)
    expect(info.streams).toHaveLength(1)
    expect(videoStream(info)).toMatchObject({ codec, width: 30, height: 20, pixelFormat: 'yuv420p' })
    const times = await frameTimes(paths[0]!)
    expect(times.slice(0, 3).map((time) => Number((time - times[0]!).toFixed(2)))).toEqual([0, 0.1, 0.6])
    expect((await meanColour(paths[0]!, { frame: 1 }))[2]).toBeGreaterThan(200)
    // The last frame is shown to the end: its copy is a tick earlier.
    expect(Math.abs(times.at(-1)! - times[0]! - 0.79)).toBeLessThan(0.03)
  })

  test('transparency becomes white', async () => {
    const { paths } = await run(gifToVideo, folder, [await gif(['#00000000', 'black'], [100, 100])])
    expect(Math.min(...(await meanColour(paths[0]!)))).toBeGreaterThan(245)
    expect(Math.max(...(await meanColour(paths[0]!, { frame: 1 })))).toBeLessThan(10)
  })

  test('refuses a single picture', async () => {
    await expect(run(gifToVideo, folder, [await gif(['red'], [100])])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FILE_TYPE',
    })
  })
})

describe('video-to-webp', () => {
  test('frames, size and loop as requested', async () => {
    const source = await makeVideo({ width: 64, height: 48, seconds: 1 })
    for (const [loop, count] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const { paths, names } = await run(videoToWebp, folder, [source], { fps: 5, width: 32, loop })
      expect(names[0]).toMatch(/\.webp$/)
      const about = await sharp(paths[0]!, { animated: true }).metadata()
      expect(about).toMatchObject({ format: 'webp', width: 32, pageHeight: 24, pages: 5, loop: count })
      expect(about.delay).toEqual([200, 200, 200, 200, 200])
    }
  })

  test('a higher quality is larger', async () => {
    const source = await makeVideo({ width: 64, height: 48, seconds: 1 })
    const bytes = async (quality: number): Promise<number> => {
      const { paths } = await run(videoToWebp, folder, [source], { fps: 2, width: 64, quality })
      return statSync(paths[0]!).size
    }
    expect(await bytes(95)).toBeGreaterThan(await bytes(20))
  })
})
