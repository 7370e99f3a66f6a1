/** The waveform of an audio file. */
import type { View } from './clip.ts'

/** Samples per second: enough for peaks, and 5 MB for 3 minutes. */
const RATE = 8000
/** Samples of a bucket of the coarse copy. */
const COARSE = 256

/** Larger or longer files are not decoded in the browser: bytes and seconds. */
const MOST_BYTES = 80_000_000
const MOST_SECONDS = 20 * 60

export interface Waveform {
  /** Peaks from 0 to 1. */
  fine: Float32Array
  coarse: Float32Array
  /** Fine peaks per second. */
  rate: number
}

/** Decodes a file with WebAudio. @returns undefined if it is too large, or unknown to the browser */
export async function decodeWaveform(file: Blob, duration: number): Promise<Waveform | undefined> {
  if (file.size > MOST_BYTES || duration > MOST_SECONDS) return undefined
  const context = new OfflineAudioContext(1, 1, RATE)
  const audio = await context.decodeAudioData(await file.arrayBuffer()).catch(() => undefined)
  if (!audio) return undefined
  const fine = new Float32Array(audio.length)
  for (let channel = 0; channel < Math.min(2, audio.numberOfChannels); channel += 1) {
    const samples = audio.getChannelData(channel)
    for (let at = 0; at < samples.length; at += 1) {
      const level = Math.abs(samples[at] as number)
      if (level > (fine[at] as number)) fine[at] = level
    }
    // Long files are computed in turns with the page.
    await new Promise((done) => setTimeout(done))
  }
  return { fine, coarse: peaksOf(fine, 0, fine.length, Math.ceil(fine.length / COARSE)), rate: audio.sampleRate }
}

/** The highest value of each of `count` equal parts. */
export function peaksOf(levels: Float32Array, from: number, to: number, count: number): Float32Array {
  const peaks = new Float32Array(count)
  const step = (to - from) / count
  for (let index = 0; index < count; index += 1) {
    const end = Math.max(from + (index + 1) * step, from + index * step + 1)
    let peak = 0
    for (let at = Math.floor(from + index * step); at < end && at < levels.length; at += 1)
      peak = Math.max(peak, levels[at] ?? 0)
    peaks[index] = peak
  }
  return peaks
}

/** Draws a part of the waveform over the whole canvas, in its text colour. */
export function drawWaveform(canvas: HTMLCanvasElement, { fine, coarse, rate }: Waveform, view: View): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { width, height } = canvas
  const isCoarse = (view.length * rate) / width > 2 * COARSE
  const perSecond = isCoarse ? rate / COARSE : rate
  const from = view.from * perSecond
  const peaks = peaksOf(isCoarse ? coarse : fine, from, from + view.length * perSecond, width)
  context.clearRect(0, 0, width, height)
  context.fillStyle = getComputedStyle(canvas).color
  for (const [x, peak] of peaks.entries()) {
    const high = Math.max(1, peak * height)
    context.fillRect(x, (height - high) / 2, 1, high)
  }
}
