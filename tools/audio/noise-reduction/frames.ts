import { streamFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../src/engines/ffmpeg/media-info.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'
import { sourceInput } from '../../../src/media/av/input/source-input.ts'

const SAMPLE_BYTES = 4
/** Frames overlap by three quarters. */
export const OVERLAP = 4
/** The length of a frame, seconds: long enough to separate the harmonics of a voice. */
const FRAME_S = 0.04

/** The number of samples in a frame: the power of two next to 40 ms. */
export const frameSize = (sampleRate: number): number => 2 ** Math.round(Math.log2(sampleRate * FRAME_S))

export interface Decoding {
  source: AvSource
  stream: Stream
  channels: number
  /** Filters applied before, e.g. against hum. */
  filters: readonly string[]
  signal: AbortSignal
  warn?: (message: string) => void
}

/** Decodes a stream to interleaved samples from -1 to 1, in chunks of whole moments. */
export async function decodeSamples(
  { source, stream, channels, filters, signal, warn }: Decoding,
  onSamples: (samples: Float32Array) => void,
  options: readonly string[] = [],
): Promise<void> {
  const momentBytes = channels * SAMPLE_BYTES
  let rest: Buffer = Buffer.alloc(0)
  const filter = filters.length > 0 ? ['-af', filters.join(',')] : []
  const output = [...options, '-ac', String(channels), '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1']
  await streamFfmpeg(
    [...sourceInput(source), '-map', `0:${stream.index}`, ...filter, ...output],
    (chunk) => {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      const whole = bytes.length - (bytes.length % momentBytes)
      rest = Buffer.from(bytes.subarray(whole))
      if (whole > 0) onSamples(new Float32Array(Uint8Array.from(bytes.subarray(0, whole)).buffer))
    },
    { signal, what: 'Reducing the noise', ...(warn && { warn }) },
  )
}

/** Cuts samples into overlapping frames. The first frames start before the audio, in silence. */
export class Framer {
  readonly size: number
  readonly hop: number
  readonly #channels: number
  readonly #window: Float64Array[]
  readonly #onFrame: (frame: readonly Float64Array[]) => void
  #filled: number

  constructor(size: number, channels: number, onFrame: (frame: readonly Float64Array[]) => void) {
    this.size = size
    this.hop = size / OVERLAP
    this.#channels = channels
    this.#window = Array.from({ length: channels }, () => new Float64Array(size))
    this.#onFrame = onFrame
    this.#filled = size - this.hop
  }

  add(samples: Float32Array): void {
    const moments = samples.length / this.#channels
    for (let moment = 0; moment < moments; ) {
      const count = Math.min(this.size - this.#filled, moments - moment)
      for (const [channel, values] of this.#window.entries())
        for (let at = 0; at < count; at++)
          values[this.#filled + at] = samples[(moment + at) * this.#channels + channel] ?? 0
      moment += count
      this.#filled += count
      if (this.#filled < this.size) return
      this.#onFrame(this.#window)
      for (const values of this.#window) values.copyWithin(0, this.hop)
      this.#filled = this.size - this.hop
    }
  }

  /** Adds silence until the last sample is in as many frames as the others. */
  end(): void {
    this.add(new Float32Array(this.size * this.#channels))
  }
}
