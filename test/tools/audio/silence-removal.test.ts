import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import silenceRemoval from '../../../tools/audio/silence-removal.ts'
import { makeAudio, samplesOf, temporaryPath } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A tone wherever the time expression is not 0. */
async function tone(when: string, seconds: number, amplitude = 0.3): Promise<string> {
  const path = temporaryPath('tone.wav')
  await runFfmpeg([
    ...['-f', 'lavfi', '-i', `aevalsrc='${amplitude}*sin(2000*PI*t)*(${when})':s=48000:d=${seconds}`, path],
  ])
  return path
}

const lengthOf = async (path: string): Promise<number> => (await samplesOf(path)).length / 48000

test('cuts a long silence at the start to 0.1 s, a long pause, too; keeps a short one', async () => {
  // 1 s silence, 1 s tone, 2 s silence, 1 s tone, 0.3 s silence, 0.5 s tone
  const source = await tone('between(t,1,2)+between(t,4,5)+between(t,5.3,5.8)', 5.8)
  const { paths } = await run(silenceRemoval, folder, [source])
  const length = await lengthOf(paths[0]!)
  // The remaining parts of the two long ones differ by some hundredths between builds of ffmpeg.
  expect(length).toBeGreaterThan(2.8)
  expect(length).toBeLessThan(3.1)
})

test('the kept length of a pause is a setting', async () => {
  const source = await tone('between(t,0,1)+between(t,2,3)', 3)
  const { paths } = await run(silenceRemoval, folder, [source], { minSilenceS: 1.5 })
  expect(await lengthOf(paths[0]!)).toBeCloseTo(3, 1)
})

test('the silence threshold is a setting', async () => {
  const source = await tone('if(between(t,1,3),0.001,1)', 4)
  const kept = await run(silenceRemoval, folder, [source], { thresholdDb: -80 })
  expect(await lengthOf(kept.paths[0]!)).toBeCloseTo(4, 1)
  const cut = await run(silenceRemoval, folder, [source], { thresholdDb: -40 })
  expect(await lengthOf(cut.paths[0]!)).toBeLessThan(2.3)
})

test('refuses a completely silent file', async () => {
  await expect(run(silenceRemoval, folder, [await tone('0', 1)])).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    message: expect.stringContaining('completely silent at -50 dB'),
  })
  const kept = await run(silenceRemoval, folder, [await tone('1', 1)], { thresholdDb: -20 })
  expect(await lengthOf(kept.paths[0]!)).toBeCloseTo(1, 1)
})

test('and one where only the peaks are louder: nothing of it would remain', async () => {
  // An eighth of full scale: peaks of -18 dB, a mean of -21.
  await expect(run(silenceRemoval, folder, [await makeAudio()], { thresholdDb: -20 })).rejects.toMatchObject({
    message: expect.stringContaining('completely silent at -20 dB'),
  })
})
