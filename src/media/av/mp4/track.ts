import type { FileView } from '../../verify/file-view.ts'
import { expect, type RawStream } from '../doubt.ts'
import { readAac } from './aac.ts'
import { readH264 } from './h264.ts'
import { creationTime, languageOf, plainText } from './labels.ts'
import { type MediaData, readSamples, type Samples } from './samples.ts'
import { type Branch, only, optional } from './tree.ts'

/** What tracks refer to. */
interface Surroundings {
  file: FileView
  media: MediaData
  /** Of the movie, in which edit lists count. */
  ticksPerS: number
}

export interface Track {
  /** As ffprobe reports it, without its index. */
  stream: RawStream
  samples: Samples
  ticksPerS: number
  /** When it starts, from the start of the file, and how long it plays at most. */
  startTicks: number
  ticks: number
}

/** Neither turned nor mirrored: 16.16 fixed point, the last column 2.30. */
const UPRIGHT = '00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000'.replaceAll(' ', '')
const NORMAL_RATE = 0x10000
/** Samples before the audio begins: encoder delay. More are dropped whole. */
const MAX_DELAY = 4096

/** Reads a track of H.264 or AAC. @throws Doubt for others */
export function readTrack(track: Branch, around: Surroundings): Track {
  const header = only(track, 'tkhd').body
  expect(header[0] === 0 && header.toString('hex', 40, 76) === UPRIGHT)
  const media = only(track, 'mdia')
  const mediaHeader = only(media, 'mdhd').body
  expect(mediaHeader[0] === 0)
  const handler = only(media, 'hdlr').body
  const kind = handler.toString('latin1', 8, 12)
  expect(kind === 'vide' || kind === 'soun')
  const tables = only(media, 'minf', 'stbl')
  const ticksPerS = mediaHeader.readUInt32BE(12)
  expect(ticksPerS > 0)
  const samples = readSamples(tables, around.media)
  const { startTicks, ticks } = playedTicks(track, samples, { ticksPerS, isSound: kind === 'soun', around })
  const mediaTicks = Math.min(mediaHeader.readUInt32BE(16), samples.times.ticks)
  const facts = kind === 'vide' ? readH264(tables, header, around.file, samples) : readAac(tables, ticksPerS)
  const stream = {
    ...facts,
    ...(kind === 'vide' && ratesOf(samples, ticksPerS)),
    start_time: shownTime(startTicks, ticksPerS),
    duration: shownTime(Math.min(mediaTicks, ticks), ticksPerS),
    disposition: { default: (header.readUInt32BE(0) & 1) === 1 ? 1 : 0 },
    tags: {
      ...facts.tags,
      ...creationTime(mediaHeader),
      language: languageOf(mediaHeader.readUInt16BE(20)),
      ...nameOf(handler.subarray(24)),
    },
  }
  return { stream, samples, ticksPerS, startTicks, ticks }
}

/** ffprobe prints seconds with six decimals. */
const shownTime = (ticks: number, ticksPerS: number): string => (ticks / ticksPerS).toFixed(6)

function nameOf(bytes: Buffer): { handler_name?: string } {
  const name = bytes.subarray(0, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0))
  return name.length > 0 ? { handler_name: plainText(name) } : {}
}

/**
 * When a track starts and how long it plays, in its own ticks.
 * @throws Doubt for edit lists that repeat, omit or stretch parts, or start inside of the first frames
 */
function playedTicks(
  track: Branch,
  { firstShownTicks }: Samples,
  { ticksPerS, isSound, around }: { ticksPerS: number; isSound: boolean; around: Surroundings },
): { startTicks: number; ticks: number } {
  const edits = optional(track, 'edts')
  if (!edits) {
    expect(firstShownTicks === 0)
    return { startTicks: 0, ticks: Infinity }
  }
  const list = only(edits, 'elst').body
  const entries = list.readUInt32BE(4)
  expect(list[0] === 0 && (entries === 1 || entries === 2) && list.length === 8 + 12 * entries)
  const scaled = (at: number): number => Math.round((list.readUInt32BE(at) * ticksPerS) / around.ticksPerS)
  const at = 8 + 12 * (entries - 1)
  const [from, rate] = [list.readInt32BE(at + 4), list.readUInt32BE(at + 8)]
  expect(isSound ? from >= 0 && from <= MAX_DELAY : from === firstShownTicks)
  expect(rate === NORMAL_RATE && scaled(at) > 0)
  // The first of two entries delays the start.
  expect(entries === 1 || list.readInt32BE(12) === -1)
  return { startTicks: entries === 1 ? 0 : scaled(8), ticks: scaled(at) }
}

/** @throws Doubt for variable rates, which ffprobe estimates */
function ratesOf({ times }: Samples, ticksPerS: number): Partial<RawStream> {
  const { count, ticks, runs, firstTicks, lastCount } = times
  expect(runs === 1 || (runs === 2 && lastCount === 1))
  const [mean, total] = reduced(ticksPerS * count, ticks)
  return {
    r_frame_rate: `${ticksPerS}/${firstTicks}`,
    avg_frame_rate: `${mean}/${total}`,
    nb_frames: String(count),
  }
}

const MAX_INT = 2 ** 31 - 1

/** Divides by the greatest common divisor. @throws Doubt for numbers that ffmpeg rounds */
function reduced(numerator: number, denominator: number): [number, number] {
  let [divisor, rest] = [numerator, denominator]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  expect(divisor > 0 && numerator / divisor <= MAX_INT && denominator / divisor <= MAX_INT)
  return [numerator / divisor, denominator / divisor]
}
