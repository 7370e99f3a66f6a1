import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { expGolomb, type JoinedCodec, NAL, nalType, unescaped } from './nal.ts'

/** The parameter sets of a video, without start codes; `vps` is empty in H.264. */
export interface ParameterSets {
  vps: Buffer[]
  sps: Buffer[]
  pps: Buffer[]
}

/** Whether a unit is a parameter set. */
export const isParameterSet = (codec: JoinedCodec, unit: Buffer): boolean => kindOf(codec, unit) !== undefined

function kindOf(codec: JoinedCodec, unit: Buffer): keyof ParameterSets | undefined {
  const { vps, sps, pps } = { vps: -1, ...NAL[codec] }
  const type = nalType(codec, unit)
  return type === vps ? 'vps' : type === sps ? 'sps' : type === pps ? 'pps' : undefined
}

/** The different parameter sets among units, in order. */
export function parameterSetsOf(codec: JoinedCodec, units: Iterable<Buffer>): ParameterSets {
  const sets: ParameterSets = { vps: [], sps: [], pps: [] }
  for (const unit of units) {
    const kind = kindOf(codec, unit)
    if (kind && !sets[kind].some((known) => known.equals(unit))) sets[kind].push(Buffer.from(unit))
  }
  return sets
}

/** All sets of one codec together. */
export const joinedSets = (one: ParameterSets, other: ParameterSets): ParameterSets => ({
  vps: [...one.vps, ...other.vps],
  sps: [...one.sps, ...other.sps],
  pps: [...one.pps, ...other.pps],
})

/** The highest id that x264 accepts for its sets. */
const MAX_ID = 31

/** Ids that no sequence or picture parameter set of an H.264 video has (ITU-T H.264, 7.3.2.1 and 7.3.2.2). */
export function freeIds({ sps, pps }: ParameterSets): number[] {
  const used = new Set([
    ...sps.map((unit) => expGolomb(unescaped(unit.subarray(0, 32)), 32).value),
    ...pps.map((unit) => expGolomb(unescaped(unit.subarray(0, 32)), 8).value),
  ])
  return Array.from({ length: MAX_ID }, (_, index) => index + 1).filter((id) => !used.has(id))
}

const CHROMA: readonly (readonly [RegExp, number])[] = [
  [/^gray/, 0],
  [/422/, 2],
  [/444|^gbr/, 3],
]

/** The chroma format and bits of a pixel format as both configuration records count them. */
function formatOf({ pixelFormat = 'yuv420p' }: Stream): { chroma: number; bits: number } {
  const chroma = CHROMA.find(([format]) => format.test(pixelFormat))?.[1] ?? 1
  return { chroma, bits: Number(/(10|12|14|16)(?:le|be)$/.exec(pixelFormat)?.[1] ?? 8) }
}

const sized = (unit: Buffer): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(unit.length)
  return Buffer.concat([length, unit])
}

/** Profiles whose record states the chroma format and the bits (ISO/IEC 14496-15, 5.3.3.1). */
const HIGH_PROFILES = new Set([100, 110, 122, 144, 244])

/** The record `avcC`: every set of the video, so that no sample needs one. */
function avcRecord({ sps, pps }: ParameterSets, stream: Stream): Buffer {
  const [, profile = 0, compatibility = 0] = sps[0] ?? []
  const level = Math.max(...sps.map((unit) => unit[3] ?? 0))
  const { chroma, bits } = formatOf(stream)
  const high = HIGH_PROFILES.has(profile) ? [0xfc | chroma, 0xf8 | (bits - 8), 0xf8 | (bits - 8), 0] : []
  return Buffer.concat([
    Buffer.from([1, profile, compatibility, level, 0xff, 0xe0 | sps.length]),
    ...sps.map(sized),
    Buffer.from([pps.length]),
    ...pps.map(sized),
    Buffer.from(high),
  ])
}

/** Where the parameter sets of HEVC are: only in the record, in the record and in samples, or only in samples. */
export type Placement = 'record' | 'both' | 'samples'

/** The record `hvcC`. */
function hevcRecord({ vps, sps, pps }: ParameterSets, stream: Stream, placement: Placement): Buffer {
  const { chroma, bits } = formatOf(stream)
  // After the header of two bytes and the ids: profile, compatibility, constraints and level.
  const general = unescaped((sps[0] ?? Buffer.alloc(0)).subarray(0, 32)).subarray(3, 15)
  const lists = Object.entries({ [NAL.hevc.vps]: vps, [NAL.hevc.sps]: sps, [NAL.hevc.pps]: pps }).filter(
    ([, units]) => units.length > 0 && placement !== 'samples',
  )
  return Buffer.concat([
    Buffer.from([1]),
    general,
    Buffer.from([0xf0, 0, 0xfc, 0xfc | chroma, 0xf8 | (bits - 8), 0xf8 | (bits - 8), 0, 0, 0x0f, lists.length]),
    ...lists.flatMap(([type, units]) => [
      Buffer.from([(placement === 'record' ? 0x80 : 0) | Number(type), 0, units.length]),
      ...units.map(sized),
    ]),
  ])
}

/** The configuration record of a sample entry (ISO/IEC 14496-15). H.264 has all sets in it. */
export const configuration = (codec: JoinedCodec, sets: ParameterSets, stream: Stream, placement: Placement): Buffer =>
  codec === 'h264' ? avcRecord(sets, stream) : hevcRecord(sets, stream, placement)
