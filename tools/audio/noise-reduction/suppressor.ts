import { Fft } from './fft.ts'
import { Framer, frameSize, OVERLAP } from './frames.ts'
import { hannRoot, type NoiseProfile } from './profile.ts'

export interface Suppression {
  /** The largest reduction, dB. */
  reductionDb: number
  /** Music: attacks are passed at once, and all channels get the same gain, so that nothing moves. */
  mode: 'speech' | 'music'
}

/** How much of the estimate of the previous frame is kept: more leaves fewer random tones, and blurs attacks. */
const KEPT = 0.93
/** The noise is taken as a little stronger than measured, which leaves fewer random tones. */
const OVERESTIMATE = { speech: 1.2, music: 1 } as const
/** The lowest estimate of the signal, as a ratio to the noise: -25 dB. */
const LEAST = 10 ** -2.5
/** A frame whose level rises by this ratio is an attack: 4 dB. */
const ATTACK = 2.5
const MOST = 1e4

/** Powers of the exponential integral in the gain: exp(E1(v) / 2), by the logarithm of v. */
const TABLE = (() => {
  const [from, step, count] = [Math.log(1e-6), 0.02, 1000]
  const values = Float64Array.from({ length: count }, (_, index) =>
    Math.exp(exponentialIntegral(Math.exp(from + index * step)) / 2),
  )
  return (v: number): number => {
    const index = Math.round((Math.log(v) - from) / step)
    return index >= count ? 1 : values[Math.max(0, index)]!
  }
})()

/** E1 by its series below 1 and its continued fraction above (Abramowitz and Stegun, 5.1.11 and 5.1.22). */
export function exponentialIntegral(x: number): number {
  if (x > 1) {
    let fraction = 0
    for (let term = 40; term > 0; term--) fraction = term / (1 + term / (x + fraction))
    return Math.exp(-x) / (x + fraction)
  }
  let [sum, power] = [0, 1]
  for (let term = 1; term < 30; term++) {
    power *= -x / term
    sum -= power / term
  }
  return sum - Math.log(x) - 0.5772156649015329
}

/**
 * Reduces noise of a known spectrum. For every frame and frequency the gain is that of Ephraim and Malah (1985), which
 * minimises the error of the logarithmic spectrum, with their decision-directed estimate of the signal.
 */
export class Suppressor {
  readonly #framer: Framer
  readonly #fft: Fft
  readonly #window: Float64Array
  readonly #noise: NoiseProfile
  readonly #floor: number
  readonly #isMusic: boolean
  readonly #before: Float64Array[]
  readonly #gains: Float64Array[]
  readonly #spectra: { real: Float64Array; imaginary: Float64Array }[]
  readonly #sums: Float64Array[]
  readonly #onSamples: (samples: Float32Array) => void
  #level = 0
  /** Frames that lie wholly before the audio. */
  #early = OVERLAP - 1

  constructor(
    noise: NoiseProfile,
    sampleRate: number,
    { reductionDb, mode }: Suppression,
    onSamples: (samples: Float32Array) => void,
  ) {
    const size = frameSize(sampleRate)
    const channels = noise.length
    const arrays = (length: number) => Array.from({ length: channels }, () => new Float64Array(length))
    this.#noise = noise.map((powers) => powers.map((power) => power * OVERESTIMATE[mode] + 1e-20))
    this.#framer = new Framer(size, channels, (frame) => this.#process(frame))
    this.#fft = new Fft(size)
    this.#window = hannRoot(size)
    this.#floor = 10 ** (-reductionDb / 20)
    this.#isMusic = mode === 'music'
    this.#before = arrays(size / 2 + 1)
    this.#gains = arrays(size / 2 + 1)
    this.#sums = arrays(size)
    this.#spectra = Array.from({ length: channels }, () => ({
      real: new Float64Array(size),
      imaginary: new Float64Array(size),
    }))
    this.#onSamples = onSamples
  }

  /** Adds interleaved samples. */
  add(samples: Float32Array): void {
    this.#framer.add(samples)
  }

  /** Must be called after the last samples. More samples than were added are returned. */
  end(): void {
    this.#framer.end()
  }

  #process(frame: readonly Float64Array[]): void {
    const { size } = this.#framer
    let level = 0
    for (const [channel, values] of frame.entries()) {
      const { real, imaginary } = this.#spectra[channel]!
      for (let at = 0; at < size; at++) real[at] = values[at]! * this.#window[at]!
      imaginary.fill(0)
      this.#fft.forward(real, imaginary)
      for (let bin = size >> 4; bin <= size >> 1; bin++) level += real[bin]! ** 2 + imaginary[bin]! ** 2
    }
    const isAttack = this.#isMusic && level > this.#level * ATTACK
    this.#level = level
    for (const channel of frame.keys()) this.#estimate(channel, isAttack ? 0 : KEPT)
    if (this.#isMusic) this.#link()
    for (const channel of frame.keys()) this.#synthesise(channel)
    this.#emit()
  }

  /** The gains of a channel for its current spectrum. */
  #estimate(channel: number, kept: number): void {
    const { real, imaginary } = this.#spectra[channel]!
    const [noise, before, gains] = [this.#noise[channel]!, this.#before[channel]!, this.#gains[channel]!]
    for (let bin = 0; bin < gains.length; bin++) {
      const posterior = Math.min((real[bin]! ** 2 + imaginary[bin]! ** 2) / noise[bin]!, MOST)
      const prior = Math.max(LEAST, kept * before[bin]! + (1 - kept) * Math.max(0, posterior - 1))
      const share = prior / (1 + prior)
      const gain = Math.min(1, share * TABLE(Math.max(1e-6, share * posterior)))
      before[bin] = gain * gain * posterior
      gains[bin] = Math.max(this.#floor, gain)
    }
  }

  #link(): void {
    const [first, ...others] = this.#gains
    if (!first || others.length === 0) return
    for (let bin = 0; bin < first.length; bin++) {
      let most = first[bin]!
      for (const gains of others) most = Math.max(most, gains[bin]!)
      for (const gains of this.#gains) gains[bin] = most
    }
  }

  #synthesise(channel: number): void {
    const { size } = this.#framer
    const { real, imaginary } = this.#spectra[channel]!
    const [gains, sum] = [this.#gains[channel]!, this.#sums[channel]!]
    for (let bin = 0; bin < size; bin++) {
      const gain = gains[bin <= size / 2 ? bin : size - bin]!
      real[bin]! *= gain
      imaginary[bin]! *= gain
    }
    this.#fft.inverse(real, imaginary)
    // The squared windows of four overlapping frames add up to 2.
    const scale = 2 / OVERLAP / size
    for (let at = 0; at < size; at++) sum[at]! += real[at]! * this.#window[at]! * scale
  }

  #emit(): void {
    const { hop } = this.#framer
    const channels = this.#sums.length
    if (this.#early > 0) this.#early -= 1
    else {
      const samples = new Float32Array(hop * channels)
      for (let at = 0; at < hop; at++)
        for (let channel = 0; channel < channels; channel++)
          samples[at * channels + channel] = this.#sums[channel]![at]!
      this.#onSamples(samples)
    }
    for (const sum of this.#sums) {
      sum.copyWithin(0, hop)
      sum.fill(0, sum.length - hop)
    }
  }
}
