/** `--smart`: exact at both ends, with all groups between copied. */
import { describe, expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import { distance, frameTimes, grayFrames, infoOf, makeVideo, sharedMedia } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A noisy picture of 4 s at 25 frames, in groups of one second, with a tone. */
function grouped(extension: string, video: readonly string[], output: readonly string[] = []): Promise<string> {
  return sharedMedia(['groups', extension, ...video, ...output], `groups.${extension}`, async (path) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25:d=4', '-f', 'lavfi', '-i', 'sine=d=4:r=48000']
    const groups = ['-g', '25', '-keyint_min', '10', '-sc_threshold', '0', '-bf', '3', '-pix_fmt', 'yuv420p']
    await runFfmpeg([...picture, ...video, ...groups, ...output, '-c:a', 'aac', path])
  })
}

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast']
const x265 = (parameters: string): string[] => [
  ...['-c:v', 'libx265', '-preset', 'ultrafast'],
  ...['-x265-params', `log-level=error:keyint=25:min-keyint=10:scenecut=0:${parameters}`],
]

/** The hash of each decoded frame, in the order shown. Fails when decoders report an error. */
async function hashes(path: string): Promise<string[]> {
  const args = [...inputArguments(path), '-map', '0:v:0', '-vsync', 'passthrough', '-f', 'framemd5', 'pipe:1']
  const warnings: string[] = []
  const list = await captureFfmpeg(args, { maxOutput: 1e6, warn: (message) => warnings.push(message) })
  expect(warnings).toEqual([])
  return [...Buffer.from(list).toString().matchAll(/^0,.*, *(\w{32})$/gm)].map(([, hash]) => hash!)
}

/** Checks that a clip holds the frames of its source from a number on: copied ones equal, encoded ones alike. */
async function expectFrames(clip: string, source: string, from: number, count: number, copied: readonly [number, number]) {
  const [all, frames] = [await hashes(source), await hashes(clip)]
  expect(frames).toHaveLength(count)
  const equal = frames.map((hash, index) => (hash === all[from + index] ? from + index : -1)).filter((at) => at >= 0)
  expect([equal[0], equal.at(-1)]).toEqual(copied)
  expect(equal).toHaveLength(copied[1] - copied[0] + 1)
  const [before, after] = [await grayFrames(source), await grayFrames(clip)]
  for (const [index, frame] of after.entries()) expect(distance(frame, before[from + index]!)).toBeLessThan(1.5)
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
    const isOpen = options.some((option) => option.includes('open-gop=1'))
    // The frames of an open group that are shown before its key frame depend on the group before.
    await expectFrames(paths[0]!, source, 18, 62, [25, isOpen ? 71 : 74])
    const info = await infoOf(paths[0]!)
    expect(mainVideo(info).codec).toBe(codec)
    expect(warnings).toEqual(codec === 'hevc' && extension === 'mp4' ? [expect.stringContaining('hev1')] : [])
    const times = await frameTimes(paths[0]!)
    expect(times.at(-1)! - times[0]!).toBeCloseTo(61 / 25, 2)
  })
})
