/** Number of spans kept while reading a file of unknown length: more than an image has columns. */
const MAX_SPANS = 65_536

/** Levels of a channel in one image column: -1 to 1. */
export interface Column {
  max: number
  min: number
  /** Root mean square. */
  rms: number
}

/** Collects the peaks and the loudness of an audio file of any length while it is read. */
export class Peaks {
  readonly #channels: number
  /** Sample frames per span; doubled whenever all spans are full. */
  #perSpan = 1
  #spans = 0
  #inSpan = 0
  #moments = 0
  readonly #max: Int16Array
  readonly #min: Int16Array
  readonly #squares: Float64Array

  /** @param expected sample frames, if known: avoids starting with short spans that would soon be merged */
  constructor(channels: number, expected = 0) {
    this.#channels = channels
    while (this.#perSpan * MAX_SPANS < expected) this.#perSpan *= 2
    this.#max = new Int16Array(MAX_SPANS * channels)
    this.#min = new Int16Array(MAX_SPANS * channels)
    this.#squares = new Float64Array(MAX_SPANS * channels)
  }

  /** Adds interleaved samples of all channels; whole sample frames only. */
  add(samples: Int16Array): void {
    const channels = this.#channels
    for (let from = 0; from < samples.length; ) {
      const end = Math.min(samples.length, from + (this.#perSpan - this.#inSpan) * channels)
      for (let channel = 0; channel < channels; channel += 1) this.#addTo(channel, samples, from + channel, end)
      this.#inSpan += (end - from) / channels
      from = end
      if (this.#inSpan < this.#perSpan) break
      this.#inSpan = 0
      this.#spans += 1
      if (this.#spans === MAX_SPANS) this.#halve()
    }
    this.#moments += samples.length / channels
  }

  /** Adds samples of one channel within one span. This is the hot loop: plain numbers and nothing else. */
  #addTo(channel: number, samples: Int16Array, from: number, end: number): void {
    const step = this.#channels
    const at = this.#spans * step + channel
    let max = this.#max[at]!
    let min = this.#min[at]!
    let squares = 0
    for (let index = from; index < end; index += step) {
      const value = samples[index]!
      if (value > max) max = value
      if (value < min) min = value
      squares += value * value
    }
    this.#max[at] = max
    this.#min[at] = min
    this.#squares[at]! += squares
  }

  /** Merges pairs of spans. */
  #halve(): void {
    const channels = this.#channels
    const half = MAX_SPANS / 2
    for (let span = 0; span < half; span += 1)
      for (let channel = 0; channel < channels; channel += 1) {
        const [to, one] = [span * channels + channel, 2 * span * channels + channel]
        this.#max[to] = Math.max(this.#max[one]!, this.#max[one + channels]!)
        this.#min[to] = Math.min(this.#min[one]!, this.#min[one + channels]!)
        this.#squares[to] = this.#squares[one]! + this.#squares[one + channels]!
      }
    for (const list of [this.#max, this.#min, this.#squares]) list.fill(0, half * channels)
    this.#spans = half
    this.#perSpan *= 2
  }

  /** Every column of an image, each with all channels; empty if nothing was read. */
  columns(count: number): Column[][] {
    const moments = this.#moments
    if (moments === 0) return []
    const spans = Math.ceil(moments / this.#perSpan)
    return Array.from({ length: count }, (_, column) => {
      const first = Math.floor((column * moments) / count / this.#perSpan)
      const end = Math.max(first + 1, Math.round(((column + 1) * moments) / count / this.#perSpan))
      return Array.from({ length: this.#channels }, (_, channel) => this.#column(channel, first, Math.min(end, spans)))
    })
  }

  #column(channel: number, first: number, end: number): Column {
    let [max, min, squares] = [0, 0, 0]
    for (let span = first; span < end; span += 1) {
      const at = span * this.#channels + channel
      max = Math.max(max, this.#max[at]!)
      min = Math.min(min, this.#min[at]!)
      squares += this.#squares[at]!
    }
    // The last span may be only partly filled.
    const moments = Math.min(end * this.#perSpan, this.#moments) - first * this.#perSpan
    return { max: max / 32_767, min: min / 32_768, rms: Math.sqrt(squares / moments) / 32_768 }
  }
}
