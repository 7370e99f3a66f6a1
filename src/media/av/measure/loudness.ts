import type { ProgressListener } from '../../../engines/ffmpeg/progress.ts'
import { MediaprocError } from '../../../errors.ts'
import type { AvSource } from '../input/part.ts'
import { reportOf } from './report.ts'

/** Loudness according to EBU R 128 (ITU-R BS.1770). */
export interface Loudness {
  /** Integrated loudness, LUFS, to a tenth; -Infinity when nothing is above the gate of -70 LUFS. */
  integrated: number
  /** True peak, dBTP, to a tenth. */
  truePeak: number
}

/** The gate measures blocks of 0.4 s, so shorter audio gives no result. It is looped for this many seconds. */
const MIN_LENGTH_S = 3
const MAX_LOOP_SAMPLES = 2 ** 31 - 1
/** The absolute gate, LUFS: the value `ebur128` reports when no block is louder. */
const GATE = -70

/**
 * Measures the loudness of the first audio stream after the given filters.
 * @param filters complete filters applied before the measurement
 * @throws PROCESSING_FAILED when ffmpeg reports no values
 */
export async function loudnessOf(
  source: AvSource,
  filters: readonly string[],
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<Loudness> {
  const { durationS } = source.info
  const isShort = durationS !== undefined && durationS < MIN_LENGTH_S
  const loop = isShort ? [`aloop=loop=-1:size=${MAX_LOOP_SAMPLES}`, `atrim=end=${MIN_LENGTH_S}`] : []
  // Compared with loudnorm, ebur128 measures a 997 Hz tone of -20 dBFS at -20.0 LUFS, as the standard requires, and is
  // faster.
  const said = await reportOf(source, [...filters, ...loop, 'ebur128=peak=true:framelog=verbose'], signal, onProgress)
  const summary = said.slice(said.lastIndexOf('Summary:'))
  const integrated = /I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]
  const truePeak = /Peak:\s+(-?[\d.]+|-inf) dBFS/.exec(summary)?.[1]
  if (integrated === undefined || truePeak === undefined)
    throw new MediaprocError('PROCESSING_FAILED', 'The loudness could not be measured')
  return {
    integrated: Number(integrated) <= GATE ? Number.NEGATIVE_INFINITY : Number(integrated),
    truePeak: truePeak === '-inf' ? Number.NEGATIVE_INFINITY : Number(truePeak),
  }
}
