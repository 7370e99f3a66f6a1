import { mainAudio } from '../../../engines/ffmpeg/ffprobe.ts'
import { mixdownFilters } from '../filters/channels.ts'
import type { AvSource } from '../input/part.ts'
import { onTime } from '../latency-compensation.ts'
import { type Loudness, loudnessOf } from './loudness.ts'

/** Targets for the result. */
interface LoudnessTarget {
  /** LUFS. */
  integrated: number
  /** Maximum, dBTP. */
  truePeak: number
}

/** A result this close to the target, LU, is accepted; the measurement itself is accurate to 0.1 LU. */
const TOLERANCE_LU = 0.2
/** Each round gets closer, because limited peaks no longer add to the loudness. */
const MAX_ROUNDS = 5
/** Limits what a limiter should do: more gain than this above the peaks, dB, would only distort. */
const MAX_LIMITED_DB = 18
/** Assumed for a stream with an unknown sample rate, Hz. */
const USUAL_RATE = 48_000

/** Measures the output of filters on the source. */
type Measure = (filters: readonly string[]) => Promise<Loudness>

type StepProgress = (fraction: number, phase?: string) => void

const volume = (gainDb: number): string => `volume=${gainDb.toFixed(2)}dB`

/** Look-ahead of the limiter, milliseconds. */
const ATTACK_MS = 5

/** Gain followed by a look-ahead limiter, whose latency is its look-ahead minus one sample. */
function limited(gainDb: number, limitDb: number, sampleRate: number): string[] {
  const limit = Math.max(0.0625, 10 ** (limitDb / 20))
  const limiter = `alimiter=limit=${limit.toFixed(4)}:attack=${ATTACK_MS}:release=50:level=false`
  return onTime([volume(gainDb), limiter], Math.floor((sampleRate * ATTACK_MS) / 1000) - 1)
}

/** Below this level above its last bit, dB, a stream contains only rounding noise. */
const ABOVE_ROUNDING_DB = 12
/** Bit depth assumed for lossy audio. */
const USUAL_BITS = 16
/** The peak level of quiet audio during measurement, dBTP: far above the gate of EBU R 128. */
const MEASURED_PEAK_DB = -20

/**
 * The loudness of a source, even if all of it is below the gate of EBU R 128 (-70 LUFS): it is then amplified for the
 * measurement. -Infinity only for digital silence and for audio that is no louder than its own rounding noise.
 */
async function loudnessOfQuiet(source: AvSource, mixdown: readonly string[], measure: Measure): Promise<Loudness> {
  const direct = await measure(mixdown)
  const { sampleBits = USUAL_BITS } = mainAudio(source.info)
  // One bit is 6.02 dB, and one bit is the sign.
  const roundingDb = -6.02 * (sampleBits - 1)
  if (Number.isFinite(direct.integrated) || direct.truePeak < roundingDb + ABOVE_ROUNDING_DB) return direct
  const raisedDb = MEASURED_PEAK_DB - direct.truePeak
  const { integrated, truePeak } = await measure([...mixdown, volume(raisedDb)])
  return { integrated: integrated - raisedDb, truePeak: truePeak - raisedDb }
}

/**
 * Filters that bring a source to a target loudness, based on a measurement. If the peaks leave headroom, a single gain
 * is applied to the whole file and nothing else changes. Peaks are limited only if they would exceed the maximum. Gain
 * and limit are then found by measuring the result, because inter-sample peaks pass the limiter and limiting reduces
 * the loudness.
 * @param mixdown filters that precede them in the command, so that the measured audio has the channels of the output
 * @returns the filters, the loudness they reach (-Infinity for silence, which is left unchanged), and their gain
 */
async function levelled(
  source: AvSource,
  target: LoudnessTarget,
  { mixdown, measure }: { mixdown: readonly string[]; measure: Measure },
): Promise<{ filters: string[]; reached: number; gainDb: number }> {
  const before = await loudnessOfQuiet(source, mixdown, measure)
  if (!Number.isFinite(before.integrated)) return { filters: [], reached: before.integrated, gainDb: 0 }
  let gainDb = target.integrated - before.integrated
  if (before.truePeak + gainDb <= target.truePeak)
    return { filters: [volume(gainDb)], reached: target.integrated, gainDb }
  const maxGainDb = target.truePeak - before.truePeak + MAX_LIMITED_DB
  const { sampleRate = USUAL_RATE } = mainAudio(source.info)
  let limitDb = target.truePeak
  let best: { filters: string[]; reached: Loudness } | undefined
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const filters = limited(Math.min(gainDb, maxGainDb), limitDb, sampleRate)
    const reached = await measure([...mixdown, ...filters])
    const missing = target.integrated - reached.integrated
    const excess = reached.truePeak - target.truePeak
    // Exceeding the peak limit is worse than missing the loudness by 0.1 LU.
    if (excess <= 0 && (!best || Math.abs(missing) < Math.abs(target.integrated - best.reached.integrated)))
      best = { filters, reached }
    if (excess <= 0 && (Math.abs(missing) <= TOLERANCE_LU || gainDb >= maxGainDb)) break
    limitDb -= Math.max(0, excess)
    gainDb += missing
  }
  if (best) return { filters: best.filters, reached: best.reached.integrated, gainDb }
  // No round stayed below the limit: apply only as much gain as the peaks allow.
  const roomDb = target.truePeak - before.truePeak
  return { filters: [volume(roomDb)], reached: before.integrated + roomDb, gainDb: roomDb }
}

/** EBU R 128 with the catalogue's target for speech and music on the web. */
const TARGET: LoudnessTarget = { integrated: -16, truePeak: -1.5 }
/** Results closer to the target than this, LU, cause no warning. */
const UNREPORTED_LU = 0.5
/** More gain than this, dB, makes background noise audible. */
const NOISY_GAIN_DB = 40

/** Share of the work of each measurement; the first one decides whether others are needed. */
const FIRST_SHARE = 0.4
const LATER_SHARE = (0.9 - FIRST_SHARE) / (MAX_ROUNDS + 1)

/** Runs the measurements of a source one after another and reports progress across all of them. */
function measurements(source: AvSource, signal: AbortSignal, progress: StepProgress) {
  let doneShare = 0
  return {
    done: () => doneShare,
    async measure(filters: readonly string[]): Promise<Loudness> {
      const [from, share] = [doneShare, doneShare === 0 ? FIRST_SHARE : LATER_SHARE]
      const loudness = await loudnessOf(source, filters, signal, (part) => progress(from + part * share, 'measuring'))
      doneShare = from + share
      progress(doneShare, 'measuring')
      return loudness
    },
  }
}

/**
 * Filters that bring a source to -16 LUFS with a true peak of at most -1.5 dBTP; warns when that is not possible.
 * @param audioOptions encoder options: any downmix they imply is applied before the measurement
 * @returns the filters and the share of the work done so far
 */
export async function levelledOrWarn(
  source: AvSource,
  audioOptions: readonly string[],
  { signal, warn, progress }: { signal: AbortSignal; warn(message: string): void; progress: StepProgress },
): Promise<{ filters: string[]; progressFrom: number }> {
  const mixdown = mixdownFilters(audioOptions, mainAudio(source.info).channels)
  const { measure, done } = measurements(source, signal, progress)
  const { filters, reached, gainDb } = await levelled(source, TARGET, { mixdown, measure })
  if (!Number.isFinite(reached)) warn('the audio is silent, so its loudness is unchanged')
  else if (Math.abs(reached - TARGET.integrated) > UNREPORTED_LU)
    warn(`the loudness is ${reached.toFixed(1)} LUFS and not ${TARGET.integrated}: more would distort the peaks`)
  else if (gainDb > NOISY_GAIN_DB)
    warn(`the audio is very quiet: it is raised by ${Math.round(gainDb)} dB, and its noise with it`)
  return { filters, progressFrom: done() }
}
