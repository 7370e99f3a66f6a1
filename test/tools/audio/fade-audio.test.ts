import { describe, expect, test } from 'vitest'
import fadeAudio from '../../../tools/audio/fade-audio.ts'
import { levelOf, makeAudio, samplesOf } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const RATE = 48000

/** The level of a tenth of a second at a time, dB. */
const levelAt = (samples: Float32Array, seconds: number): number =>
  levelOf(samples.subarray(Math.round(seconds * RATE), Math.round((seconds + 0.1) * RATE)))

async function faded(settings: Record<string, unknown>): Promise<{ before: Float32Array; after: Float32Array }> {
  const source = await makeAudio({ seconds: 2, sampleRate: RATE })
  const { paths } = await run(fadeAudio, folder, [source], settings)
  return { before: await samplesOf(source), after: await samplesOf(paths[0]!) }
}

describe('fades', () => {
  test('in and out are linear in amplitude; keeps the middle and the length', async () => {
    const { before, after } = await faded({ fadeInS: 0.5, fadeOutS: 0.5 })
    expect(after.length).toBe(before.length)
    const full = levelAt(before, 1)
    expect(levelAt(after, 1)).toBeCloseTo(full, 1)
    // A quarter of the way through is half of the amplitude of the middle: 20 log 0.5.
    expect(levelAt(after, 0.2) - full).toBeCloseTo(20 * Math.log10(0.5), 0)
    expect(levelAt(after, 1.7) - full).toBeCloseTo(20 * Math.log10(0.5), 0)
    // No click at either end.
    expect(Math.abs(after[0]!)).toBeLessThan(0.001)
    expect(Math.abs(after.at(-1)!)).toBeLessThan(0.001)
  })

  test('one side only', async () => {
    const { before, after } = await faded({ fadeInS: 0, fadeOutS: 1 })
    expect(levelAt(after, 0)).toBeCloseTo(levelAt(before, 0), 1)
    expect(levelAt(after, 1.85)).toBeLessThan(levelAt(before, 1.85) - 12)
  })

  test('longer than the file: cut to it', async () => {
    const { before, after } = await faded({ fadeInS: 0, fadeOutS: 30 })
    expect(levelAt(after, 0.95) - levelAt(before, 0.95)).toBeCloseTo(-6, 0)
  })
})

test('refuses no fade at all', async () => {
  const settings = { fadeInS: 0, fadeOutS: 0 }
  await expect(run(fadeAudio, folder, [await makeAudio()], settings)).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
  })
})
