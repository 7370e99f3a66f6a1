import { captureFfmpeg, ffmpegPath } from '../../../engines/ffmpeg/ffmpeg.ts'

/**
 * The test signal: short tones over faint noise, because similarity-based filters behave differently in silence;
 * seconds.
 */
const APART_S = 0.5
const TONE_S = 0.04
const TONES = 6
/** The first tone starts this long after the beginning. */
const FIRST_S = 0.25
/** High enough for a short tone, and low enough for every sample rate; Hz. */
const TONE_HZ = 1000
/** Maximum size of a slowed-down test signal at a high rate, bytes. */
const MAX_BYTES = 64 * 1024 * 1024

const known = new Map<string, Promise<number>>()

/** Energy centroid of the samples between two positions, in samples; undefined when there is no energy. */
function centreOf(samples: Float32Array, from: number, to: number): number | undefined {
  let [energy, moment] = [0, 0]
  for (let at = Math.max(0, from); at < Math.min(to, samples.length); at += 1) {
    const square = samples[at]! ** 2
    energy += square
    moment += square * at
  }
  return energy > 0 ? moment / energy : undefined
}

async function tried(
  filters: readonly string[],
  sampleRate: number,
  factor: number,
  signal: AbortSignal,
): Promise<number> {
  const isTone = `between(mod(t\\,${APART_S})\\,${FIRST_S}\\,${FIRST_S + TONE_S})`
  const tones = `0.7*sin(${Math.min(TONE_HZ, sampleRate / 8)}*2*PI*t)*${isTone}+0.02*(random(1)-0.5)`
  const sound = `aevalsrc=${tones}:s=${sampleRate}:d=${APART_S * (TONES + 1)}`
  const output = ['-af', filters.join(','), '-ar', String(sampleRate), '-f', 'f32le', 'pipe:1']
  const bytes = await captureFfmpeg(['-f', 'lavfi', '-i', sound, ...output], { signal, maxOutput: MAX_BYTES })
  const samples = new Float32Array(Uint8Array.from(bytes).buffer)
  const lateness: number[] = []
  for (let number = 0; number < TONES; number += 1) {
    const expected = ((number * APART_S + FIRST_S + TONE_S / 2) / factor) * sampleRate
    const around = ((APART_S / 2) * sampleRate) / factor
    const centre = centreOf(samples, Math.floor(expected - around), Math.ceil(expected + around))
    if (centre !== undefined) lateness.push((centre - expected) / sampleRate)
  }
  return lateness.length === 0 ? 0 : lateness.reduce((sum, one) => sum + one, 0) / lateness.length
}

/**
 * The average latency of filters in seconds; negative when early. Builds and libraries differ, so the latency is
 * measured with the installed ffmpeg, once per process.
 * @param filters complete filters, which may speed up the audio
 * @param factor speed factor
 */
export async function latenessOf(
  filters: readonly string[],
  sampleRate: number,
  factor: number,
  signal: AbortSignal,
): Promise<number> {
  const key = [await ffmpegPath(), sampleRate, ...filters].join('\n')
  let answer = known.get(key)
  if (!answer) {
    answer = tried(filters, sampleRate, factor, signal)
    known.set(key, answer)
    answer.catch(() => known.delete(key))
  }
  return answer
}
