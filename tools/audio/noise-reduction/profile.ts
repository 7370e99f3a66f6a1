import { type Decoding, decodeSamples, Framer, frameSize, OVERLAP } from './frames.ts'
import { Spectrum } from './spectrum.ts'

/** The share of the audio that is taken as noise alone: pauses of speech are at least this long together. */
const QUIET_SHARE = 0.1
/** Levels are averaged over this time, seconds: shorter than a pause, longer than a gap between syllables. */
const BLOCK_S = 0.2
/** Below this level there is nothing, mean square of full scale: -100 dB. */
const SILENT = 1e-10
/** If the loudest tenth is not louder than the quietest tenth by this ratio (2 dB), no passage is noise alone. */
const CONTRAST = 1.6
/** Levels leave out lower frequencies, Hz, because a varying rumble would hide the pauses. */
const LOWEST_HZ = 150

/** The power of the noise for each frequency, by channel. */
export type NoiseProfile = readonly Float64Array[]

/** Measures the mean square of consecutive samples without their rumble. */
function levelMeter(sampleRate: number): (values: Float64Array) => number {
  const decay = 1 - (2 * Math.PI * LOWEST_HZ) / sampleRate
  let [before, passed] = [0, 0]
  return (values) => {
    let sum = 0
    for (let at = 0; at < values.length; at++) {
      const value = values[at] ?? 0
      passed = value - before + decay * passed
      before = value
      sum += passed ** 2
    }
    return sum / values.length
  }
}

/** The level of each frame's last hop, in the loudest channel, averaged over blocks. */
async function levelsOf(decoding: Decoding, size: number, sampleRate: number): Promise<Float64Array> {
  const levels: number[] = []
  const levelMeters = Array.from({ length: decoding.channels }, () => levelMeter(sampleRate))
  const framer = new Framer(size, decoding.channels, (frame) => {
    const last = frame.map((values) => values.subarray(size - size / OVERLAP))
    levels.push(Math.max(...levelMeters.map((measure, channel) => measure(last[channel] ?? new Float64Array(1)))))
  })
  await decodeSamples(decoding, (samples) => framer.add(samples))
  const reach = Math.max(1, Math.round((BLOCK_S * sampleRate) / framer.hop / 2))
  return Float64Array.from(levels, (_, index) => {
    const near = levels.slice(Math.max(0, index - reach), index + reach + 1)
    return near.reduce((sum, level) => sum + level, 0) / near.length
  })
}

/** The frames of the quietest passages; none if no passage is quieter than the others. */
function quietFrames(levels: Float64Array): Set<number> {
  const heard = levels.filter((level) => level > SILENT).sort()
  const at = (share: number): number => heard[Math.floor(share * (heard.length - 1))] ?? 0
  const limit = at(QUIET_SHARE)
  if (at(1 - QUIET_SHARE) < limit * CONTRAST) return new Set()
  return new Set([...levels.entries()].flatMap(([index, level]) => (level > SILENT && level <= limit ? [index] : [])))
}

/**
 * Measures the noise in the quietest passages, in two passes over the file: their position, then their spectrum.
 * @returns undefined when no passage is quieter than the others
 */
export async function noiseProfile(
  decoding: Decoding,
  sampleRate: number,
  mode: 'speech' | 'music',
): Promise<NoiseProfile | undefined> {
  const size = frameSize(sampleRate)
  const quiet = quietFrames(await levelsOf(decoding, size, sampleRate))
  if (quiet.size === 0) return undefined
  const bins = size / 2 + 1
  const sums = Array.from({ length: decoding.channels }, () => new Float64Array(bins))
  // A Hann window leaks less from partials into the valleys between them; its power is three quarters.
  const isMusic = mode === 'music'
  const window = isMusic ? hannRoot(size).map((value) => value * value) : hannRoot(size)
  const scale = (isMusic ? 4 / 3 : 1) / quiet.size
  const spectrum = new Spectrum(window)
  let number = 0
  const framer = new Framer(size, decoding.channels, (frame) => {
    if (!quiet.has(number++)) return
    for (const [channel, sum] of sums.entries()) {
      spectrum.load(frame[channel] ?? window)
      for (let bin = 0; bin < bins; bin++) sum[bin] = (sum[bin] ?? 0) + spectrum.power(bin)
    }
  })
  await decodeSamples(decoding, (samples) => framer.add(samples))
  // The mean of neighbours makes the spectrum of a short passage steady.
  const smooth = (sum: Float64Array) =>
    sum.map((power, bin) => (((sum[bin - 1] ?? power) + power + (sum[bin + 1] ?? power)) / 3) * scale)
  return sums.map((sum) => (isMusic ? valleysOf(smooth(sum), sampleRate / size) : smooth(sum)))
}

/** The square root of a Hann window, which is applied before the transform and after its inverse. */
export const hannRoot = (size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, at) => Math.sin((Math.PI * at) / size))

/** How far the neighbourhood of a frequency reaches, Hz: further than the distance of partials. */
const NEIGHBOURHOOD_HZ = 500
/** The share of the neighbourhood that is between partials. */
const VALLEYS = 0.03

/**
 * The profile without its lines, because partials of music in a quiet passage are no noise: the power in the valleys of
 * each neighbourhood.
 */
function valleysOf(powers: Float64Array, hertzPerBin: number): Float64Array {
  const reach = Math.ceil(NEIGHBOURHOOD_HZ / hertzPerBin)
  return powers.map((power, bin) => {
    const near = powers.slice(Math.max(0, bin - reach), bin + reach + 1).sort()
    return Math.min(power, near[Math.floor(VALLEYS * near.length)] ?? power)
  })
}
