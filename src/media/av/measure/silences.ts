import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'
import { reportOf } from './report.ts'

/** A silence in seconds; without an end, it lasts to the end of the audio. */
export interface Silence {
  startS: number
  endS?: number
}

/**
 * Finds the silences in the first audio stream: all channels stay below a level.
 * @param limits.thresholdDb level, dBFS
 * @param limits.minSilenceS shorter ones are ignored, seconds
 */
export async function silencesOf(
  source: AvSource,
  { thresholdDb, minSilenceS }: { thresholdDb: number; minSilenceS: number },
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<Silence[]> {
  const filter = `silencedetect=noise=${thresholdDb}dB:duration=${minSilenceS}`
  const report = await reportOf(source, [filter], signal, onProgress)
  const silences: Silence[] = []
  for (const [, word, at] of report.matchAll(/silence_(start|end): (-?[\d.]+)/g)) {
    const last = silences.at(-1)
    if (word === 'start') silences.push({ startS: Math.max(0, Number(at)) })
    else if (last) last.endS = Number(at)
  }
  return silences
}
