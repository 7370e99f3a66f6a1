/** What the table of times from each sample to the next one states (`stts`, ISO/IEC 14496-12, 8.6.1.2). */
export interface SampleTimes {
  /** Number of samples, and the ticks of all of them. */
  count: number
  ticks: number
  minTicks: number
  maxTicks: number
  /** Runs of samples that are the same time apart: their number, the time of the first one, and the samples of the last. */
  runs: number
  firstTicks: number
  lastCount: number
}

/**
 * Reads the table without a list of its runs, of which a file may state millions.
 * @param table the content of the box
 * @throws RangeError if the table is incomplete
 */
export function readTimes(table: Buffer): SampleTimes {
  const runs = table.readUInt32BE(4)
  if (8 + runs * 8 > table.length) throw new RangeError('The table ends outside of its box')
  const times = {
    count: 0,
    ticks: 0,
    minTicks: Number.POSITIVE_INFINITY,
    maxTicks: 0,
    runs,
    firstTicks: 0,
    lastCount: 0,
  }
  for (let at = 8; at < 8 + runs * 8; at += 8) {
    const [count, ticks] = [table.readUInt32BE(at), table.readUInt32BE(at + 4)]
    if (at === 8) times.firstTicks = ticks
    times.count += count
    times.ticks += count * ticks
    times.minTicks = Math.min(times.minTicks, ticks)
    times.maxTicks = Math.max(times.maxTicks, ticks)
    times.lastCount = count
  }
  return times
}
