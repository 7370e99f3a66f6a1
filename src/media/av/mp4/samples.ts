import { expect } from './doubt.ts'
import { type Branch, only, optional } from './tree.ts'

/** A box with samples, byte offsets in the file. */
export interface MediaData {
  start: number
  end: number
}

/** What the sample tables of a track state (ISO/IEC 14496-12, 8.6 and 8.7). */
export interface Samples {
  count: number
  /** Of all samples together. */
  ticks: number
  /** Samples that are the same time apart. */
  runs: readonly { count: number; ticks: number }[]
  /** When the first sample is shown, from its decoding. */
  firstShownTicks: number
  /** Where the first one is in the file, and its bytes. */
  firstAt: number
  firstBytes: number
}

/** Reads the sample tables. @throws Doubt if they contradict each other, or samples are outside of the media data */
export function readSamples(tables: Branch, media: readonly MediaData[]): Samples {
  const runs = readRuns(only(tables, 'stts').body)
  const sizes = only(tables, 'stsz').body
  const [sameBytes, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
  expect(sameBytes === 0 && count > 0 && sizes.length === 12 + 4 * count)
  expect(runs.every(({ ticks }) => ticks > 0) && runs.reduce((sum, run) => sum + run.count, 0) === count)
  const offsets = chunkOffsets(tables)
  const inMedia = (at: number): boolean => media.some(({ start, end }) => at >= start + 8 && at < end)
  expect(offsets.length > 0 && offsets.every(inMedia))
  let bytes = 0
  for (let at = 12; at < sizes.length; at += 4) bytes += sizes.readUInt32BE(at)
  expect(bytes > 0 && bytes <= media.reduce((sum, { start, end }) => sum + end - start, 0))
  const shown = optional(tables, 'ctts')?.body
  return {
    ...{ count, runs, ticks: runs.reduce((sum, run) => sum + run.count * run.ticks, 0) },
    firstShownTicks: shown ? shown.readInt32BE(12) : 0,
    ...{ firstAt: offsets[0] ?? 0, firstBytes: sizes.readUInt32BE(12) },
  }
}

function readRuns(table: Buffer): { count: number; ticks: number }[] {
  const entries = table.readUInt32BE(4)
  expect(table.length === 8 + 8 * entries)
  return Array.from({ length: entries }, (_, index) => ({
    count: table.readUInt32BE(8 + 8 * index),
    ticks: table.readUInt32BE(12 + 8 * index),
  }))
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
