import type { Loudness } from '../../../src/media/av/measure/loudness.ts'

/** Loudness that players reach with these tags, LUFS: ReplayGain 2.0, and EBU R 128 for Opus (RFC 7845, 5.2.1). */
const REFERENCE = { replayGain: -18, r128: -23 }

const TRACK_AND_ALBUM = ['TRACK', 'ALBUM'] as const

/** The gain that brings a loudness to the reference of ReplayGain, dB. */
export const gainDb = ({ integrated }: Loudness): number => REFERENCE.replayGain - integrated

/**
 * ReplayGain tags; for Opus those of R 128, in 1/256 dB, which replace any of ReplayGain.
 * @param album absent: album tags are removed, because they would describe another set of files
 */
export function replayGainTags(extension: string, track: Loudness, album?: Loudness): Record<string, string> {
  const isOpus = extension === 'opus'
  const entries = TRACK_AND_ALBUM.flatMap((scope) => {
    const loudness = scope === 'TRACK' ? track : album
    const gain = loudness && !isOpus ? `${gainDb(loudness).toFixed(2)} dB` : ''
    const peak = loudness && !isOpus ? (10 ** (loudness.truePeak / 20)).toFixed(6) : ''
    const r128 = loudness && isOpus ? String(Math.round((REFERENCE.r128 - loudness.integrated) * 256)) : ''
    return [
      [`REPLAYGAIN_${scope}_GAIN`, gain],
      [`REPLAYGAIN_${scope}_PEAK`, peak],
      [`R128_${scope}_GAIN`, r128],
    ]
  })
  return Object.fromEntries(entries)
}
