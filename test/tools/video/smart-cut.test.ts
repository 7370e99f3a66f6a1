/** `--smart`: exact at both ends, with all groups between copied. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { abilities, captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { encodeEdge } from '../../../src/media/av/smart/edge.ts'
import { configuration, freeIds, joinedSets, parameterSetsOf } from '../../../src/media/av/smart/parameter-sets.ts'
import { planCut } from '../../../src/media/av/smart/plan-cut.ts'
import { readRegion } from '../../../src/media/av/smart/region.ts'
import { checkJoined } from '../../../src/media/av/smart/verify-joined.ts'
import { writeMp4 } from '../../../src/media/av/smart/write-mp4.ts'
import { writeJoined } from '../../../src/media/av/smart/write-region.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import {
  distance,
  frameTimes,
  grayFrames,
  infoOf,
  makeVideo,
  sharedMedia,
  sourceOf,
  temporaryPath,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A noisy picture of 4 s at 25 frames, in groups of one second, with a tone. */
function grouped(extension: string, video: readonly string[], output: readonly string[] = []): Promise<string> {
  return sharedMedia(['groups', extension, ...video, ...output], `groups.${extension}`, async (path) => {
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=160x120:r=25:d=4',
      '-f',
      'lavfi',
      '-i',
      'anoisesrc=d=4:r=48000:a=0.3',
    ]
    const groups = ['-g', '25', '-keyint_min', '10', '-sc_threshold', '0', '-bf', '3', '-pix_fmt', 'yuv420p']
    await runFfmpeg([...picture, ...video, ...groups, ...output, '-c:a', 'aac', path])
  })
}

/** The length of an audio packet, seconds, and some rounding. */
const PACKET_S = 0.023

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast']
const x265 = (parameters: string): string[] => [
  ...['-c:v', 'libx265', '-preset', 'ultrafast'],
  ...['-x265-params', `log-level=error:keyint=25:min-keyint=10:scenecut=0:bframes=4:b-adapt=2:${parameters}`],
]

/** The hash of each decoded frame, in the order shown. Fails when decoders report an error. */
async function hashes(path: string): Promise<string[]> {
  const args = [...inputArguments(path), '-map', '0:v:0', '-vsync', 'passthrough', '-f', 'framemd5', 'pipe:1']
  const warnings: string[] = []
  const list = await captureFfmpeg(args, { maxOutput: 1e6, warn: (message) => warnings.push(message) })
  expect(warnings).toEqual([])
  return [
    ...Buffer.from(list)
      .toString()
      .matchAll(/^0,.*, *(\w{32})$/gm),
  ].map(([, hash]) => hash!)
}

/** Checks that a clip holds the frames of its source from a number on: copied ones equal, encoded ones alike. */
async function expectFrames(clip: string, source: string, from: number, count: number): Promise<[number, number]> {
  const [all, frames] = [await hashes(source), await hashes(clip)]
  expect(frames).toHaveLength(count)
  const equal = frames.map((hash, index) => (hash === all[from + index] ? from + index : -1)).filter((at) => at >= 0)
  const ends: [number, number] = [equal[0]!, equal.at(-1)!]
  expect(equal).toHaveLength(ends[1] - ends[0] + 1)
  const [before, after] = [await grayFrames(source), await grayFrames(clip)]
  for (const [index, frame] of after.entries()) expect(distance(frame, before[from + index]!)).toBeLessThan(2.5)
  return ends
}

/** Time of each audio packet after the first frame of the video, by its content. */
async function audioPackets(path: string): Promise<Map<string, number>> {
  const args = [...inputArguments(path), '-map', '0:v:0', '-map', '0:a', '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const list = Buffer.from(await captureFfmpeg(args, { maxOutput: 1e6 })).toString()
  const [video, audio] = [0, 1].map((stream) => {
    const [, numerator, denominator] = new RegExp(`^#tb ${stream}: (\\d+)/(\\d+)`, 'm').exec(list)!
    const lines = list.matchAll(new RegExp(`^${stream}, *-?\\d+, *(-?\\d+),.*(0x\\w{8})`, 'gm'))
    return [...lines].map(([, time, sum]) => [sum!, (Number(time) * Number(numerator)) / Number(denominator)] as const)
  }) as [(readonly [string, number])[], (readonly [string, number])[]]
  const first = Math.min(...video.map(([, time]) => time))
  return new Map(audio.map(([sum, time]) => [sum, time - first]))
}

describe('groups between the edges are copied', () => {
  test.each([
    ['mp4', 'h264', X264],
    ['mov', 'h264', X264],
    ['mkv', 'h264', X264],
    ['ts', 'h264', X264],
    ['mp4', 'hevc', x265('open-gop=0')],
    ['mkv', 'hevc', x265('open-gop=1')],
    ['ts', 'hevc', x265('open-gop=1')],
  ])('%s with %s', async (extension, codec, options) => {
    const source = await grouped(extension, options)
    // 0.72 s is frame 18, 3.2 s is frame 80.
    const { paths, warnings } = await run(trimVideo, folder, [source], { startS: 0.72, endS: 3.2, smart: true })
    // Builds of 2018 count times of files whose audio starts before 0 from the video, and shift the audio of TS.
    const isOld = ((await abilities()).year ?? 2026) < 2020
    if (isOld && extension === 'ts') {
      expect(warnings).toEqual([expect.stringContaining('would shift the audio')])
      return
    }
    const [first, last] = await expectFrames(paths[0]!, source, 18, 62)
    expect(first).toBe(25)
    // The frames of an open group that are shown before its key frame depend on the group before.
    const isOpen = options.some((option) => option.includes('open-gop=1'))
    expect(last).toBeGreaterThan(isOpen ? 69 : 73)
    expect(last).toBeLessThan(isOpen ? 74 : 75)
    expect(mainVideo(await infoOf(paths[0]!)).codec).toBe(codec)
    expect(warnings).toEqual(codec === 'hevc' && extension === 'mp4' ? [expect.stringContaining('hev1')] : [])
    const times = await frameTimes(paths[0]!)
    expect(times.at(-1)! - times[0]!).toBeCloseTo(61 / 25, 2)
    // Audio is copied, each packet at its place beside the video.
    const [before, after] = [await audioPackets(source), await audioPackets(paths[0]!)]
    expect(after.size).toBeGreaterThan(105)
    for (const [sum, time] of after)
      expect(Math.abs(time - (before.get(sum)! - 0.72))).toBeLessThan(isOld ? PACKET_S : 0.0015)
  })
})

test('a clip from key frame to key frame is copied whole, with its tag', async () => {
  const source = await grouped('mp4', x265('open-gop=0'), ['-tag:v', 'hvc1'])
  const { paths, warnings } = await run(trimVideo, folder, [source], { startS: 1, endS: 3, smart: true })
  expect(await expectFrames(paths[0]!, source, 25, 50)).toEqual([25, 74])
  expect(warnings).toEqual([])
  const bytes = readFileSync(paths[0]!)
  expect([bytes.includes('hvc1'), bytes.includes('hev1')]).toEqual([true, false])
})

test('up to the end of the video only the start is encoded', async () => {
  const source = await grouped('mp4', X264)
  const { paths } = await run(trimVideo, folder, [source], { startS: 2.9, endS: 60, smart: true })
  expect(await expectFrames(paths[0]!, source, 73, 27)).toEqual([75, 99])
})

test('frames of a variable rate keep their times', async () => {
  const rate = ['-vf', "select='lt(mod(n,20),8)+not(mod(n,3))'", '-vsync', 'vfr']
  const source = await grouped('mp4', [...X264, '-force_key_frames', 'expr:gte(t,n_forced)'], rate)
  const before = (await frameTimes(source)).filter((time) => time > 0.55 && time < 3.05)
  const { paths } = await run(trimVideo, folder, [source], { startS: 0.56, endS: 3.05, smart: true })
  const [first = 0] = before
  const shifted = before.map((time) => Number((time - first).toFixed(3)))
  expect((await frameTimes(paths[0]!)).map((time) => Number(time.toFixed(3)))).toEqual(shifted)
})

test('keeps rotation, pixel shape, tags of the tracks and chapters', async () => {
  const upright = await grouped('mp4', X264, ['-vf', 'setsar=4/3', '-metadata:s:v:0', 'language=ger'])
  const source = temporaryPath('turned.mp4')
  await runFfmpeg(['-i', upright, '-c', 'copy', '-metadata:s:v:0', 'rotate=270', '-metadata', 'title=Talk', source])
  const { paths } = await run(trimVideo, folder, [source], { startS: 0.5, endS: 3.5, smart: true })
  const info = await infoOf(paths[0]!)
  expect(mainVideo(info)).toMatchObject({ rotation: 90, sampleAspectRatio: '4:3', language: 'ger', frames: 75 })
  expect(info.tags.title).toBe('Talk')
  // As players show them: the edges are turned like the copied frames.
  expect(await expectFrames(paths[0]!, source, 13, 75)).toEqual([25, 74])
})

test('a video upside down keeps its edges as they are', async () => {
  const source = temporaryPath('down.mp4')
  await runFfmpeg(['-i', await grouped('mp4', X264), '-c', 'copy', '-metadata:s:v:0', 'rotate=180', source])
  const { paths, warnings } = await run(trimVideo, folder, [source], { startS: 0.72, endS: 3.2, smart: true })
  expect(warnings).toEqual([])
  const [first] = await expectFrames(paths[0]!, source, 18, 62)
  expect(first).toBe(25)
})

test('tables of 150,000 frames are written', async () => {
  const source = await sourceOf(await grouped('mp4', X264))
  const own = temporaryPath('long')
  mkdirSync(own)
  const signal = new AbortController().signal
  const region = (await readRegion(source, mainVideo(source.info), { startS: 0, endS: 1 }, { folder: own, signal }))!
  const sets = parameterSetsOf('h264', await region.units(region.packets[0]!))
  await region.close()
  const record = configuration('h264', sets, region.stream, 'record')
  const path = temporaryPath('long.mp4')
  async function* samples() {
    // Times and sizes differ from frame to frame, so that no table is short.
    for (let index = 0; index < 150_000; index += 1)
      yield { data: Buffer.alloc(5 + (index % 2)), time: index * 40 + (index % 2), isKey: true }
  }
  await writeMp4(path, { entry: 'avc1', record, timescale: 1000, lastDuration: 40, stream: region.stream }, samples())
  expect(mainVideo(await infoOf(path))).toMatchObject({ frames: 150_000, durationS: expect.closeTo(6000, 0) })
})

/** A copy whose picture is mirrored by its display matrix. */
async function mirrored(): Promise<string> {
  const bytes = readFileSync(await grouped('mp4', X264))
  const upright = Buffer.from(`00010000${'00000000'.repeat(3)}00010000${'00000000'.repeat(3)}40000000`, 'hex')
  // The first matrix is that of the movie.
  const at = bytes.indexOf(upright, bytes.indexOf('tkhd'))
  bytes.writeInt32BE(-0x10000, at)
  bytes.writeInt32BE(160 * 0x10000, at + 24)
  const path = temporaryPath('mirrored.mp4')
  writeFileSync(path, bytes)
  return path
}

test('a joined video whose edge has other pictures than the source is found', async () => {
  const [source, signal] = [await sourceOf(await grouped('mp4', X264)), new AbortController().signal]
  const own = temporaryPath('joints')
  mkdirSync(own)
  const range = { startS: 0.72, endS: 3 }
  const region = (await readRegion(source, mainVideo(source.info), range, { folder: own, signal }))!
  const plan = await planCut(region, range)
  if ('reason' in plan) throw new Error(plan.reason)
  const sets = parameterSetsOf('h264', await region.units(region.packets[0]!))
  const [id = 1] = freeIds(sets)
  const options = { id, light: {}, folder: own, name: 'edge', signal }
  const joinedWith = async (times: readonly number[]) => {
    const edge = (await encodeEdge(
      region,
      sets,
      times.map((time) => ({ time })),
      options,
    ))!
    const frames = edge.frames.map(({ units }, index) => ({ units, time: plan.head[index]!.time, isKey: index === 0 }))
    const path = join(own, 'joined.mp4')
    const all = joinedSets(sets, parameterSetsOf('h264', edge.sets))
    await writeJoined(path, region, [...frames, ...plan.copied.map((packet) => ({ packet }))], {
      sets: all,
      placement: 'record',
    })
    return checkJoined(path, region, plan, { sets, folder: own, signal })
  }
  const shown = region.packets.map(({ time }) => time).sort((a, b) => a - b)
  const from = shown.indexOf(plan.head[0]!.time)
  expect(await joinedWith(shown.slice(from, from + plan.head.length))).toBeUndefined()
  expect(await joinedWith(shown.slice(0, plan.head.length))).toMatch(/differ from those of the source/)
  await region.close()
})

describe('what cannot be joined is encoded as a whole, with the reason', () => {
  test.each([
    ['a group without IDR pictures', () => grouped('mp4', [...X264, '-x264-params', 'open-gop=1']), /IDR picture/],
    ['a clip within one group', () => grouped('mp4', [...X264, '-x264-params', 'keyint=200']), /IDR picture/],
    ['a mirrored picture', mirrored, /display matrix/],
    ['another codec', () => makeVideo({ seconds: 4, extension: 'webm' }), /only H.264 and HEVC.*vp9/],
    ['another container', () => makeVideo({ seconds: 4, extension: 'flv' }), /only MP4, MOV, MKV and TS/],
  ])('%s', async (_name, make, reason) => {
    const source = await make()
    const { paths, warnings } = await run(trimVideo, folder, [source], { startS: 0.72, endS: 3.2, smart: true })
    expect(warnings).toEqual([expect.stringMatching(reason)])
    expect(await frameTimes(paths[0]!)).toHaveLength(62)
  })
})
