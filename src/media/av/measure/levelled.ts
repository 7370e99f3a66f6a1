import { mainAudio } from '../../../engines/ffmpeg/ffprobe.ts'
import { layoutFilters, mixdownFilters } from '../filters/channels.ts'
import type { AvSource } from '../input/part.ts'
import { onTime } from '../latency-compensation.ts'
import { encodedLoudness, isLossy } from './encoded-loudness.ts'
import { type Loudness, loudnessOf } from './loudness.ts'

/** Targets for the result. */
export interface LoudnessTarget {
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

/** Measures the output of filters on the source, before and after the encoder; the same for lossless encoders. */
interface Measures {
  direct(filters: readonly string[]): Promise<Loudness>
  encoded(filters: readonly string[]): Promise<Loudness>
}

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
async function loudnessOfQuiet(
  source: AvSource,
  mixdown: readonly string[],
  measure: Measures['direct'],
): Promise<Loudness> {
  const direct = await measure(mixdown)
  const { sampleBits = USUAL_BITS } = mainAudio(source.info)
  // One bit is 6.02 dB, and one bit is the sign.
  const roundingDb = -6.02 * (sampleBits - 1)
  if (Number.isFinite(direct.integrated) || direct.truePeak < roundingDb + ABOVE_ROUNDING_DB) return direct
  const raisedDb = MEASURED_PEAK_DB - direct.truePeak
  const { integrated, truePeak } = await measure([...mixdown, volume(raisedDb)])
  return { integrated: integrated - raisedDb, truePeak: truePeak - raisedDb }
}

/** The filters that come closest to a target. */
interface Level {
  filters: string[]
  /** What they reach; -Infinity LUFS for silence, which is left unchanged. */
  reached: Loudness
  gainDb: number
}

/**
 * Filters that bring a source to a target loudness, based on a measurement. If the peaks leave headroom, a single gain
 * is applied to the whole file and nothing else changes. Peaks are limited only if they would exceed the maximum. Gain
 * and limit are then found by measuring the encoded result, because inter-sample peaks pass the limiter, lossy encoders
 * raise peaks, and both change the loudness.
 * @param mixdown filters that precede them in the command, so that the measured audio has the channels of the output
 * @param headroomDb peaks that stay this far below the maximum are not measured again
 */
async function levelled(
  source: AvSource,
  target: LoudnessTarget,
  { mixdown, measures, headroomDb }: { mixdown: readonly string[]; measures: Measures; headroomDb: number },
): Promise<Level> {
  const before = await loudnessOfQuiet(source, mixdown, measures.direct)
  if (!Number.isFinite(before.integrated)) return { filters: [], reached: before, gainDb: 0 }
  let gainDb = target.integrated - before.integrated
  const roomDb = target.truePeak - before.truePeak - gainDb
  const plain = { integrated: target.integrated, truePeak: before.truePeak + gainDb }
  if (roomDb >= headroomDb) return { filters: [volume(gainDb)], reached: plain, gainDb }
  const maxGainDb = target.truePeak - before.truePeak + MAX_LIMITED_DB
  const { sampleRate = USUAL_RATE } = mainAudio(source.info)
  let limitDb = target.truePeak
  let isLimited = roomDb < 0
  let best: Level | undefined
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const ownGainDb = Math.min(gainDb, maxGainDb)
    const filters = isLimited ? limited(ownGainDb, limitDb, sampleRate) : [volume(ownGainDb)]
    const reached = await measures.encoded([...mixdown, ...filters])
    const missing = target.integrated - reached.integrated
    if (isCloser(reached, best?.reached, target)) best = { filters, reached, gainDb: ownGainDb }
    const excess = reached.truePeak - target.truePeak
    if (excess <= 0 && (Math.abs(missing) <= TOLERANCE_LU || gainDb >= maxGainDb)) break
    if (isLimited) limitDb -= Math.max(0, excess)
    isLimited ||= excess > 0
    gainDb += missing
  }
  return best ?? { filters: [volume(gainDb)], reached: plain, gainDb }
}

/** Exceeding the peak limit is worse than missing the loudness. */
function isCloser(one: Loudness, best: Loudness | undefined, target: LoudnessTarget): boolean {
  if (!best) return true
  const excess = Math.max(0, one.truePeak - target.truePeak) - Math.max(0, best.truePeak - target.truePeak)
  if (excess !== 0) return excess < 0
  return Math.abs(one.integrated - target.integrated) < Math.abs(best.integrated - target.integrated)
}

/** EBU R 128 with the catalogue's target for speech and music on the web. */
export const TARGET: LoudnessTarget = { integrated: -16, truePeak: -1.5 }
/** Results closer to the target than this, LU, cause no warning. */
const UNREPORTED_LU = 0.5
/** More gain than this, dB, makes background noise audible. */
const NOISY_GAIN_DB = 40

/** Share of the work of each measurement; the first one decides whether others are needed. */
const FIRST_SHARE = 0.4
const LATER_SHARE = (0.9 - FIRST_SHARE) / (MAX_ROUNDS + 1)

/** Runs the measurements of a source one after another and reports progress across all of them. */
function measurements(source: AvSource, audioOptions: readonly string[], context: LevelContext) {
  const { signal, progress } = context
  let doneShare = 0
  const counted =
    (measure: (filters: readonly string[], onProgress: (part: number) => void) => Promise<Loudness>) =>
    async (filters: readonly string[]): Promise<Loudness> => {
      const [from, share] = [doneShare, doneShare === 0 ? FIRST_SHARE : LATER_SHARE]
      const loudness = await measure(filters, (part) => progress(from + part * share, 'measuring'))
      doneShare = from + share
      progress(doneShare, 'measuring')
      return loudness
    }
  const direct = counted((filters, onProgress) => loudnessOf(source, filters, signal, onProgress))
  const encoded = counted((filters, onProgress) =>
    encodedLoudness(source, [...filters, ...layoutFilters(audioOptions, mainAudio(source.info).channels)], {
      ...{ audioOptions, signal, onProgress },
      scratch: context.scratch,
    }),
  )
  return { done: () => doneShare, direct, encoded: isLossy(audioOptions) ? encoded : direct }
}

interface LevelContext {
  signal: AbortSignal
  scratch(): Promise<string>
  warn(message: string): void
  progress(fraction: number, phase?: string): void
}

/** Lossy encoders raise true peaks by less than this, dB: 2.4 is the most that was measured. */
const CODEC_HEADROOM_DB = 3

/**
 * Filters that bring a source to a loudness without exceeding a true peak, measured behind the encoder; warns when that
 * is not possible.
 * @param audioOptions encoder options: any downmix they imply is applied before the measurement
 * @returns the filters and the share of the work done so far
 */
export async function levelledOrWarn(
  source: AvSource,
  audioOptions: readonly string[],
  target: LoudnessTarget,
  context: LevelContext,
): Promise<{ filters: string[]; progressFrom: number }> {
  const mixdown = mixdownFilters(audioOptions, mainAudio(source.info).channels)
  const measures = measurements(source, audioOptions, context)
  const headroomDb = isLossy(audioOptions) ? CODEC_HEADROOM_DB : 0
  const { filters, reached, gainDb } = await levelled(source, target, { mixdown, measures, headroomDb })
  const { warn } = context
  const excessDb = reached.truePeak - target.truePeak
  if (!Number.isFinite(reached.integrated)) warn('the audio is silent, so its loudness is unchanged')
  else if (Math.abs(reached.integrated - target.integrated) > UNREPORTED_LU)
    warn(
      `the loudness is ${reached.integrated.toFixed(1)} LUFS and not ${target.integrated}: more would distort the peaks`,
    )
  else if (gainDb > NOISY_GAIN_DB)
    warn(`the audio is very quiet: it is raised by ${Math.round(gainDb)} dB, and its noise with it`)
  if (excessDb > 0)
    warn(
      `the true peak is ${reached.truePeak.toFixed(1)} dBTP and not ${target.truePeak}: the encoder raises it by ${excessDb.toFixed(1)} dB`,
    )
  return { filters, progressFrom: measures.done() }
}
