import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { runJob } from '../../../src/job/run.ts'
import { openMediaFile } from '../../../src/media/file.ts'
import { runnable } from '../../../src/pipeline/run/run-alone.ts'
import videoToFrames from '../../../tools/video/convert/video-to-frames.ts'
import { distance, grayFrames, infoOf, makeVideo, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

const gray = async (path: string): Promise<Uint8Array> => new Uint8Array(await sharp(path).greyscale().raw().toBuffer())

/** The index of the video frame in a picture. */
async function frameShown(picture: string, video: string, frames: readonly number[]): Promise<number> {
  const [shown, all] = [await gray(picture), await grayFrames(video)]
  const distances = frames.map((frame) => distance(shown, all[frame]!))
  return frames[distances.indexOf(Math.min(...distances))]!
}

describe('all', () => {
  test('every frame, numbered from 1 with six digits', async () => {
    const source = await makeVideo({ seconds: 1 })
    const { paths, names, set } = await run(videoToFrames, folder, [source])
    expect(names).toHaveLength(25)
    expect([names[0], names[24]]).toEqual(['frame-000001.png', 'frame-000025.png'])
    expect(set).toMatch(/video_frames$/)
    expect(await frameShown(paths[7]!, source, [6, 7, 8])).toBe(7)
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ format: 'png', width: 128, height: 96 })
  })

  test('refuses a video that is too long', async () => {
    const source = await makeVideo({ seconds: 67, fps: 1, width: 32, height: 32 })
    await expect(run(videoToFrames, folder, [source])).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('67 s'),
    })
    const some = await run(videoToFrames, folder, [source], { mode: 'nth', n: 10 })
    expect(some.names).toHaveLength(7)
  })
})

test('nth: frames 0, n, 2n …', async () => {
  const source = await makeVideo({ seconds: 1 })
  const { paths, names } = await run(videoToFrames, folder, [source], { mode: 'nth', n: 7, format: 'jpg' })
  expect(names).toEqual([1, 2, 3, 4].map((number) => `frame-00000${number}.jpg`))
  expect(await frameShown(paths[1]!, source, [6, 7, 8])).toBe(7)
  expect(await frameShown(paths[3]!, source, [20, 21, 22])).toBe(21)
  expect((await sharp(paths[0]!).metadata()).format).toBe('jpeg')
})

test('PNG keeps transparency, JPEG reports its loss', async () => {
  const source = temporaryPath('half.webm')
  const picture = "color=red:s=64x48:r=10:d=0.2,format=yuva420p,geq=lum=90:cb=90:cr=200:a='255*lt(X,32)'"
  await runFfmpeg(['-f', 'lavfi', '-i', picture, '-c:v', 'libvpx-vp9', '-b:v', '200k', source], { what: 'ffmpeg' })
  for (const settings of [{}, { mode: 'timestamps', timestamps: '0' }]) {
    const { paths } = await run(videoToFrames, folder, [source], settings)
    const { data, info } = await sharp(paths[0]!).extractChannel('alpha').raw().toBuffer({ resolveWithObject: true })
    expect([info.width, data[64 * 24 + 8]! > 250, data[64 * 24 + 56]! < 5]).toEqual([64, true, true])
  }
  const { warnings } = await run(videoToFrames, folder, [source], { format: 'jpg' })
  expect(warnings).toEqual(['the transparency is left out: JPEG is written without any'])
})

describe('timestamps', () => {
  test('in the given order, with repetitions, numbered from 0 with three digits', async () => {
    const source = await makeVideo()
    const settings = { mode: 'timestamps', timestamps: ' 1.0, 0.2 ,1.0,0' }
    const { paths, names } = await run(videoToFrames, folder, [source], settings)
    expect(names).toEqual(['frame-000.png', 'frame-001.png', 'frame-002.png', 'frame-003.png'])
    const shown = await Promise.all(paths.map((path) => frameShown(path, source, [0, 4, 5, 6, 24, 25, 26])))
    expect(shown).toEqual([25, 5, 25, 0])
  })

  test('accepts a list of numbers too', async () => {
    const source = await makeVideo()
    const { paths } = await run(videoToFrames, folder, [source], { mode: 'timestamps', timestamps: [0.2, '1'] })
    expect(await frameShown(paths[0]!, source, [4, 5, 6])).toBe(5)
    expect(await frameShown(paths[1]!, source, [24, 25, 26])).toBe(25)
  })

  test.each([
    ['mp4', 25, 49],
    ['mkv', 25, 49],
    ['webm', 25, 49],
    ['avi', 25, 49],
    ['flv', 25, 49],
    ['ts', 25, 49],
    ['mp4', 1, 1],
  ])('the very end of %s at %d frames per second is the last frame', async (extension, fps, last) => {
    const source = await makeVideo({ extension, fps })
    const { durationS } = await infoOf(source)
    const { paths } = await run(videoToFrames, folder, [source], { mode: 'timestamps', timestamps: [durationS!] })
    expect(await frameShown(paths[0]!, source, [0, last - 1, last])).toBe(last)
  })

  test('audio after the last frame', async () => {
    const source = temporaryPath('long.mp4')
    const audio = ['-f', 'lavfi', '-i', 'sine=d=15']
    await runFfmpeg(['-i', await makeVideo({ seconds: 1 }), ...audio, '-c:v', 'copy', '-c:a', 'aac', source])
    for (const at of [5, 15]) {
      const { paths } = await run(videoToFrames, folder, [source], { mode: 'timestamps', timestamps: String(at) })
      expect(await frameShown(paths[0]!, source, [0, 23, 24])).toBe(24)
    }
  })

  test.each(['', '  ', 'x', '1,,2', '-1', '1e1', '1;2', '99', Array(51).fill('0').join(',')])(
    'refused: %j',
    async (timestamps) => {
      const source = await makeVideo()
      await expect(run(videoToFrames, folder, [source], { mode: 'timestamps', timestamps })).rejects.toMatchObject({
        code: 'INVALID_SETTINGS',
      })
    },
  )
})

test('a rotated video gives upright pictures', async () => {
  const source = await makeVideo({ rotation: 90, seconds: 1 })
  for (const settings of [{ mode: 'nth' }, { mode: 'timestamps', timestamps: '0' }]) {
    const { paths } = await run(videoToFrames, folder, [source], settings)
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ width: 96, height: 128 })
  }
})

test.each(['50% off %03d', '-y', 'new\nline'])('names and folders such as %j', async (name) => {
  const odd = join(mkdtempSync(join(folder, 'odd-')), name)
  mkdirSync(odd)
  const source = join(odd, `${name}.mp4`)
  copyFileSync(await makeVideo({ seconds: 1 }), source)
  for (const [settings, count] of [
    [{ mode: 'nth' }, 3],
    [{ mode: 'timestamps', timestamps: '0.5,0' }, 2],
  ] as const) {
    const { paths, set } = await run(videoToFrames, odd, [source], settings)
    expect(paths).toHaveLength(count)
    expect(set).toBe(`${name}_frames`)
    for (const path of paths) expect((await sharp(readFileSync(path)).metadata()).width).toBe(128)
  }
})

describe('aborted runs leave nothing', () => {
  const start = async (options: { signal?: AbortSignal; timeoutS?: number }) => {
    const destination = mkdtempSync(join(folder, 'stopped-'))
    const source = await openMediaFile(await makeVideo({ seconds: 40, width: 640, height: 480 }))
    const settings = { mode: 'all', n: 10, timestamps: '', format: 'png' }
    const job = runJob(
      { tool: runnable(videoToFrames), inputs: [source], settings, destination, ...options },
      async () => 'done',
    )
    return { job, destination }
  }

  test('an abort', async () => {
    const stop = new AbortController()
    const { job, destination } = await start({ signal: stop.signal })
    setTimeout(() => stop.abort(), 400)
    await expect(job).rejects.toMatchObject({ code: 'CANCELED' })
    expect(readdirSync(destination)).toEqual([])
  })

  test('the time limit', async () => {
    const { job, destination } = await start({ timeoutS: 0.4 })
    await expect(job).rejects.toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('0.4 s') })
    expect(readdirSync(destination)).toEqual([])
  })
})
