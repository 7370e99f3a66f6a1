import { captureFfmpeg, ffmpegPath } from '../../../src/engines/ffmpeg/ffmpeg.ts'

/** Sample rate of the trial, and the sample at which its sound begins. */
const TRIED_RATE = 8000
const BEGINS_AT = 800
/** The filter works in steps of an eightieth of a second, and delays its output by two steps. */
const STEPS_PER_SECOND = 80
const LATE_STEPS = 2

const known = new Map<string, Promise<boolean>>()

/** Whether this build delays its output; detected by a trial, independent of the year that the build reports. */
async function isLate(signal: AbortSignal): Promise<boolean> {
  const sound = `aevalsrc=0.5*sin(2000*PI*t)*gte(n\\,${BEGINS_AT}):s=${TRIED_RATE}:d=0.2`
  const output = ['-af', 'afftdn=nr=6:nf=-50', '-f', 's16le', 'pipe:1']
  const bytes = await captureFfmpeg(['-f', 'lavfi', '-i', sound, ...output], { signal, maxOutput: 100_000 })
  const samples = new Int16Array(Uint8Array.from(bytes).buffer)
  const begins = samples.findIndex((value) => Math.abs(value) > 5000)
  return begins > BEGINS_AT + TRIED_RATE / STEPS_PER_SECOND
}

/** The delay of the installed ffmpeg's denoiser in samples; measured once per process and binary. */
export async function lagSamples(sampleRate: number, signal: AbortSignal): Promise<number> {
  const path = await ffmpegPath()
  let answer = known.get(path)
  if (!answer) {
    answer = isLate(signal)
    known.set(path, answer)
    answer.catch(() => known.delete(path))
  }
  return (await answer) ? LATE_STEPS * Math.floor(sampleRate / STEPS_PER_SECOND) : 0
}
