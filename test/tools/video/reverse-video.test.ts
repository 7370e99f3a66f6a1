import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import { turnRound } from '../../../src/media/av/filters/reversed-sound.ts'
import { preparePicture } from '../../../src/media/av/picture/study.ts'
import { joinReversed } from '../../../tools/video/time/reverse-video/join.ts'
import { writeReversedParts } from '../../../tools/video/time/reverse-video/parts.ts'
import reverseVideo from '../../../tools/video/time/reverse-video.ts'
import {
  frameTimes,
  frequencyOf,
  infoOf,
  makeVideo,
  samplesOf,
  sharedMedia,
  sourceOf,
  temporaryPath,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const QUIET = { warn: () => {}, signal: new AbortController().signal, progress: () => {} }

/** A ramp from black to white, with a low tone in the first half and a high one in the second. */
function ramp(extension: string, fps = '25'): Promise<string> {
  return sharedMedia(['ramp', fps], `ramp.${extension}`, async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', `nullsrc=s=64x48:r=${fps}:d=2,geq=lum='16+3*N':cb=128:cr=128`],
      ...['-f', 'lavfi', '-i', "aevalsrc='0.3*sin(2*PI*t*if(lt(t,1),400,1200))':s=48000:d=2"],
      ...[...videoCodecFor(extension, { preset: 'ultrafast' }), '-g', '25', ...audioCodecFor(extension), path],
    ])
  })
}

/** How bright each frame is, 0 to 255: its index in the ramp. */
async function levelsOf(path: string): Promise<Uint8Array> {
  const filters = ['-map', '0:v:0', '-vsync', '0', '-vf', 'format=gray,scale=1:1:flags=area']
  return captureFfmpeg([...inputArguments(path), ...filters, '-f', 'rawvideo', 'pipe:1'], { maxOutput: 10_000 })
}

/** Of the last frame first. */
const expectedLevel = (index: number, count: number): number => ((count - 1 - index) * 3 * 255) / 219

test.each(['mp4', 'webm', 'mpg', 'ogv'])('%s: the last frame and the last samples are first', async (extension) => {
  const { paths, names } = await run(reverseVideo, folder, [await ramp(extension)])
  expect(names[0]).toMatch(new RegExp(`_reversed\\.${extension}$`))
  const levels = await levelsOf(paths[0]!)
  expect(levels).toHaveLength(50)
  for (const [index, level] of levels.entries())
    expect(Math.abs(level - expectedLevel(index, 50)), `frame ${index}`).toBeLessThan(6)
  const samples = await samplesOf(paths[0]!)
  expect(Math.abs(frequencyOf(samples.subarray(4800, 43_000)) - 1200)).toBeLessThan(15)
  expect(Math.abs(frequencyOf(samples.subarray(53_000, 91_000)) - 400)).toBeLessThan(15)
})

test.each(['mp4', 'webm', 'ts'])('%s in many parts: every frame once, in reverse order', async (extension) => {
  const source = await sourceOf(await ramp(extension, '30000/1001'))
  const own = mkdtempSync(join(folder, 'parts-'))
  // 17 frames at a time: the boundaries are anywhere between key frames.
  const heldBytes = 17 * 64 * 48 * 1.5
  const request = { choice: {}, options: videoCodecFor(extension), container: knownContainer(extension), filters: [] }
  const picture = await preparePicture(source, request, QUIET)
  const parts = await writeReversedParts(source, picture, own, { ...QUIET, heldBytes })
  expect(parts).toHaveLength(4)
  const path = join(own, `whole.${extension}`)
  await joinReversed(
    source,
    parts,
    { path, extension, plan: planAv(source, [], path).output, tag: [], chapters: undefined },
    QUIET,
  )
  const times = await frameTimes(path)
  // Times of Matroska are whole milliseconds.
  for (const [index, time] of times.entries())
    expect(Math.abs(time - times[0]! - (index * 1001) / 30000), `frame ${index}`).toBeLessThan(0.002)
  const levels = await levelsOf(path)
  expect(levels).toHaveLength(60)
  for (const [index, level] of levels.entries())
    expect(Math.abs(level - expectedLevel(index, 60)), `frame ${index}`).toBeLessThan(2.5)
})

test('reverses audio in blocks, to the sample', async () => {
  const decode = (path: string) => captureFfmpeg(['-i', path, '-f', 's16le', 'pipe:1'], { maxOutput: 100_000 })
  for (const seconds of [0.05, 0.0437]) {
    const path = temporaryPath('tone.w64')
    const audio = `aevalsrc='0.5*sin(2*PI*400*t)|0.5*sin(2*PI*900*t)':s=48000:d=${seconds}`
    await runFfmpeg(['-f', 'lavfi', '-i', audio, '-c:a', 'pcm_s16le', path])
    const momentOf = (bytes: Uint8Array) => new Int32Array(Uint8Array.from(bytes).buffer)
    const before = momentOf(await decode(path))
    await turnRound(path, 4, 1026)
    expect(momentOf(await decode(path))).toEqual(before.reverse())
  }
})

test('if the audio is longer than the video, it starts alone', async () => {
  const long = await sharedMedia(['long sound'], 'long.mp4', async (path) => {
    await runFfmpeg([
      ...['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=1', '-f', 'lavfi', '-i', 'sine=d=2'],
      ...[...videoCodecFor('mp4'), ...audioCodecFor('mp4'), path],
    ])
  })
  const { paths } = await run(reverseVideo, folder, [long])
  const times = await frameTimes(paths[0]!)
  expect(times).toHaveLength(25)
  expect(times[0]).toBeCloseTo(1, 1)
})

test('a video with a declared constant rate and a pause keeps its length and the pause', async () => {
  const paused = temporaryPath('paused.mkv')
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=25:d=2', '-vf', 'select=not(between(n\\,10\\,24))']
  await runFfmpeg([...picture, '-vsync', 'vfr', ...videoCodecFor('mkv', { preset: 'ultrafast' }), paused])
  expect(videoStream(await infoOf(paused))).not.toHaveProperty('variableRate')
  const { paths } = await run(reverseVideo, folder, [paused])
  const times = await frameTimes(paths[0]!)
  expect(times[0]).toBeCloseTo(0, 1)
  expect(times.at(-1)).toBeCloseTo(1.96, 1)
})

test('a rotated video of odd size without audio', async () => {
  const { paths } = await run(reverseVideo, folder, [await makeVideo({ width: 65, height: 48, rotation: 90 })])
  const info = await infoOf(paths[0]!)
  expect(audioStreams(info)).toEqual([])
  expect(videoStream(info)).toMatchObject({ displayWidth: 48, displayHeight: 64 })
})

test('refuses more than 300 s', async () => {
  const long = await sharedMedia(['301 s'], 'long.mkv', async (path) => {
    await runFfmpeg(['-f', 'lavfi', '-i', 'color=s=16x16:r=1:d=301', ...videoCodecFor('mkv'), path])
  })
  await expect(run(reverseVideo, folder, [long])).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
})
