import { Framer, frameSize, OVERLAP } from './frames.ts'
import { hannRoot, type NoiseProfile } from './profile.ts'
import { Spectrum } from './spectrum.ts'

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

/** exp(E1(v) / 2), from a table by the logarithm of v. */
const integralGain = (() => {
  const [from, step, count] = [Math.log(1e-6), 0.02, 1000]
  const values = Float64Array.from({ length: count }, (_, index) =>
    Math.exp(exponentialIntegral(Math.exp(from + index * step)) / 2),
  )
  return (v: number): number => values[Math.max(0, Math.round((Math.log(v) - from) / step))] ?? 1
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

/** One channel: its noise, and what its frames leave behind. */
class Channel {
  readonly spectrum: Spectrum
  readonly gains: Float64Array
  /** The overlapping frames so far. */
  readonly sum: Float64Array
  readonly #noise: Float64Array
  readonly #before: Float64Array

  constructor(noise: Float64Array, window: Float64Array) {
    this.spectrum = new Spectrum(window)
    this.gains = new Float64Array(noise.length)
    this.sum = new Float64Array(window.length)
    this.#noise = noise
    this.#before = new Float64Array(noise.length)
  }

  /**
   * The gains for the current spectrum.
   * @param kept the share of the previous estimate
   */
  estimate(kept: number, floor: number): void {
    for (let bin = 0; bin < this.gains.length; bin++) {
      const posterior = Math.min(this.spectrum.power(bin) / (this.#noise[bin] ?? 1), MOST)
      const prior = Math.max(LEAST, kept * (this.#before[bin] ?? 0) + (1 - kept) * Math.max(0, posterior - 1))
      const share = prior / (1 + prior)
      const gain = Math.min(1, share * integralGain(Math.max(1e-6, share * posterior)))
      this.#before[bin] = gain * gain * posterior
      this.gains[bin] = Math.max(floor, gain)
    }
  }
}

/**
 * Reduces noise of a known spectrum. For every frame and frequency the gain is that of Ephraim and Malah (1985), which
 * minimises the error of the logarithmic spectrum, with their decision-directed estimate of the signal.
 */
export class Suppressor {
  readonly #framer: Framer
  readonly #channels: readonly Channel[]
  readonly #floor: number
  readonly #isMusic: boolean
  readonly #onSamples: (samples: Float32Array) => void
  #level = 0
  /** Frames that are wholly before the audio. */
  #early = OVERLAP - 1

  constructor(
    noise: NoiseProfile,
    sampleRate: number,
    { reductionDb, mode }: Suppression,
    onSamples: (samples: Float32Array) => void,
  ) {
    const size = frameSize(sampleRate)
    const window = hannRoot(size)
    this.#channels = noise.map(
      (powers) =>
        new Channel(
          powers.map((power) => power * OVERESTIMATE[mode] + 1e-20),
          window,
        ),
    )
    this.#framer = new Framer(size, noise.length, (frame) => this.#process(frame))
    this.#floor = 10 ** (-reductionDb / 20)
    this.#isMusic = mode === 'music'
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
    for (const [index, values] of frame.entries()) {
      const spectrum = this.#channels[index]?.spectrum
      spectrum?.load(values)
      for (let bin = size >> 4; bin <= size >> 1; bin++) level += spectrum?.power(bin) ?? 0
    }
    const isAttack = this.#isMusic && level > this.#level * ATTACK
    this.#level = level
    for (const channel of this.#channels) channel.estimate(isAttack ? 0 : KEPT, this.#floor)
    if (this.#isMusic) this.#link()
    // The squared windows of four overlapping frames add up to 2.
    for (const { spectrum, sum, gains } of this.#channels) spectrum.addTo(sum, gains, 2 / OVERLAP / size)
    this.#emit()
  }

  /** Gives all channels the same gain, so that nothing moves between them. */
  #link(): void {
    const [first, ...others] = this.#channels
    if (!first) return
    for (const { gains } of others)
      for (const [bin, gain] of gains.entries()) first.gains[bin] = Math.max(first.gains[bin] ?? 0, gain)
    for (const { gains } of others) gains.set(first.gains)
  }

  #emit(): void {
    const { hop } = this.#framer
    const count = this.#channels.length
    const samples = new Float32Array(hop * count)
    for (const [index, { sum }] of this.#channels.entries()) {
      for (let at = 0; at < hop; at++) samples[at * count + index] = sum[at] ?? 0
      sum.copyWithin(0, hop)
      sum.fill(0, sum.length - hop)
    }
    if (this.#early > 0) this.#early -= 1
    else this.#onSamples(samples)
  }
}
