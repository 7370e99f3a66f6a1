import type { AvSource } from '../part.ts'
import { reportOf } from './report.ts'

/**
 * The level of the loudest sample of the first audio stream, in dB of full scale, to a tenth: 0 is full scale.
 * @returns undefined where there are no samples at all
 */
export async function maxVolumeDb(source: AvSource, signal: AbortSignal): Promise<number | undefined> {
  const said = await reportOf(source, ['volumedetect'], signal)
  const found = /max_volume: (-?[\d.]+|-inf) dB/.exec(said)?.[1]
  if (found === undefined) return undefined
  return found === '-inf' ? Number.NEGATIVE_INFINITY : Number(found)
}
