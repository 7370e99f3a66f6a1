import { type Complex, fourierTransform } from '../../../src/fourier.ts'

/** Transforms windowed frames of real samples. */
export class Spectrum {
  readonly #values: Complex
  readonly #transform: (values: Complex) => void
  readonly #window: Float64Array

  /** @param window as long as the frames; a power of two */
  constructor(window: Float64Array) {
    this.#transform = fourierTransform(window.length)
    this.#window = window
    this.#values = { re: new Float64Array(window.length), im: new Float64Array(window.length) }
  }

  /** Computes the spectrum of a frame. */
  load(frame: Float64Array): void {
    const { re, im } = this.#values
    for (let at = 0; at < frame.length; at++) re[at] = (frame[at] ?? 0) * (this.#window[at] ?? 0)
    im.fill(0)
    this.#transform(this.#values)
  }

  /** The power at a frequency. */
  power(bin: number): number {
    const { re, im } = this.#values
    return (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2
  }

  /** Multiplies both halves of the spectrum by gains, and adds the windowed frame to a sum. */
  addTo(sum: Float64Array, gains: Float64Array, scale: number): void {
    const { re, im } = this.#values
    const size = re.length
    for (let bin = 0; bin < size; bin++) {
      const gain = gains[bin <= size / 2 ? bin : size - bin] ?? 0
      re[bin] = (re[bin] ?? 0) * gain
      im[bin] = (im[bin] ?? 0) * gain
    }
    // Exchanging the parts makes it the inverse, without the division by the size.
    this.#transform({ re: im, im: re })
    for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + (re[at] ?? 0) * (this.#window[at] ?? 0) * scale
  }
}
