/** A complex FFT of a fixed size, in place (radix 2, decimation in time). */
export class Fft {
  readonly size: number
  readonly #cos: Float64Array
  readonly #sin: Float64Array
  readonly #order: Uint32Array

  /** @param size a power of two */
  constructor(size: number) {
    this.size = size
    const half = size / 2
    this.#cos = Float64Array.from({ length: half }, (_, index) => Math.cos((2 * Math.PI * index) / size))
    this.#sin = Float64Array.from({ length: half }, (_, index) => -Math.sin((2 * Math.PI * index) / size))
    this.#order = new Uint32Array(size)
    for (let index = 1; index < size; index++)
      this.#order[index] = ((this.#order[index >> 1] ?? 0) >> 1) | (index & 1 ? half : 0)
  }

  forward(real: Float64Array, imaginary: Float64Array): void {
    const { size } = this
    // Iterators of typed arrays are slower than indexes.
    for (let index = 0; index < size; index++) {
      const other = this.#order[index] ?? 0
      if (other <= index) continue
      const re = real[index] ?? 0
      const im = imaginary[index] ?? 0
      real[index] = real[other] ?? 0
      imaginary[index] = imaginary[other] ?? 0
      real[other] = re
      imaginary[other] = im
    }
    for (let span = 1; span < size; span *= 2) {
      const step = size / (span * 2)
      for (let offset = 0; offset < span; offset++) {
        const cos = this.#cos[offset * step] ?? 0
        const sin = this.#sin[offset * step] ?? 0
        for (let low = offset; low < size; low += span * 2) {
          const high = low + span
          const a = real[low] ?? 0
          const b = imaginary[low] ?? 0
          const c = real[high] ?? 0
          const d = imaginary[high] ?? 0
          const re = c * cos - d * sin
          const im = c * sin + d * cos
          real[high] = a - re
          imaginary[high] = b - im
          real[low] = a + re
          imaginary[low] = b + im
        }
      }
    }
  }

  /** The inverse, without the division by the size. */
  inverse(real: Float64Array, imaginary: Float64Array): void {
    this.forward(imaginary, real)
  }
}

/** Transforms windowed frames of real samples. */
export class Spectrum {
  readonly real: Float64Array
  readonly imaginary: Float64Array
  readonly #fft: Fft
  readonly #window: Float64Array

  /** @param window as long as the frames; a power of two */
  constructor(window: Float64Array) {
    this.#fft = new Fft(window.length)
    this.#window = window
    this.real = new Float64Array(window.length)
    this.imaginary = new Float64Array(window.length)
  }

  /** The spectrum of a frame, in `real` and `imaginary`. */
  load(frame: Float64Array): void {
    for (let at = 0; at < frame.length; at++) this.real[at] = (frame[at] ?? 0) * (this.#window[at] ?? 0)
    this.imaginary.fill(0)
    this.#fft.forward(this.real, this.imaginary)
  }

  /** The power at a frequency. */
  power(bin: number): number {
    return (this.real[bin] ?? 0) ** 2 + (this.imaginary[bin] ?? 0) ** 2
  }

  /** Multiplies both halves of the spectrum by gains, and adds the windowed frame to a sum. */
  addTo(sum: Float64Array, gains: Float64Array, scale: number): void {
    const { real, imaginary } = this
    const size = real.length
    for (let bin = 0; bin < size; bin++) {
      const gain = gains[bin <= size / 2 ? bin : size - bin] ?? 0
      real[bin] = (real[bin] ?? 0) * gain
      imaginary[bin] = (imaginary[bin] ?? 0) * gain
    }
    this.#fft.inverse(real, imaginary)
    for (let at = 0; at < size; at++) sum[at] = (sum[at] ?? 0) + (real[at] ?? 0) * (this.#window[at] ?? 0) * scale
  }
}
