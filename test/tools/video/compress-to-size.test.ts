import { existsSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { abilities, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, mainVideo, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvPart } from '../../../src/media/av/input/part.ts'
import { runAv } from '../../../src/media/av/run.ts'
import { budgetFor, heightFor } from '../../../src/media/av/target-size/budget.ts'
import compressVideo from '../../../tools/video/convert/compress-video.ts'
import { grayFrames, infoOf, makeVideo, pictureHash, sharedMedia, sourceOf, temporaryPath } from '../../helpers/av.ts'
import { MARKED, movingFields } from '../../helpers/moving.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A second whose noise takes as many bits as it is given, with surround sound. */
const noisy = (transfer = 'bt709'): Promise<string> =>
  sharedMedia(['noisy-surround', transfer], 'noisy.mp4', async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=12:duration=1,noise=alls=40:allf=t'],
      ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=1,aformat=channel_layouts=5.1'],
      ...['-pix_fmt', transfer === 'bt709' ? 'yuv420p' : 'yuv420p10le'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-color_trc', transfer, '-c:a', 'aac', path],
    ])
  })

test('the result has at most the size and at least nine tenths of it', async () => {
  const source = await noisy()
  const { paths } = await run(compressVideo, folder, [source], { targetSizeKb: 40, resolution: 'original' })
  const { size } = statSync(paths[0]!)
  expect(size).toBeLessThanOrEqual(40_000)
  expect(size).toBeGreaterThan(36_000)
  const info = await infoOf(paths[0]!)
  expect(videoStream(info)).toMatchObject({ codec: 'h264', width: 160, height: 120 })
  expect(info.durationS).toBeCloseTo(1, 1)
  expect(await grayFrames(paths[0]!)).toHaveLength(12)
})

test.each(['hevc', 'vp9', 'av1'] as const)('%s has two passes, too', async (codec) => {
  const asked = { targetSizeKb: 40, resolution: 'original', codec } as const
  const outcome = run(compressVideo, folder, [await noisy()], asked)
  if (codec === 'av1' && (await isOldBuild())) {
    await expect(outcome).rejects.toMatchObject({ code: 'ENCODER_MISSING' })
    return
  }
  const { paths } = await outcome
  const { size } = statSync(paths[0]!)
  expect(size).toBeLessThanOrEqual(40_000)
  expect(size).toBeGreaterThan(36_000)
  expect(videoStream(await infoOf(paths[0]!))).toMatchObject({ codec, width: 160, height: 120 })
})

/** Builds of 2018 have no fast encoder for AV1. */
const isOldBuild = async (): Promise<boolean> => ((await abilities()).year ?? 2024) < 2020

test('HDR stays HDR, and fields are deinterlaced', async () => {
  const hdr = await noisy('smpte2084')
  const kept = await run(compressVideo, folder, [hdr], { targetSizeKb: 40, resolution: 'original' })
  expect(kept.warnings).toContainEqual(expect.stringContaining('stays HDR, as HEVC with 10 bits'))
  const { colour, codec, pixelFormat } = mainVideo(await infoOf(kept.paths[0]!))
  expect({ codec, pixelFormat, transfer: colour.transfer }).toEqual({
    ...{ codec: 'hevc', pixelFormat: 'yuv420p10le', transfer: 'smpte2084' },
  })
  const fields = await movingFields('top', { codec: 'mpeg2video', extension: 'mpg', options: MARKED })
  const shown = await run(compressVideo, folder, [fields], { targetSizeKb: 50, resolution: 'original' })
  expect(shown.warnings).toEqual([expect.stringContaining('was deinterlaced')])
  expect(mainVideo(await infoOf(shown.paths[0]!)).isInterlaced).toBeUndefined()
  expect(statSync(shown.paths[0]!).size).toBeLessThanOrEqual(50_000)
})

test('a size that is hopeless for the resolution reduces it, unless it is set, and surround sound becomes stereo', async () => {
  const { paths, warnings } = await run(compressVideo, folder, [await noisyTall()], { targetSizeKb: 12 })
  expect(warnings).toEqual([expect.stringMatching(/reduced from 480 to 240 lines/)])
  expect(mainVideo(await infoOf(paths[0]!))).toMatchObject({ width: 32, height: 240 })
  const surround = await run(compressVideo, folder, [await noisy()], { targetSizeKb: 50, resolution: '480p' })
  expect(surround.warnings).toEqual([expect.stringMatching(/mixed down to stereo/)])
  expect(audioStreams(await infoOf(surround.paths[0]!))).toMatchObject([{ channels: 2 }])
})

/** A tall one, so that the resolution changes with few pixels. */
const noisyTall = (): Promise<string> =>
  sharedMedia(['noisy-tall'], 'tall.mp4', async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', 'testsrc2=size=64x480:rate=50:duration=4,noise=alls=30:allf=t'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '30', '-pix_fmt', 'yuv420p', path],
    ])
  })

test('a source that is smaller is copied', async () => {
  const source = await makeVideo({ audio: true, seconds: 1 })
  const { paths, warnings } = await run(compressVideo, folder, [source], { targetSizeKb: 5000 })
  expect(warnings).toEqual([expect.stringContaining('smaller than 5000 kB already')])
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
})

test('a size below that of the audio is refused, and one that no rate reaches, without a file', async () => {
  const source = await noisy()
  await expect(run(compressVideo, folder, [source], { targetSizeKb: 1 })).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: expect.stringMatching(/^The video does not fit into 1 kB: its 1 s need \d+ kB$/),
  })
  const [whole, path] = [await sourceOf(source), temporaryPath('small.mp4')]
  await expect(runAv(whole, [toTarget(3000)], path)).rejects.toMatchObject({
    code: 'TARGET_UNREACHABLE',
    message: expect.stringMatching(/^The video does not fit into 3 kB: the smallest result has \d+ kB$/),
  })
  expect(leftovers(path)).toEqual([false, false, false])
})

test('a stop and an end leave no statistics of the passes', async () => {
  const [source, path] = [await sourceOf(await noisy()), temporaryPath('stopped.mp4')]
  const stop = new AbortController()
  const running = runAv(source, [toTarget(40_000)], path, {
    signal: stop.signal,
    onProgress: (fraction) => fraction > 0.3 && stop.abort(),
  })
  await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
  expect(leftovers(path)).toEqual([false, false, false])
})

const toTarget = (bytes: number): AvPart => ({
  encode: { video: ['-c:v', 'libx264', '-crf', '23'], container: 'mp4' },
  ...{ target: { bytes, videoKbps: 300 }, endsRun: true },
})

/** Whether the result, the statistics and the best result so far exist. */
const leftovers = (path: string): boolean[] => [path, `${path}.passes`, `${path}.best`].map((one) => existsSync(one))

test('the height follows the bits per pixel, and audio gets a fifth at most', async () => {
  const hd = { width: 1920, height: 1080, fps: 30 }
  expect([8000, 1000, 500, 250, 20].map((kbps) => heightFor(hd, kbps, 'h264'))).toEqual([1080, 720, 540, 360, 240])
  expect(heightFor(hd, 800, 'av1')).toBe(1080)
  const info = await infoOf(await makeVideo({ audio: true, seconds: 1 }))
  const { videoKbps, audioKbps } = budgetFor(info, 1, 125_000)
  expect(audioKbps).toEqual([64])
  expect(videoKbps).toBeLessThan(1000 - 64)
  expect(videoKbps).toBeGreaterThan(0.85 * 1000 - 64)
})

test('a source that is smaller than the size, and is encoded, is not refused', async () => {
  // A still picture of 20 s in VP9 is a few kB: H.264 needs more.
  const source = await sharedMedia(['small still'], 'still.webm', async (path) => {
    const inputs = ['color=teal:s=320x240:r=10:d=20', 'anullsrc=cl=stereo:r=48000'].flatMap((graph) => [
      ...['-f', 'lavfi', '-i', graph],
    ])
    const codecs = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '0', '-crf', '60']
    await runFfmpeg([...inputs, '-t', '20', ...codecs, '-g', '999', '-c:a', 'libopus', '-b:a', '6k', path])
  })
  expect(statSync(source).size).toBeLessThan(50_000)
  const { paths } = await run(compressVideo, folder, [source], { targetSizeKb: 2000 })
  expect(statSync(paths[0] ?? '').size).toBeLessThan(500_000)
  expect(mainVideo(await infoOf(paths[0] ?? ''))).toMatchObject({ codec: 'h264', height: 240 })
})

/** A video with a cover of noise. */
const withCover = (side: number): Promise<string> =>
  sharedMedia(['cover of noise', side], 'covered.mp4', async (path) => {
    const cover = temporaryPath('cover.png')
    const noise = `color=gray:s=${side}x${side},noise=alls=100:allf=t,format=rgb24`
    await runFfmpeg(['-f', 'lavfi', '-i', noise, '-frames:v', '1', cover])
    const maps = ['-map', '0', '-map', '1', '-c', 'copy', '-disposition:v:1', 'attached_pic']
    await runFfmpeg(['-i', await noisy(), '-i', cover, ...maps, path])
  })

test('a cover is a part of the size, and is left out where it would take much of it', async () => {
  const hasCover = async (path = ''): Promise<boolean> =>
    (await infoOf(path)).streams.some(({ isAttachedPicture }) => isAttachedPicture)
  const small = await run(compressVideo, folder, [await withCover(32)], { targetSizeKb: 60, resolution: 'original' })
  expect(await hasCover(small.paths[0])).toBe(true)
  expect(statSync(small.paths[0] ?? '').size).toBeGreaterThan(54_000)
  const large = await run(compressVideo, folder, [await withCover(200)], { targetSizeKb: 60, resolution: 'original' })
  expect(large.warnings).toContainEqual(
    expect.stringMatching(/the cover picture of .* is left out: it has \d+ of 60 kB/),
  )
  expect(await hasCover(large.paths[0])).toBe(false)
  for (const [path = ''] of [small.paths, large.paths]) expect(statSync(path).size).toBeLessThanOrEqual(60_000)
})
