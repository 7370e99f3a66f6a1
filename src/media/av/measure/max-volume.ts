import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import type { AvSource } from '../input/part.ts'
import { reportOf } from './report.ts'

interface MeasureOptions {
  signal: AbortSignal
  /** Complete filters that come before the measurement. */
  filters?: readonly string[]
  onProgress?: ProgressListener
}

/**
 * The level of the loudest sample of the first audio stream, in dB of full scale, to a tenth: 0 is full scale.
 * @returns undefined where there are no samples at all
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
 * The level of the loudest sample of the first audio stream, in dB of full scale. Above 0 for floating-point samples that
 * are louder than integers can be, which `maxVolumeDb` does not see.
 * @returns undefined where there are no samples at all
 */
export async function peakDb(source: AvSource, { signal }: MeasureOptions): Promise<number | undefined> {
  // Without options, which ffmpeg has since 4.2 only: it reports each channel, and all together.
  const said = await reportOf(source, ['astats'], signal)
  const levels = [...said.matchAll(/Peak level dB: (-?[\d.]+)/g)].map(([, level]) => Number(level))
  return levels.length === 0 ? undefined : Math.max(...levels)
}

/**
 * The level of the loudest moment of the first audio stream: the root mean square of a window, in dB of full scale, in
 * whichever channel it is highest. A tone of full scale has -3.
 * @param windowS length of a window, seconds
 * @returns undefined where there are no samples at all
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
