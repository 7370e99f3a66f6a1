import { NAL, nalType } from './nal.ts'
import type { Packet, Region } from './region.ts'

/** A frame that is encoded: its time in the source, and its time in the result where that is another one. */
export interface EncodedFrame {
  time: number
  shownAt?: number
}

/** Which frames of a region are copied and which are encoded; in presentation order, or in decoding order if copied. */
export interface CutPlan {
  head: EncodedFrame[]
  copied: Packet[]
  tail: EncodedFrame[]
}

/** Times that users copy from a player are rounded to milliseconds. */
const ROUNDED_S = 0.002
/** A first frame that comes later than this is preceded by the one shown until then, seconds. */
const GAP_S = 0.06

const NO_JOINT = {
  h264: 'no key frame between its ends is an IDR picture, at which decoders can start over',
  hevc: 'there is no key frame between its ends',
}

/** Whether decoding can start at a key frame after other video: in H.264 only an IDR picture replaces parameter sets. */
async function isJoint(region: Region, packet: Packet): Promise<boolean> {
  const types = (await region.units(packet)).map((unit) => nalType(region.codec, unit))
  if (region.codec === 'h264') return types.includes(NAL.h264.idr)
  return types.some((type) => type >= NAL.hevc.firstIrap && type <= NAL.hevc.lastIrap)
}

/**
 * Divides a clip at key frames: the copied part starts at the first key frame in it and ends at the last one. Frames of
 * an open group that are shown before its key frame are encoded, because they also depend on the group before.
 * @returns a reason when nothing can be copied
 */
export async function planCut(
  region: Region,
  { startS, endS }: { startS: number; endS: number },
): Promise<CutPlan | { reason: string }> {
  const { packets, timescale } = region
  const [start, end] = [(startS - ROUNDED_S) * timescale, (endS - ROUNDED_S) * timescale]
  const inClip = packets.map(({ time }) => time).filter((time) => time >= start && time < end)
  const times = inClip.sort((a, b) => a - b)
  if (new Set(times).size < times.length) return { reason: 'frames of the video have equal times' }
  const keys = [...packets.entries()].filter(([, { isKey }]) => isKey)
  let first: number | undefined
  for (const [index, packet] of keys) {
    if (packet.time < start || packet.time >= end) continue
    // A clip may also start with a key frame at which nothing is joined.
    if (packet.time !== times[0] && !(await isJoint(region, packet))) continue
    first = index
    break
  }
  if (first === undefined) return { reason: NO_JOINT[region.codec] }
  const from = packets[first]?.time ?? 0
  // The end of the list is the end of the video if no frame follows the clip.
  const isWhole = packets.every(({ time }) => time < end)
  const ends = [...keys.map(([index]) => index), ...(isWhole ? [packets.length] : [])].filter((index) => index > first)
  const last = ends.findLast((index) => packets.slice(first, index).every(({ time }) => time < end))
  if (last === undefined) return { reason: 'it contains no whole group of pictures' }
  const copied = packets.slice(first, last).filter(({ time }) => time >= from)
  const copiedTimes = new Set(copied.map(({ time }) => time))
  const latest = copied.reduce((most, { time }) => Math.max(most, time), from)
  const others = times.filter((time) => !copiedTimes.has(time))
  if (others.some((time) => time > from && time < latest))
    return { reason: 'its frames are stored in an unusual order' }
  const head: EncodedFrame[] = others.filter((time) => time < from).map((time) => ({ time }))
  const shown = packets.map(({ time }) => time).filter((time) => time < start)
  if ((times[0] ?? 0) / timescale - startS > GAP_S && shown.length > 0)
    head.unshift({ time: shown.reduce((most, time) => Math.max(most, time)), shownAt: Math.round(startS * timescale) })
  return { head, copied, tail: others.filter((time) => time > latest).map((time) => ({ time })) }
}
