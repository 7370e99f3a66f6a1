import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureFfmpeg, inputArguments, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { filterValue } from '../../../src/engines/ffmpeg/filter.ts'
import stabilizeVideo from '../../../tools/video/geometry/stabilize-video.ts'
import { distance, infoOf, makeVideo, paintedVideo } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Differences between consecutive frames, in the middle of the picture: a steady camera makes them small. */
async function unrest(path: string): Promise<number> {
  const filters = ['-vf', 'crop=120:80,format=gray', '-vsync', '0', '-f', 'rawvideo', 'pipe:1']
  const all = await captureFfmpeg([...inputArguments(path), ...filters], { maxOutput: 1e7 })
  const frames = Array.from({ length: all.length / 9600 }, (_, index) => all.subarray(index * 9600, (index + 1) * 9600))
  const steps = frames.slice(1).map((frame, index) => distance(frame, frames[index]!))
  return steps.reduce((sum, step) => sum + step, 0) / steps.length
}

test('a shaken picture is steadier afterwards; keeps length, size and audio', async () => {
  // A still scene from a handheld camera: it moves by a few pixels back and forth.
  const scene =
    'cellauto=s=240x160:r=20:rule=110:seed=7,trim=end_frame=1,loop=loop=39:size=1,setpts=N/20/TB,gblur=sigma=2'
  const shaken = await paintedVideo(`${scene},crop=192:128:24+6*sin(n*1.9):16+5*sin(n*2.7),format=yuv420p`)
  const { paths, names } = await run(stabilizeVideo, folder, [shaken], { smoothing: 20 })
  expect(names[0]).toMatch(/_stabilized\.mp4$/)
  expect(await unrest(paths[0]!)).toBeLessThan((await unrest(shaken)) / 2)
  const [before, after] = [await infoOf(shaken), await infoOf(paths[0]!)]
  expect(after.streams[0]).toMatchObject({ width: 192, height: 128, frames: before.streams[0]!.frames })
})

test('copies the audio', async () => {
  const source = await makeVideo({ width: 96, height: 64, audio: true, seconds: 1 })
  const { paths } = await run(stabilizeVideo, folder, [source], { smoothing: 5 })
  expect((await infoOf(paths[0]!)).streams.map(({ codec }) => codec)).toEqual(['h264', 'aac'])
})

test('uses a path within a filter literally', async () => {
  const odd = join(folder, "a:b 'c' [d], e;f=g\\h%{i} %d")
  mkdirSync(odd)
  const result = join(odd, 'motions.trf')
  const source = await makeVideo({ width: 96, height: 64, seconds: 1 })
  await runFfmpeg([...inputArguments(source), '-vf', `vidstabdetect=result=${filterValue(result)}`, '-f', 'null', '-'])
  const use = `vidstabtransform=input=${filterValue(result)}`
  await runFfmpeg([...inputArguments(source), '-vf', use, '-f', 'null', '-'])
})
