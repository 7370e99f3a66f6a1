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
      this.#order[index] = (this.#order[index >> 1]! >> 1) | (index & 1 ? half : 0)
  }

  forward(real: Float64Array, imaginary: Float64Array): void {
    const { size } = this
    for (let index = 0; index < size; index++) {
      const other = this.#order[index]!
      if (other <= index) continue
      ;[real[index], real[other]] = [real[other]!, real[index]!]
      ;[imaginary[index], imaginary[other]] = [imaginary[other]!, imaginary[index]!]
    }
    for (let span = 1; span < size; span *= 2) {
      const step = size / (span * 2)
      for (let start = 0; start < size; start += span * 2)
        for (let offset = 0; offset < span; offset++) {
          const [cos, sin] = [this.#cos[offset * step]!, this.#sin[offset * step]!]
          const [low, high] = [start + offset, start + offset + span]
          const re = real[high]! * cos - imaginary[high]! * sin
          const im = real[high]! * sin + imaginary[high]! * cos
          real[high] = real[low]! - re
          imaginary[high] = imaginary[low]! - im
          real[low]! += re
          imaginary[low]! += im
        }
    }
  }

  /** The inverse, without the division by the size. */
  inverse(real: Float64Array, imaginary: Float64Array): void {
    this.forward(imaginary, real)
  }
}
