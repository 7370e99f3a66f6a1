import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import noiseReduction from '../../../tools/audio/noise-reduction.ts'
import { levelOf, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

test('higher strength, less noise; keeps the tone and the length', async () => {
  const source = temporaryPath('hiss.wav')
  // Hiss at about -50 dB for two seconds, a tone above it in the second.
  const audio = '0.006*(random(0)-0.5)+0.3*sin(2000*PI*t)*gt(t,1)'
  await runFfmpeg(['-f', 'lavfi', '-i', `aevalsrc='${audio}':s=48000:d=2`, source])
  const before = await samplesOf(source)
  const noise: number[] = []
  for (const strength of ['light', 'medium', 'strong']) {
    const { paths } = await run(noiseReduction, folder, [source], { strength })
    const after = await samplesOf(paths[0]!)
    expect(after.length).toBe(before.length)
    expect(levelOf(after.subarray(60_000, 90_000))).toBeCloseTo(levelOf(before.subarray(60_000, 90_000)), 0)
    // The audio is in sync to the millisecond: the filter of newer builds is late.
    const begins = (samples: Float32Array): number => samples.findIndex((value) => Math.abs(value) > 0.1)
    expect(Math.abs(begins(after) - begins(before))).toBeLessThan(48)
    expect(levelOf(after.subarray(94_000))).toBeCloseTo(levelOf(before.subarray(94_000)), 0)
    noise.push(levelOf(after.subarray(12_000, 36_000)))
  }
  const hiss = levelOf(before.subarray(12_000, 36_000))
  expect(noise[0]).toBeLessThan(hiss - 3)
  expect(noise[1]).toBeLessThan(noise[0]! - 3)
  expect(noise[2]).toBeLessThan(noise[1]! - 6)
})
