import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'
import { reportOf } from './report.ts'

interface MeasureOptions {
  signal: AbortSignal
  /** Complete filters applied before the measurement. */
  filters?: readonly string[]
  onProgress?: ProgressListener
}

/**
 * The peak sample level of the first audio stream, in dBFS, to a tenth: 0 is full scale.
 * @returns undefined when there are no samples
 */
export async function maxVolumeDb(
  source: AvSource,
  { signal, filters = [], onProgress }: MeasureOptions,
): Promise<number | undefined> {
  const said = await reportOf(source, [...filters, 'volumedetect'], signal, onProgress)
  const found = /max_volume: (-?[\d.]+|-inf) dB/.exec(said)?.[1]
  if (found === undefined) return undefined
  return found === '-inf' ? Number.NEGATIVE_INFINITY : Number(found)
}

/**
 * The peak sample level of the first audio stream, in dBFS. Above 0 for floating-point samples that exceed full scale,
 * which `maxVolumeDb` does not detect.
 * @returns undefined when there are no samples
 */
export async function peakDb(source: AvSource, { signal }: MeasureOptions): Promise<number | undefined> {
  // Without options, which ffmpeg only has since 4.2: reports each channel and the overall value.
  const said = await reportOf(source, ['astats'], signal)
  const levels = [...said.matchAll(/Peak level dB: (-?[\d.]+)/g)].map(([, level]) => Number(level))
  return levels.length === 0 ? undefined : Math.max(...levels)
}

/**
 * The maximum windowed RMS level of the first audio stream, in dBFS, of the loudest channel. A full-scale tone has -3.
 * @param windowS window length, seconds
 * @returns undefined when there are no samples
 */
export async function loudestMomentDb(
  source: AvSource,
  windowS: number,
  { signal, onProgress }: MeasureOptions,
): Promise<number | undefined> {
  const said = await reportOf(source, [`astats=length=${windowS}`], signal, onProgress)
  const levels = [...said.matchAll(/RMS peak dB: (-?[\d.]+|-inf)/g)].map(([, level]) =>
    level === '-inf' ? Number.NEGATIVE_INFINITY : Number(level),
  )
  return levels.length === 0 ? undefined : Math.max(...levels)
}
