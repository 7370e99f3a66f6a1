import { captureFfmpeg, ffmpegPath } from '../../../engines/ffmpeg/ffmpeg.ts'

/** The trial: short tones over faint noise, as filters that look for likeness behave otherwise in silence; seconds. */
const APART_S = 0.5
const TONE_S = 0.04
const TONES = 6
/** The first tone comes this long after the beginning. */
const FIRST_S = 0.25
/** High enough for a short tone to be one, and low enough for every sample rate; Hz. */
const TONE_HZ = 1000
/** Bytes of a trial at a high rate, played slowly. */
const MAX_BYTES = 64 * 1024 * 1024

const known = new Map<string, Promise<number>>()

/** Where the energy of samples lies between two places, in samples; undefined where there is none. */
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
 * By how much filters give the sound late, on the average, seconds; negative where early. Builds and libraries differ, so it is
 * tried with the installed one, once per process.
 * @param filters complete filters, which may play it faster
 * @param factor how many times faster
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
