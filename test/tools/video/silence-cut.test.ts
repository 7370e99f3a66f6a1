import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { abilities, runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import silenceCut from '../../../tools/video/time/silence-cut.ts'
import {
  frameTimes,
  grayFrames,
  infoOf,
  makeVideo,
  pictureHash,
  samplesOf,
  sharedMedia,
  temporaryPath,
} from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** Ten seconds of a talk: words from 1, 4 and 7 s, each of 1 s, which begin with a click and a white flash of 40 ms. */
const WORDS = [1, 4, 7]
const during = (lengthS: number): string => WORDS.map((at) => `between(t,${at},${at + lengthS - 0.001})`).join('+')
const talk = (extension: string, rate = 25): Promise<string> =>
  sharedMedia(['talk', extension, rate], `talk.${extension}`, async (path) => {
    const flash = `color=black:s=64x48:r=${rate}:d=10,drawbox=c=white:t=fill:enable='${during(0.04)}'`
    const click = `aevalsrc='0.8*(${during(0.005)})+0.1*sin(1000*t)*(${during(1)})':s=48000:d=10`
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le']
    await runFfmpeg(['-f', 'lavfi', '-i', flash, '-f', 'lavfi', '-i', click, ...codecs, path])
  })

/** Times at which flashes and clicks begin, seconds. */
async function events(path: string): Promise<{ flashes: number[]; clicks: number[] }> {
  const [frames, times, samples] = [await grayFrames(path), await frameTimes(path), await samplesOf(path)]
  const bright = frames.map((frame) => (frame[0] ?? 0) > 128)
  const flashes = times.filter((_, index) => bright[index] && !bright[index - 1])
  const clicks: number[] = []
  for (const [index, value] of samples.entries())
    if (value > 0.4 && index / 48_000 - (clicks.at(-1) ?? -1) > 0.1) clicks.push(index / 48_000)
  return { flashes, clicks }
}

test.each([
  ['mkv', 25],
  ['mov', 30000 / 1001],
])('%s: clicks and flashes stay together, with the margin at each side', async (extension, rate) => {
  const source = await talk(extension, rate)
  const { paths, report, warnings } = await run(silenceCut, folder, [source])
  expect(warnings).toEqual([])
  const { flashes, clicks } = await events(paths[0]!)
  expect(flashes).toHaveLength(3)
  expect(clicks).toHaveLength(3)
  const before = await events(source)
  const [flashDelay, clickDelay] = [before.flashes[0]!, before.clicks[0]!]
  // Each word of 1 s has 0.2 s around it.
  for (const [index, flash] of flashes.entries()) {
    expect(Math.abs(flash - (0.2 + flashDelay - 1 + 1.4 * index))).toBeLessThan(1.1 / rate)
    expect(Math.abs(clicks[index]! - clickDelay - (flash - flashDelay))).toBeLessThan(0.02)
  }
  const { durationS } = await infoOf(paths[0]!)
  expect(Math.abs(durationS! - 4.2)).toBeLessThan(0.1)
  expect(report.resultS).toBeCloseTo(4.2, 1)
  expect(report.removedS).toBeCloseTo(5.8, 1)
  const cuts = report.cuts as { startS: number; endS: number }[]
  expect(cuts.map(({ startS, endS }) => [startS.toFixed(1), endS.toFixed(1)])).toEqual([
    ['0.0', '0.8'],
    ['2.2', '3.8'],
    ['5.2', '6.8'],
    ['8.2', '10.0'],
  ])
})

/** A screencast of 10 s with few frames: black, white from 2.5 s (in a pause) to 6.02 s, grey from 8 s (in a pause). */
const screencast = (extension: string): Promise<string> =>
  sharedMedia(['screencast', extension], `screencast.${extension}`, async (path) => {
    const picture =
      "color=black:s=64x48:r=50:d=10,drawbox=c=white:t=fill:enable='between(t,2.49,6.01)',drawbox=c=gray:t=fill:enable='gte(t,7.99)'"
    const few = "select='lt(n,3)+eq(n,125)+eq(n,301)+eq(n,400)'"
    const words = `aevalsrc='0.2*sin(2000*t)*(lt(t,0.8)+between(t,4,6.5)+gt(t,9))':s=48000:d=10`
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le']
    const inputs = ['-f', 'lavfi', '-i', `${picture},${few}`, '-f', 'lavfi', '-i', words]
    await runFfmpeg([...inputs, '-vsync', 'vfr', ...codecs, path])
  })

test.each(['mov', 'mkv'])(
  '%s of a variable rate: no word is cut, and pictures stay after the pause',
  async (extension) => {
    const source = await screencast(extension)
    if (!(await abilities()).filters.has('tpad')) {
      await expect(run(silenceCut, folder, [source])).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
      return
    }
    const { paths, report, warnings } = await run(silenceCut, folder, [source])
    expect(warnings).toEqual([expect.stringContaining('result has 50 frames per second')])
    const cuts = report.cuts as { startS: number; endS: number }[]
    expect(cuts.map(({ startS, endS }) => [startS.toFixed(1), endS.toFixed(1)])).toEqual([
      ['1.0', '3.8'],
      ['6.7', '8.8'],
    ])
    const [frames, times] = [await grayFrames(paths[0]!), await frameTimes(paths[0]!)]
    const bright = times.filter((_, index) => frames[index]![0]! > 180)
    // White is shown from the first cut to 6.02 s, which is 3.22 s in the result.
    expect(Math.abs(bright[0]! - 1)).toBeLessThan(0.05)
    expect(Math.abs(bright.at(-1)! - 3.2)).toBeLessThan(0.05)
    const samples = await samplesOf(paths[0]!)
    const loud = samples.filter((value) => Math.abs(value) > 0.02).length / 48_000
    expect(Math.abs(loud - (0.8 + 2.5 + 1) * 0.936)).toBeLessThan(0.1)
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(4.9)
    expect(Math.abs(frames.at(-1)![0]! - 126)).toBeLessThan(20)
  },
)

test('chapters follow', async () => {
  const list = temporaryPath('chapters.txt')
  const chapter = (startS: number, endS: number, title: string) =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${startS}\nEND=${endS}\ntitle=${title}\n`
  writeFileSync(list, `;FFMETADATA1\n${chapter(0, 3, 'One')}${chapter(3, 10, 'Two; #2')}`)
  const source = temporaryPath('chapters.mkv')
  await runFfmpeg(['-i', await talk('mkv'), '-i', list, '-map', '0', '-map_chapters', '1', '-c', 'copy', source])
  const { paths, warnings } = await run(silenceCut, folder, [source])
  const { chapterList = [] } = await infoOf(paths[0]!)
  expect(chapterList.map(({ title }) => title)).toEqual(['One', 'Two; #2'])
  expect(chapterList[1]!.startS).toBeCloseTo(1.4, 1)
  expect(warnings).toEqual([])
})

test('without a pause the video is copied', async () => {
  const source = await makeVideo({ audio: true })
  const { paths, warnings, report } = await run(silenceCut, folder, [source])
  expect(warnings).toEqual(['nothing is cut: no pause of 0.5 s is below -40 dB'])
  expect(await pictureHash(paths[0]!)).toBe(await pictureHash(source))
  expect(report.cuts).toEqual([])
})

test('nothing but silence, and no audio at all', async () => {
  const silent = await sharedMedia(['silent'], 'silent.mp4', async (path) => {
    const sources = ['-f', 'lavfi', '-i', 'color=s=64x48:d=1', '-f', 'lavfi', '-i', 'anullsrc']
    await runFfmpeg([...sources, '-t', '1', '-c:v', 'libx264', '-preset', 'ultrafast', path])
  })
  await expect(run(silenceCut, folder, [silent])).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringContaining('completely silent'),
  })
  await expect(run(silenceCut, folder, [await makeVideo()])).rejects.toMatchObject({ code: 'INVALID_FILE' })
})

test('many pauses: audio and video have the same length', async () => {
  const source = await sharedMedia(['many pauses'], 'many.mkv', async (path) => {
    const words = `aevalsrc='0.3*sin(3000*t)*lt(mod(t,0.37),0.2)':s=44100:d=20`
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le']
    await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=24:d=20', '-f', 'lavfi', '-i', words, ...codecs, path])
  })
  const { paths, report } = await run(silenceCut, folder, [source], { minSilenceS: 0.1, marginS: 0 })
  expect((report.cuts as unknown[]).length).toBeGreaterThan(45)
  const times = await frameTimes(paths[0]!)
  expect(mainVideo(await infoOf(paths[0]!)).codec).toBe('h264')
  const gaps = times.slice(1).map((time, index) => time - times[index]!)
  // Builds of 2018 round times to the frame rate.
  const isOld = ((await abilities()).year ?? 2026) < 2020
  expect(Math.max(...gaps)).toBeLessThan(isOld ? 0.085 : 0.045)
  if (!isOld) expect(Math.min(...gaps)).toBeGreaterThan(0.038)
  expect(Math.abs((await samplesOf(paths[0]!)).length / 48_000 - times.length / 24)).toBeLessThan(0.05)
})
