import { type Complex, fourierTransform } from '../../fourier.ts'
import { SPEECH_RATE } from '../../media/av/filters/mono-sound.ts'

/** Whisper's input: 30 s in frames of 10 ms (its contract). */
export const WINDOW_SAMPLES = 30 * SPEECH_RATE
const HOP = 160
export const FRAMES = WINDOW_SAMPLES / HOP

const FRAME_SAMPLES = 400
const BINS = FRAME_SAMPLES / 2 + 1
const LEAST_POWER = 1e-10
/** Dynamic range below the maximum power, in powers of ten. */
const RANGE = 8

/** Converts hertz to mels after Slaney: linear to 1000 Hz, then logarithmic. */
const MELS_PER_HERTZ = 3 / 200
const BEND_HERTZ = 1000
const BEND_MEL = BEND_HERTZ * MELS_PER_HERTZ
const LOG_STEP = Math.log(6.4) / 27

const melOf = (hertz: number): number =>
  hertz < BEND_HERTZ ? hertz * MELS_PER_HERTZ : BEND_MEL + Math.log(hertz / BEND_HERTZ) / LOG_STEP
const hertzOf = (mel: number): number =>
  mel < BEND_MEL ? mel / MELS_PER_HERTZ : BEND_HERTZ * Math.exp((mel - BEND_MEL) * LOG_STEP)

/** The bins of a band, and their weights. */
interface Band {
  first: number
  weights: readonly number[]
}

/** Triangular filters from 0 to 8000 Hz, each of the same area (Slaney's norm). */
export function melBands(count: number): Band[] {
  const highest = melOf(SPEECH_RATE / 2)
  const corners = Array.from({ length: count + 2 }, (_, index) => hertzOf((highest * index) / (count + 1)))
  return Array.from({ length: count }, (_, band) => {
    const [low, middle, high] = corners.slice(band, band + 3) as [number, number, number]
    const weights = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * SPEECH_RATE) / FRAME_SAMPLES
      const height = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle))
      return (Math.max(0, height) * 2) / (high - low)
    })
    const first = weights.findIndex((weight) => weight > 0)
    return { first, weights: weights.slice(first, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
}

const HANN = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / FRAME_SAMPLES),
)

/** A sample of a window; mirrored beyond the ends. */
function sampleAt(samples: Float32Array, at: number): number {
  const inside = at < 0 ? -at : at >= WINDOW_SAMPLES ? 2 * (WINDOW_SAMPLES - 1) - at : at
  return samples[inside] ?? 0
}

const bandsByCount = new Map<number, Band[]>()
let transform: ((values: Complex) => void) | undefined

/**
 * The log-mel spectrogram of at most 30 s, as in Whisper's training: padded with silence, windows of 25 ms (Hann) every
 * 10 ms, powers in mel bands, base-10 logarithms within 8 of the maximum, scaled by (x + 4) / 4.
 * @returns `bands` rows of 3000 frames
 */
export function logMel(samples: Float32Array, bands: number): Float32Array {
  const filters = bandsByCount.get(bands) ?? melBands(bands)
  bandsByCount.set(bands, filters)
  transform ??= fourierTransform(FRAME_SAMPLES)
  const values = { re: new Float64Array(FRAME_SAMPLES), im: new Float64Array(FRAME_SAMPLES) }
  const result = new Float32Array(bands * FRAMES).fill(Math.log10(LEAST_POWER))
  const heard = Math.min(FRAMES, Math.ceil((samples.length + FRAME_SAMPLES / 2) / HOP))
  const fill = (part: Float64Array, frame: number): void => {
    const start = frame * HOP - FRAME_SAMPLES / 2
    for (let index = 0; index < FRAME_SAMPLES; index += 1) part[index] = HANN[index]! * sampleAt(samples, start + index)
  }
  const powers = [new Float64Array(BINS), new Float64Array(BINS)] as const
  let loudest = Math.log10(LEAST_POWER)
  // Two frames at a time, as real and imaginary parts: their spectra are separated by symmetry.
  for (let frame = 0; frame < heard; frame += 2) {
    fill(values.re, frame)
    fill(values.im, frame + 1)
    transform(values)
    const { re, im } = values
    for (let bin = 0; bin < BINS; bin += 1) {
      const mirrored = (FRAME_SAMPLES - bin) % FRAME_SAMPLES
      powers[0][bin] = ((re[bin]! + re[mirrored]!) ** 2 + (im[bin]! - im[mirrored]!) ** 2) / 4
      powers[1][bin] = ((im[bin]! + im[mirrored]!) ** 2 + (re[bin]! - re[mirrored]!) ** 2) / 4
    }
    for (const [index, power] of powers.entries()) {
      if (frame + index >= FRAMES) continue
      for (const [band, { first, weights }] of filters.entries()) {
        let sum = 0
        for (let bin = 0; bin < weights.length; bin += 1) sum += weights[bin]! * power[first + bin]!
        const level = Math.log10(Math.max(sum, LEAST_POWER))
        result[band * FRAMES + frame + index] = level
        if (level > loudest) loudest = level
      }
    }
  }
  const least = loudest - RANGE
  for (let at = 0; at < result.length; at += 1) result[at] = (Math.max(result[at]!, least) + 4) / 4
  return result
}
