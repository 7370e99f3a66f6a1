/** change-fps and video-speed: when which frame is shown. */
import { describe, expect, test } from 'vitest'
import { audioStreams, videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { frameRate } from '../../../tools/video/_shared/frame-rate.ts'
import changeFps from '../../../tools/video/time/change-fps.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { frameTimes, frequencyOf, infoOf, makeVideo, samplesOf } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SMALL = { width: 64, height: 48 }

describe('change-fps', () => {
  test.each([10, 12.5, 30, 60, 23.976])('25 frames per second become %d in the same time', async (fps) => {
    const { paths, names } = await run(changeFps, folder, [await makeVideo(SMALL)], { fps })
    expect(names[0]).toMatch(/_fps\.mp4$/)
    const times = await frameTimes(paths[0]!)
    expect(Math.abs(times.length - 2 * fps)).toBeLessThanOrEqual(1)
    expect(times[1]! - times[0]!).toBeCloseTo(1 / fps, 3)
    expect(videoStream(await infoOf(paths[0]!))!.frameRate).toBeCloseTo(fps, 2)
  })

  test('the rates of NTSC are exact fractions', () => {
    expect([23.976, 29.97, 59.94, 30, 12.5].map(frameRate)).toEqual([
      ...['24000/1001', '30000/1001', '60000/1001', '30', '12.5'],
    ])
  })
})

describe('video-speed', () => {
  test.each([0.25, 0.5, 2, 4])('%d times as fast: picture and audio stay in sync', async (factor) => {
    const source = await makeVideo({ ...SMALL, fps: 10, audio: true })
    const { paths } = await run(videoSpeed, folder, [source], { factor })
    const times = await frameTimes(paths[0]!)
    expect(videoStream(await infoOf(paths[0]!))!.frameRate).toBeCloseTo(10, 1)
    expect(Math.abs(times.length / 10 - 2 / factor)).toBeLessThanOrEqual(0.1)
    const samples = await samplesOf(paths[0]!)
    expect(Math.abs(samples.length / 48000 - 2 / factor)).toBeLessThan(0.15)
    expect(Math.abs(frequencyOf(samples) - 440)).toBeLessThan(9)
  })

  test('like a tape, the pitch changes; keeps the sample rate', async () => {
    const source = await makeVideo({ ...SMALL, fps: 10, audio: true })
    const { paths } = await run(videoSpeed, folder, [source], { factor: 2, keepPitch: false })
    expect(Math.abs(frequencyOf(await samplesOf(paths[0]!)) - 880)).toBeLessThan(12)
    expect(audioStreams(await infoOf(paths[0]!))[0]!.sampleRate).toBe(48000)
  })

  test('without audio the result has none', async () => {
    const { paths } = await run(videoSpeed, folder, [await makeVideo({ ...SMALL, fps: 10 })])
    expect((await infoOf(paths[0]!)).streams.map(({ type }) => type)).toEqual(['video'])
  })
})
