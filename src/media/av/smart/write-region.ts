import { lengthPrefixed, NAL, nalType } from './nal.ts'
import { configuration, isParameterSet, type ParameterSets, type Placement } from './parameter-sets.ts'
import type { Packet, Region } from './region.ts'
import { type Sample, writeMp4 } from './write-mp4.ts'

/** Frames as they are joined: packets of a region, or encoded units. */
export type Joined = { packet: Packet; isBroken?: boolean } | { time: number; units: readonly Buffer[]; isKey: boolean }

/** Writes packets of a region as a video whose first frame is shown at 0. */
export function writeRegion(
  path: string,
  region: Region,
  { sets, packets }: { sets: ParameterSets; packets: readonly Packet[] },
): Promise<void> {
  const joined = packets.map((packet) => ({ packet }))
  return writeJoined(path, region, joined, { sets, placement: 'record' })
}

/**
 * Writes joined frames as a video whose first frame is shown at 0.
 * @param options.placement where parameter sets are: those of HEVC parts have equal ids, and cannot all be in the record
 */
export async function writeJoined(
  path: string,
  region: Region,
  joined: readonly Joined[],
  { sets, placement }: { sets: ParameterSets; placement: Placement },
): Promise<void> {
  const { codec, stream, timescale } = region
  const times = joined.map((one) => ('packet' in one ? one.packet.time : one.time)).sort((a, b) => a - b)
  const [zero = 0] = times
  const isInBand = placement !== 'record'
  const record = configuration(codec, sets, stream, placement)
  const entry = codec === 'h264' ? 'avc1' : isInBand ? 'hev1' : 'hvc1'
  const lastDuration = durationOfLast(times, stream.frameRate, timescale)
  await writeMp4(path, { entry, record, timescale, lastDuration, stream }, samples())

  async function* samples(): AsyncGenerator<Sample> {
    for (const one of joined) {
      const isCopy = 'packet' in one
      const units = isCopy ? await region.units(one.packet) : one.units
      const kept = units.filter(
        (unit) => nalType(codec, unit) !== NAL[codec].aud && (isInBand || !isParameterSet(codec, unit)),
      )
      const broken = isCopy && one.isBroken ? kept.map(withBrokenLink) : kept
      const { time, isKey } = isCopy ? one.packet : one
      yield { data: lengthPrefixed(broken), time: time - zero, isKey }
    }
  }
}

/** The last frame is shown as long as the one before, or for a period of the frame rate. */
function durationOfLast(times: readonly number[], frameRate: number | undefined, timescale: number): number {
  const [before, last] = times.slice(-2)
  const period = frameRate ? timescale / frameRate : (last ?? 0) - (before ?? 0)
  return Math.max(1, Math.round(period || timescale / 25))
}

/**
 * A clean random access picture (CRA) after other video becomes a broken link access picture (ITU-T H.265, 3.14): decoders
 * then start over, as at the start of a file. The headers of their slices are equal.
 */
function withBrokenLink(unit: Buffer): Buffer {
  if (nalType('hevc', unit) !== NAL.hevc.cra) return unit
  const changed = Buffer.from(unit)
  changed[0] = ((changed[0] ?? 0) & 0x81) | (NAL.hevc.blaWithoutLeading << 1)
  return changed
}
