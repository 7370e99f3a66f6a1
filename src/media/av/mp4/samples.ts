import { expect } from '../doubt.ts'
import { readTimes, type SampleTimes } from './times.ts'
import { type Branch, only, optional } from './tree.ts'

/** The box with the samples, byte offsets in the file. */
export interface MediaData {
  start: number
  end: number
}

/** What the sample tables of a track state (ISO/IEC 14496-12, 8.6 and 8.7). */
export interface Samples {
  times: SampleTimes
  /** When the first sample is shown, from its decoding. */
  firstShownTicks: number
  /** Where the first one is in the file, and its bytes. */
  firstAt: number
  firstBytes: number
  /** Runs of the ticks from decoding to showing (`ctts`); undefined if every sample is shown when it is decoded. */
  delays: Buffer | undefined
  /** Numbers of the key frames (`stss`); undefined if every sample is one. */
  keys: Buffer | undefined
  /** Groups of samples, which can make others than those of `keys` starting points. */
  hasGroups: boolean
}

/** Reads the sample tables. @throws Doubt if they contradict each other, or samples are outside of the media data */
export function readSamples(tables: Branch, { start, end }: MediaData): Samples {
  const stts = only(tables, 'stts').body
  expect(stts.length === 8 + 8 * stts.readUInt32BE(4))
  const times = readTimes(stts)
  const sizes = only(tables, 'stsz').body
  const [sameBytes, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
  expect(sameBytes === 0 && count > 0 && sizes.length === 12 + 4 * count)
  expect(times.minTicks > 0 && times.count === count)
  const offsets = chunkOffsets(tables)
  expect(offsets.length > 0 && offsets.every((at) => at >= start + 8 && at < end))
  let bytes = 0
  for (let at = 12; at < sizes.length; at += 4) bytes += sizes.readUInt32BE(at)
  expect(bytes > 0 && bytes <= end - start)
  const delays = optional(tables, 'ctts')?.body
  return {
    times,
    firstShownTicks: delays ? delays.readInt32BE(12) : 0,
    ...{ firstAt: offsets[0] ?? 0, firstBytes: sizes.readUInt32BE(12) },
    ...{ delays, keys: optional(tables, 'stss')?.body, hasGroups: optional(tables, 'sbgp') !== undefined },
  }
}

function chunkOffsets(tables: Branch): number[] {
  const [narrow, wide] = [optional(tables, 'stco')?.body, optional(tables, 'co64')?.body]
  const table = narrow ?? wide
  expect(table !== undefined && !(narrow && wide))
  const bytes = narrow ? 4 : 8
  const entries = table.readUInt32BE(4)
  expect(table.length === 8 + bytes * entries)
  return Array.from({ length: entries }, (_, index) =>
    narrow ? narrow.readUInt32BE(8 + 4 * index) : Number(table.readBigUInt64BE(8 + 8 * index)),
  )
}
