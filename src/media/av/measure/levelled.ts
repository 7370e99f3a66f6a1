import { audioStreams } from '../../../engines/ffmpeg/ffprobe.ts'
import { onTime } from '../on-time.ts'
import type { AvSource } from '../part.ts'
import { type Loudness, loudnessOf } from './loudness.ts'

/** What the result shall have. */
interface LoudnessTarget {
  /** LUFS. */
  integrated: number
  /** At most, dBTP. */
  truePeak: number
}

/** Nearer than this to the target, LU, is near enough; the measurement itself is good for a tenth. */
const TOLERANCE_LU = 0.2
/** Each round comes nearer, as what is limited no longer adds to the loudness. */
const MAX_ROUNDS = 5
/** A limiter is no cure for everything: more gain than this above the peaks, dB, would only distort. */
const MAX_LIMITED_DB = 18
/** What is assumed of a stream that does not say its sample rate, Hz. */
const USUAL_RATE = 48_000

const volume = (gainDb: number): string => `volume=${gainDb.toFixed(2)}dB`

/** How far the limiter looks ahead, milliseconds. */
const ATTACK_MS = 5

/** Gain, and a limiter that looks ahead; it gives the sound later by what it looks ahead, less a sample. */
function limited(gainDb: number, limitDb: number, sampleRate: number): string[] {
  const limit = Math.max(0.0625, 10 ** (limitDb / 20))
  const limiter = `alimiter=limit=${limit.toFixed(4)}:attack=${ATTACK_MS}:release=50:level=false`
  return onTime([volume(gainDb), limiter], Math.floor((sampleRate * ATTACK_MS) / 1000) - 1)
}

/**
 * Filters that bring a source to a loudness, measured first. Where the peaks leave room it is one gain for the whole
 * recording, which changes nothing else. Only where they would go over the limit they are limited; gain and limit are then
 * found by measuring what comes out, since peaks between the samples pass the limiter and what is limited is less loud.
 * @returns the filters, and the loudness that they reach; -Infinity for silence, which stays as it is
 */
async function levelled(
  source: AvSource,
  target: LoudnessTarget,
  signal: AbortSignal,
): Promise<{ filters: string[]; reached: number }> {
  const before = await loudnessOf(source, [], signal)
  if (!Number.isFinite(before.integrated)) return { filters: [], reached: before.integrated }
  let gainDb = target.integrated - before.integrated
  if (before.truePeak + gainDb <= target.truePeak) return { filters: [volume(gainDb)], reached: target.integrated }
  const maxGainDb = target.truePeak - before.truePeak + MAX_LIMITED_DB
  const { sampleRate = USUAL_RATE } = audioStreams(source.info)[0]!
  let limitDb = target.truePeak
  let best: { filters: string[]; reached: Loudness } | undefined
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const filters = limited(Math.min(gainDb, maxGainDb), limitDb, sampleRate)
    const reached = await loudnessOf(source, filters, signal)
    const missing = target.integrated - reached.integrated
    const excess = reached.truePeak - target.truePeak
    // A peak above the limit is worse than a tenth of loudness.
    if (excess <= 0 && (!best || Math.abs(missing) < Math.abs(target.integrated - best.reached.integrated)))
      best = { filters, reached }
    if (excess <= 0 && (Math.abs(missing) <= TOLERANCE_LU || gainDb >= maxGainDb)) break
    limitDb -= Math.max(0, excess)
    gainDb += missing
  }
  if (best) return { filters: best.filters, reached: best.reached.integrated }
  // No round kept the limit: only as much gain as the peaks leave room for.
  const roomDb = target.truePeak - before.truePeak
  return { filters: [volume(roomDb)], reached: before.integrated + roomDb }
}

/** EBU R 128 with the catalogue's target for speech and music on the web. */
const TARGET: LoudnessTarget = { integrated: -16, truePeak: -1.5 }
/** How far from the target nobody is told of it, LU. */
const UNTOLD_LU = 0.5

/** Filters that bring a source to -16 LUFS with a true peak of -1.5 dBTP at most; says where that cannot be. */
export async function levelledOrWarn(
  source: AvSource,
  { signal, warn }: { signal: AbortSignal; warn(message: string): void },
): Promise<string[]> {
  const { filters, reached } = await levelled(source, TARGET, signal)
  if (!Number.isFinite(reached)) warn('the recording is silent, so its loudness stays as it is')
  else if (Math.abs(reached - TARGET.integrated) > UNTOLD_LU)
    warn(`the loudness is ${reached.toFixed(1)} LUFS and not ${TARGET.integrated}: more would distort the peaks`)
  return filters
}
