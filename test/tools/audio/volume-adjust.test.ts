import { expect, test } from 'vitest'
import volumeAdjust from '../../../tools/audio/volume-adjust.ts'
import { levelOf, makeAudio, samplesOf } from '../../helpers/av.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
/** ffmpeg's sine has an amplitude of 1/8: its peaks are at -18.1 dB. */
const PEAK_DB = 20 * Math.log10(1 / 8)

test.each([-30, -6, 3, 12, 18])('%d dB are %d dB', async (gainDb) => {
  const source = await makeAudio({ seconds: 1 })
  const { paths, warnings } = await run(volumeAdjust, folder, [source], { gainDb })
  const [before, after] = [await samplesOf(source), await samplesOf(paths[0]!)]
  expect(levelOf(after) - levelOf(before)).toBeCloseTo(gainDb, 1)
  expect(warnings).toEqual([])
})

test('a gain that clips is applied with a warning', async () => {
  const { paths, warnings } = await run(volumeAdjust, folder, [await makeAudio({ seconds: 1 })], { gainDb: 24 })
  expect(warnings).toEqual([expect.stringContaining(`at ${PEAK_DB.toFixed(1)} dB, so that at most 18.1 dB`)])
  expect(Math.max(...(await samplesOf(paths[0]!)))).toBeGreaterThan(0.99)
})
