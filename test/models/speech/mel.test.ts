/** The expected numbers were computed in numpy with Whisper's own filters (mel_filters.npz). */
import { expect, test } from 'vitest'
import { fourierTransform } from '../../../src/fourier.ts'
import { FRAMES, logMel, melBands, WINDOW_SAMPLES } from '../../../src/models/speech/mel.ts'

test.each([1, 2, 12, 25, 400, 2048])('a transform of %i numbers equals its defining sum', (length) => {
  const re = Float64Array.from({ length }, (_, at) => Math.sin(at * at) - 0.3)
  const im = Float64Array.from({ length }, (_, at) => Math.cos(3 * at))
  const values = { re: re.slice(), im: im.slice() }
  fourierTransform(length)(values)
  for (const bin of [0, 1, Math.floor(length / 2), length - 1].filter((one) => one < length)) {
    let [sumRe, sumIm] = [0, 0]
    for (let at = 0; at < length; at += 1) {
      const angle = (-2 * Math.PI * bin * at) / length
      sumRe += re[at]! * Math.cos(angle) - im[at]! * Math.sin(angle)
      sumIm += re[at]! * Math.sin(angle) + im[at]! * Math.cos(angle)
    }
    expect(values.re[bin]).toBeCloseTo(sumRe, 9)
    expect(values.im[bin]).toBeCloseTo(sumIm, 9)
  }
})

test.each([
  [80, 0, 1, [0.024862595]],
  [80, 1, 1, [0.0019908219, 0.022871772]],
  [80, 40, 42, [0.0054111048, 0.014735566, 0.0065181898]],
  [128, 127, 191, [0.00047569509, 0.0016171717, 0.0027586485, 0.0039001252, 0.0050416016, 0.0044571208]],
])('of %i bands, band %i starts at bin %i', (count, band, first, weights) => {
  const bands = melBands(count)
  expect(bands).toHaveLength(count)
  expect(bands[band]!.first).toBe(first)
  for (const [index, weight] of weights.entries()) expect(bands[band]!.weights[index]).toBeCloseTo(weight, 8)
})

test("a second of tones as in Whisper's training", () => {
  const tone = (hertz: number, at: number): number => Math.sin((2 * Math.PI * hertz * at) / 16_000)
  const samples = Float32Array.from(
    { length: 16_000 },
    (_, at) => 0.5 * tone(1000, at) + (at < 8000 ? 0 : 0.25 * tone(3000, at)),
  )
  const bands = logMel(samples, 80)
  expect(bands).toHaveLength(80 * FRAMES)
  for (const [band, frame, level] of [
    // The first frames are mirrored at the start, and the last ones extend into the silence after the end.
    ...[[25, 0, 1.3355] as const, [25, 1, 1.342892] as const, [25, 20, 1.341125] as const],
    ...[[25, 99, 1.342059] as const, [25, 100, 1.264474] as const, [25, 101, 0.35802] as const],
    // Where the other tone starts all bands respond; values far below the maximum are at the floor.
    ...[[53, 50, 0.805357] as const, [0, 0, 0.799748] as const, [10, 50, 0.239465] as const],
    ...[[53, 20, -0.560342] as const, [79, 2999, -0.560342] as const],
  ])
    expect(bands[band * FRAMES + frame], `band ${band}, frame ${frame}`).toBeCloseTo(level, 4)
  expect(bands.reduce((sum, level) => sum + level, 0) / bands.length).toBeCloseTo(-0.5547247, 4)
})

test('mirrors a full window at its end, and silence is even', () => {
  const whole = logMel(new Float32Array(WINDOW_SAMPLES).fill(0.1), 80)
  expect(whole[FRAMES - 1]).toBeCloseTo(whole[1000]!, 5)
  expect(new Set(logMel(new Float32Array(0), 80))).toEqual(new Set([-1.5]))
})
