/** Timing of audio and video: filters with lookahead or windows, and streams that start late. */
import { describe, expect, test } from 'vitest'
import { probeWithBanner } from '../../../src/engines/ffmpeg/banner.ts'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import audioSpeed from '../../../tools/audio/audio-speed.ts'
import normalizeAudio from '../../../tools/audio/normalize-audio.ts'
import pitchShift from '../../../tools/audio/pitch-shift.ts'
import trimAudio from '../../../tools/audio/trim-audio.ts'
import extractAudio from '../../../tools/video/audio/extract-audio.ts'
import replaceAudio from '../../../tools/video/audio/replace-audio.ts'
import convertVideo from '../../../tools/video/convert/convert-video.ts'
import changeFps from '../../../tools/video/time/change-fps.ts'
import trimVideo from '../../../tools/video/time/trim-video.ts'
import videoSpeed from '../../../tools/video/time/video-speed.ts'
import { frameTimes, infoOf, makeVideo, samplesOf, sharedMedia, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const RATE = 48_000
const TONE_S = 0.04
/** When tones start; the last one ends with the file. */
const TONES = [0.25, 0.75, 1.25, 1.96]

/** Tones of 0.04 s over faint noise, two seconds. */
const beats = (): Promise<string> =>
  sharedMedia(['beats'], 'beats.wav', async (path) => {
    const isTone = TONES.map((at) => `between(t\\,${at}\\,${at + TONE_S})`).join('+')
    const audio = `0.4*sin(2000*PI*t)*(${isTone})+0.01*(random(1)-0.5)`
    await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc=${audio}:s=${RATE}:d=2`, path])
  })

/** The centre of an audio signal's energy around a time, seconds. */
function centre(samples: Float32Array, aroundS: number, widthS: number): number {
  let [energy, moment] = [0, 0]
  const [from, to] = [aroundS - widthS, aroundS + widthS].map((timeS) => Math.round(timeS * RATE)) as [number, number]
  for (let at = Math.max(0, from); at < Math.min(to, samples.length); at += 1) {
    energy += samples[at]! ** 2
    moment += samples[at]! ** 2 * at
  }
  return moment / energy / RATE
}

test.each([0.25, 4])('%d times as fast, every tone is at the expected time', async (factor) => {
  const { paths } = await run(audioSpeed, folder, [await beats()], { factor })
  const samples = await samplesOf(paths[0]!)
  expect(samples.length / RATE).toBeCloseTo(2 / factor, 3)
  for (const at of TONES) {
    const expected = (at + TONE_S / 2) / factor
    // A window is 43 ms long, and tones move with theirs.
    expect(Math.abs(centre(samples, expected, 0.2 / factor) - expected)).toBeLessThan(0.012 / Math.min(1, factor))
  }
})

test.each([-12, 12])(
  '%d semitones higher, every tone keeps its time, and the last one is complete',
  async (semitones) => {
    const given = await beats()
    const { paths } = await run(pitchShift, folder, [given], { semitones })
    const samples = await samplesOf(paths[0]!)
    expect(samples).toHaveLength(2 * RATE)
    for (const at of TONES.slice(0, -1)) {
      const expected = at + TONE_S / 2
      expect(Math.abs(centre(samples, expected, 0.2) - expected)).toBeLessThan(0.012)
    }
    const loudness = (of: Float32Array): number => of.subarray(1.9 * RATE).reduce((sum, value) => sum + value ** 2, 0)
    expect(loudness(samples) / loudness(await samplesOf(given))).toBeGreaterThan(0.3)
  },
)

test('a limiter keeps the time to the sample, including the end', async () => {
  const given = temporaryPath('peaks.wav')
  const beat = '(0.05+0.8*lt(mod(t,0.5),0.01))*sin(1000*PI*t)'
  await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${beat}':s=${RATE}:d=3`, given])
  const { paths } = await run(normalizeAudio, folder, [given])
  const [before, after] = [await samplesOf(given), await samplesOf(paths[0]!)]
  expect(after).toHaveLength(before.length)
  const likeness = (shift: number): number => {
    let sum = 0
    for (let at = RATE; at < 2 * RATE; at += 1) sum += before[at]! * after[at + shift]!
    return sum
  }
  const shifts = [-2, -1, 0, 1, 2]
  expect(shifts.toSorted((one, other) => likeness(other) - likeness(one))[0]).toBe(0)
  expect(Math.max(...after.subarray(-240))).toBeGreaterThan(0.01)
})

/** A video whose audio starts 0.4 s after its first frame. */
const late = (): Promise<string> =>
  sharedMedia(['late sound'], 'late.mkv', async (path) => {
    const picture = await makeVideo({ width: 64, height: 48, fps: 10 })
    const audio = [
      '-itsoffset',
      '0.4',
      '-i',
      await beats(),
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c:v',
      'copy',
      '-c:a',
      'flac',
    ]
    await runFfmpeg(['-i', picture, ...audio, '-t', '2', path])
  })

/** The audio of a video as a player plays it: silence until it starts. */
async function playedSound(video: string): Promise<Float32Array> {
  const played = temporaryPath('played.wav')
  await runFfmpeg(['-i', video, '-map', '0:a', '-af', 'aresample=async=1:first_pts=0', played])
  return samplesOf(played)
}

describe('audio that starts after the video', () => {
  test('starts accordingly later, faster or slower', async () => {
    const { paths } = await run(videoSpeed, folder, [await late()], { factor: 2 })
    const expected = (0.4 + TONES[0]! + TONE_S / 2) / 2
    expect(Math.abs(centre(await playedSound(paths[0]!), expected, 0.1) - expected)).toBeLessThan(0.03)
  })

  test('in AVI, which has no times: silence, and no frames delayed for reordering', async () => {
    const { paths } = await run(convertVideo, folder, [await late()], { format: 'avi' })
    const expected = 0.4 + TONES[0]! + TONE_S / 2
    // An MP3 encoder is 23 ms late.
    expect(Math.abs(centre(await samplesOf(paths[0]!), expected, 0.2) - expected)).toBeLessThan(0.03)
    expect((await frameTimes(paths[0]!))[0]).toBe(0)
  })

  test('saved separately, it is still in sync with the video', async () => {
    const { paths } = await run(extractAudio, folder, [await late()], { format: 'wav' })
    const expected = 0.4 + TONES[0]! + TONE_S / 2
    expect(Math.abs(centre(await samplesOf(paths[0]!), expected, 0.2) - expected)).toBeLessThan(0.002)
  })

  test('ends with the video where it is cut', async () => {
    const { paths } = await run(trimVideo, folder, [await late()], { endS: 1, precise: true })
    expect((await playedSound(paths[0]!)).length / RATE).toBeCloseTo(1, 1)
  })
})

test('a video whose times start at 5 s keeps its length and content', async () => {
  const video = temporaryPath('offset.mkv')
  const given = await makeVideo({ width: 64, height: 48, fps: 10 })
  await runFfmpeg(['-i', given, '-c', 'copy', '-output_ts_offset', '5', video])
  expect((await infoOf(video)).durationS).toBeCloseTo(2, 1)
  expect(videoStream(await infoOf(video))!.durationS).toBeCloseTo(2, 1)
  expect((await probeWithBanner(video, 1)).durationS).toBeCloseTo(2, 1)
  expect((await run(changeFps, folder, [video], { fps: 5 })).warnings).toEqual([])
})

test('keeps all audio of a video whose video stream starts later', async () => {
  const video = temporaryPath('late-picture.mkv')
  const picture = ['-itsoffset', '0.8', '-i', await makeVideo({ width: 64, height: 48, fps: 10 })]
  await runFfmpeg([...picture, '-i', await beats(), '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'aac', video])
  for (const [tool, settings] of [
    [trimAudio, { startS: 0.2, endS: 1.2 }],
    [trimVideo, { startS: 0.2, endS: 1.2, precise: true }],
  ] as const) {
    const { paths } = await run(tool, folder, [video], settings)
    const samples = await playedSound(paths[0]!)
    expect(samples.length / RATE, tool.id).toBeCloseTo(1, 1)
    // AAC in Matroska is 21 ms late, with all other streams.
    for (const at of TONES.slice(0, 2)) {
      const expected = at - 0.2 + TONE_S / 2
      expect(Math.abs(centre(samples, expected, 0.1) - expected), tool.id).toBeLessThan(0.05)
    }
  }
  // The new audio lasts as long as the video.
  const { paths } = await run(replaceAudio, folder, [video, await beats()])
  expect((await playedSound(paths[0]!)).length / RATE).toBeCloseTo(2.8, 1)
})
