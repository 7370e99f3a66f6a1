import { join } from 'node:path'
import { abilities } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { type Light, readLight } from '../../../engines/ffmpeg/light.ts'
import { toMediaprocError } from '../../../errors.ts'
import type { AvSource } from '../input/part.ts'
import { isHdr } from '../picture/hdr.ts'
import { type Edge, ENCODERS, encodeEdge } from './edge.ts'
import { freeIds, joinedSets, parameterSetsOf } from './parameter-sets.ts'
import { type CutPlan, type EncodedFrame, planCut } from './plan-cut.ts'
import { type Region, readRegion } from './region.ts'
import { checkJoined } from './verify-joined.ts'
import { type Joined, writeJoined } from './write-region.ts'

/** The video of a clip, or why it cannot be made by copying. */
export type SmartCut =
  | {
      /** A file with the video alone, which starts at 0. */
      path: string
      /** Where it starts and ends in the source, seconds: at frames. */
      startS: number
      endS: number
      /** Number of frames. */
      encoded: number
      copied: number
      /** Its parts have parameter sets of equal ids (HEVC). */
      isInBand: boolean
    }
  | { reason: string }

interface CutOptions {
  /** A private folder for intermediate files. */
  folder: string
  signal: AbortSignal
  progress(fraction: number): void
}

const CONTAINERS = /^(mov|matroska|mpegts)/

/** A build of 2018 applies time offsets of transport streams to one stream alone. */
const SYNCHRONOUS_YEAR = 2020

/** Why a video cannot be cut this way at all; undefined if it can be tried. */
async function obstacleOf({ info }: AvSource, stream: Stream): Promise<string | undefined> {
  const videos = info.streams.filter(({ type, isAttachedPicture }) => type === 'video' && !isAttachedPicture)
  if (stream.codec !== 'h264' && stream.codec !== 'hevc')
    return `only H.264 and HEVC video is cut this way, and this is ${stream.codec}`
  if (!CONTAINERS.test(info.format)) return 'only MP4, MOV, MKV and TS files are cut this way'
  if (videos.length > 1) return 'the file has several video tracks'
  if (stream.isInterlaced) return 'the video is interlaced'
  if (stream.hasOtherMatrix) return 'its display matrix is not known to turn the picture by quarters alone'
  if (stream.sideData?.some((name) => /DOVI|Dolby/i.test(name))) return 'the video has Dolby Vision metadata'
  const encoder = ENCODERS[stream.codec]
  const { encoders, year = SYNCHRONOUS_YEAR } = await abilities()
  if (info.format === 'mpegts' && year < SYNCHRONOUS_YEAR)
    return `the installed ffmpeg of ${year} would shift the audio of TS files`
  if (!encoders.has(encoder)) return `the installed ffmpeg has no encoder ${encoder}`
  return undefined
}

/**
 * Cuts a video exactly at both ends: the groups of pictures at the edges are encoded, all others copied. The result is
 * decoded around its joints before it is returned.
 * @param range seconds from the start of the source
 */
export async function smartCut(
  source: AvSource,
  stream: Stream,
  range: { startS: number; endS: number },
  options: CutOptions,
): Promise<SmartCut> {
  const reason = await obstacleOf(source, stream)
  if (reason) return { reason }
  try {
    const region = await readRegion(source, stream, range, options)
    if (!region) return { reason: 'frames of the video have no times' }
    try {
      options.progress(0.3)
      const plan = await planCut(region, range)
      return 'reason' in plan ? plan : await joinParts(source, region, plan, range, options)
    } finally {
      await region.close()
    }
  } catch (error) {
    const { code, message } = toMediaprocError(error)
    if (options.signal.aborted || code !== 'PROCESSING_FAILED') throw error
    return { reason: message }
  }
}

async function joinParts(
  source: AvSource,
  region: Region,
  plan: CutPlan,
  { endS }: { endS: number },
  { folder, signal, progress }: CutOptions,
): Promise<SmartCut> {
  const { codec, stream, timescale } = region
  const own = parameterSetsOf(codec, await firstUnits(region))
  if (own.sps.length === 0) return { reason: 'the parameter sets of the video were not found' }
  const light = (isHdr(stream) && (await readLight(source.path, stream.index, signal))?.light) || {}
  const ids = codec === 'h264' ? freeIds(own) : [0, 0]
  if (ids.length < 2) return { reason: 'the video uses all ids of parameter sets' }
  const edge = (frames: readonly EncodedFrame[], name: string, id = 0, of: Light = light) =>
    frames.length === 0
      ? { frames: [], sets: [] }
      : encodeEdge(region, own, frames, { id, light: of, folder, name, signal })
  const head = await edge(plan.head, 'head', ids[0])
  progress(0.5)
  const tail = await edge(plan.tail, 'tail', ids[1])
  if (!head || !tail) return { reason: 'frames at an edge cannot be decoded or encoded' }
  progress(0.7)
  const isInBand = codec === 'hevc' && plan.head.length + plan.tail.length > 0
  const sets = isInBand ? own : joinedSets(own, parameterSetsOf(codec, [...head.sets, ...tail.sets]))
  const joined: Joined[] = [
    ...encoded(head),
    ...plan.copied.map((packet, index) => ({ packet, isBroken: index === 0 && plan.head.length > 0 })),
    ...encoded(tail),
  ]
  const path = join(folder, 'joined.mp4')
  // ffmpeg writes the sets of the record before every key frame of a transport stream, also where others apply.
  const placement = !isInBand ? 'record' : source.info.format === 'mpegts' ? 'samples' : 'both'
  await writeJoined(path, region, joined, { sets, placement })
  progress(0.8)
  const problem = await checkJoined(path, region, plan, { sets: own, folder, signal })
  if (problem) return { reason: problem }
  const times = [...head.frames, ...plan.copied].map(({ time }) => time)
  const firstS = times.reduce((least, time) => Math.min(least, time)) / timescale
  const count = plan.head.length + plan.tail.length
  return { path, startS: Math.max(0, firstS), endS, encoded: count, copied: plan.copied.length, isInBand }
}

const encoded = ({ frames }: Edge): Joined[] => frames.map((frame, index) => ({ ...frame, isKey: index === 0 }))

/** The units of the first key frames, until one of them has parameter sets. */
async function firstUnits(region: Region): Promise<Buffer[]> {
  for (const packet of region.packets) {
    if (!packet.isKey) continue
    const units = await region.units(packet)
    if (parameterSetsOf(region.codec, units).sps.length > 0) return units
  }
  return []
}
