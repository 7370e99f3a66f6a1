import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { exponentialIntegral } from '../../../tools/audio/noise-reduction/suppressor.ts'
import noiseReduction from '../../../tools/audio/noise-reduction.ts'
import { levelOf, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const RATE = 16_000
const LENGTH = RATE * 4

/** Words of three tenths of a second with 20 harmonics of a gliding voice, and pauses between them. */
const speech = Float32Array.from({ length: LENGTH }, (_, index) => {
  const time = index / RATE
  const open = Math.max(0, Math.sin(2 * Math.PI * 1.4 * time)) ** 0.5
  const phase = 2 * Math.PI * (180 * time + 4 * Math.sin(2 * time))
  let sum = 0
  for (let harmonic = 1; harmonic <= 20; harmonic++) sum += Math.sin(harmonic * phase + harmonic ** 2) / harmonic
  return 0.2 * open * sum
})

/** Seeded noise: white, or pink by the sum of several slow ones (Kellet). */
function noise(isPink: boolean): Float32Array {
  let state = 12_345
  const slow = [0, 0, 0]
  return Float32Array.from({ length: LENGTH }, () => {
    state = (state * 48_271) % 0x7fffffff
    const white = state / 0x3fffffff - 1
    if (!isPink) return white
    slow[0] = 0.99765 * slow[0]! + white * 0.099046
    slow[1] = 0.963 * slow[1]! + white * 0.2965164
    slow[2] = 0.57 * slow[2]! + white * 1.0526913
    return slow[0] + slow[1] + slow[2] + white * 0.1848
  })
}

const hum = Float32Array.from({ length: LENGTH }, (_, index) =>
  [1, 2, 3, 5].reduce((sum, harmonic) => sum + Math.sin(2 * Math.PI * 50.03 * harmonic * (index / RATE)) / harmonic, 0),
)

/** The sum of both, with the second at the given level below the first, dB. */
function mixed(signal: Float32Array, other: Float32Array, belowDb: number): Float32Array {
  const gain = 10 ** ((levelOf(signal) - levelOf(other) - belowDb) / 20)
  return signal.map((value, index) => value + gain * other[index]!)
}

async function reduced(samples: Float32Array, settings: Record<string, unknown>) {
  const [raw, path] = [temporaryPath('samples.raw'), temporaryPath('samples.wav')]
  writeFileSync(raw, Buffer.from(samples.buffer))
  await runFfmpeg(['-f', 'f32le', '-ar', String(RATE), '-ac', '1', '-i', raw, '-c:a', 'pcm_f32le', path])
  const { paths, warnings } = await run(noiseReduction, folder, [path], settings)
  return { samples: await samplesOf(paths[0]!, RATE), warnings }
}

/** The level of the signal over its error, dB, after the best gain. */
function ratioOf(signal: Float32Array, other: Float32Array): number {
  expect(other.length).toBe(signal.length)
  const product = (one: Float32Array, two: Float32Array) => one.reduce((sum, value, at) => sum + value * two[at]!, 0)
  const gain = product(signal, other) / product(other, other)
  return levelOf(signal) - levelOf(signal.map((value, at) => value - gain * other[at]!))
}

/** The level of one frequency, dB. */
function lineOf(samples: Float32Array, hertz: number): number {
  let [real, imaginary] = [0, 0]
  for (const [at, value] of samples.entries()) {
    const window = Math.sin((Math.PI * at) / samples.length) ** 2
    real += value * window * Math.cos((2 * Math.PI * hertz * at) / RATE)
    imaginary += value * window * Math.sin((2 * Math.PI * hertz * at) / RATE)
  }
  return 10 * Math.log10(real ** 2 + imaginary ** 2)
}

test.each([
  ['white', false],
  ['pink', true],
] as const)('%s noise 11 dB below speech: at least 6 dB less, more with each strength', async (_, isPink) => {
  const noisy = mixed(speech, noise(isPink), 11)
  const gains: number[] = []
  for (const strength of ['light', 'medium', 'strong']) {
    const { samples, warnings } = await reduced(noisy, { strength })
    expect(warnings).toEqual([])
    gains.push(ratioOf(speech, samples) - ratioOf(speech, noisy))
  }
  expect(gains[0]).toBeGreaterThan(4)
  expect(gains[1]).toBeGreaterThan(6)
  expect(gains[2]).toBeGreaterThan(gains[1]!)
})

test('hum and its harmonics are at least 20 dB less, and nothing else changes', async () => {
  const noisy = mixed(speech, hum, 15)
  const { samples } = await reduced(noisy, {})
  // The voice has the same frequencies at times.
  const error = (other: Float32Array) => other.map((value, at) => value - speech[at]!)
  for (const harmonic of [1, 2, 3, 5])
    expect(lineOf(error(samples), 50.03 * harmonic), `${harmonic}`).toBeLessThan(
      lineOf(error(noisy), 50.03 * harmonic) - 20,
    )
  expect(ratioOf(speech, samples)).toBeGreaterThan(25)
})

test('audio without noise is nearly unchanged', async () => {
  for (const mode of ['speech', 'music'])
    expect(ratioOf(speech, (await reduced(speech, { strength: 'strong', mode })).samples), mode).toBeGreaterThan(35)
})

test('music keeps its attacks and decaying notes', async () => {
  const music = Float32Array.from({ length: LENGTH }, (_, index) => {
    const time = (index / RATE) % 0.5
    const notes = [220, 277.18, 329.63].map((hertz) => Math.sin(2 * Math.PI * hertz * time))
    return 0.2 * Math.exp(-5 * time) * notes.reduce((sum, value) => sum + value, 0)
  })
  const noisy = mixed(music, noise(false), 30)
  const { samples } = await reduced(noisy, { mode: 'music' })
  expect(ratioOf(music, samples)).toBeGreaterThan(ratioOf(music, noisy) + 3)
  for (let at = RATE / 2; at < LENGTH; at += RATE / 2)
    expect(levelOf(samples.subarray(at, at + 80))).toBeCloseTo(levelOf(music.subarray(at, at + 80)), 0)
})

test('audio whose noise cannot be measured is kept, with a warning', async () => {
  const tone = Float32Array.from({ length: LENGTH }, (_, index) => 0.3 * Math.sin((2 * Math.PI * 440 * index) / RATE))
  const { samples, warnings } = await reduced(tone, {})
  expect(warnings).toEqual([expect.stringContaining('no passage that is quieter than the rest')])
  expect(ratioOf(tone, samples)).toBeGreaterThan(60)
})

test('both channels keep their sides, length and time in every container', async () => {
  const source = temporaryPath('sides.flac')
  const sides = '0.3*sin(2000*PI*t)*gt(t,1)+0.003*(random(0)-0.5)|0.1*sin(1400*PI*t)*gt(t,1)+0.003*(random(1)-0.5)'
  await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${sides}':s=44100:d=2`, '-metadata', 'title=Sides', source])
  for (const extension of ['flac', 'ogg']) {
    const path = temporaryPath(`sides.${extension}`)
    await runFfmpeg(['-i', source, path])
    const { paths, warnings } = await run(noiseReduction, folder, [path], { mode: 'music' })
    expect(warnings).toEqual([])
    for (const [side, filter] of ['pan=mono|c0=c0', 'pan=mono|c0=c1'].entries()) {
      const one = temporaryPath(`side-${side}.wav`)
      await runFfmpeg(['-i', paths[0]!, '-af', filter, one])
      const samples = await samplesOf(one, 44_100)
      // Old builds do not cut the last packet of Ogg.
      expect(Math.abs(samples.length - 88_200)).toBeLessThan(extension === 'ogg' ? 1024 : 1)
      expect(levelOf(samples.subarray(50_000, 80_000))).toBeCloseTo(side === 0 ? -13.5 : -23, 0)
      const begins = samples.findIndex((value) => Math.abs(value) > 0.05)
      expect(Math.abs(begins - 44_100)).toBeLessThan(60)
      expect(levelOf(samples.subarray(4000, 36_000))).toBeLessThan(-66)
    }
  }
})

// Abramowitz and Stegun, table 5.1.
test.each([
  [0.5, 0.5597736],
  [1, 0.2193839],
  [2, 0.0489005],
])('E1(%d)', (x, value) => expect(exponentialIntegral(x)).toBeCloseTo(value, 6))
