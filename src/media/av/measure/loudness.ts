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
/** The relative gate, LU below the mean. */
const RELATIVE_GATE = 10

/** Loudness of a file and of its blocks, to combine several files. */
export interface BlockLoudness extends Loudness {
  /** Loudness of the gating blocks, LUFS: 0.4 s each, every 0.1 s; of longer audio those of the last three hours. */
  blocks: number[]
}

/** Measures the loudness of the first audio stream and of its gating blocks. @throws PROCESSING_FAILED */
export const loudnessOfBlocks = (
  source: AvSource,
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<BlockLoudness> => measured(source, [], 'info', signal, onProgress)

/**
 * The integrated loudness of several files played one after another, LUFS: the mean energy of all blocks above -70 LUFS
 * and above 10 LU below the mean of those (ITU-R BS.1770-4, annex 1). -Infinity when there are none.
 */
export function integratedOf(blocks: readonly number[]): number {
  const mean = (levels: readonly number[]): number =>
    10 * Math.log10(levels.reduce((sum, level) => sum + 10 ** (level / 10), 0) / levels.length)
  const heard = blocks.filter((level) => level > GATE)
  if (heard.length === 0) return Number.NEGATIVE_INFINITY
  const relative = mean(heard) - RELATIVE_GATE
  return mean(heard.filter((level) => level > relative))
}

/**
 * Measures the loudness of the first audio stream after the given filters.
 * @param filters complete filters applied before the measurement
 * @throws PROCESSING_FAILED when ffmpeg reports no values
 */
export const loudnessOf = (
  source: AvSource,
  filters: readonly string[],
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<Loudness> => measured(source, filters, 'verbose', signal, onProgress)

async function measured(
  source: AvSource,
  filters: readonly string[],
  frameLog: 'info' | 'verbose',
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<BlockLoudness> {
  const { durationS } = source.info
  const isShort = durationS !== undefined && durationS < MIN_LENGTH_S
  const loop = isShort ? [`aloop=loop=-1:size=${MAX_LOOP_SAMPLES}`, `atrim=end=${MIN_LENGTH_S}`] : []
  // Compared with loudnorm, ebur128 measures a 997 Hz tone of -20 dBFS at -20.0 LUFS, as the standard requires, and is
  // faster.
  const said = await reportOf(
    source,
    [...filters, ...loop, `ebur128=peak=true:framelog=${frameLog}`],
    signal,
    onProgress,
  )
  const summary = said.slice(said.lastIndexOf('Summary:'))
  const integrated = /I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]
  const truePeak = /Peak:\s+(-?[\d.]+|-inf) dBFS/.exec(summary)?.[1]
  if (integrated === undefined || truePeak === undefined)
    throw new MediaprocError('PROCESSING_FAILED', 'The loudness could not be measured')
  return {
    integrated: Number(integrated) <= GATE ? Number.NEGATIVE_INFINITY : Number(integrated),
    truePeak: truePeak === '-inf' ? Number.NEGATIVE_INFINITY : Number(truePeak),
    blocks: [...said.matchAll(/ M: *(-?[\d.]+) /g)].map(([, level]) => Number(level)),
  }
}
