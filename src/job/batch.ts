import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { mapConcurrently, shareCores } from '../concurrency.ts'
import { environmentNumber } from '../environment.ts'

/**
 * How many jobs run at the same time when nobody says: where engines use many threads themselves, half as many as cores, but
 * two where there are two, since a program that starts or reads leaves a core idle.
 */
export function defaultConcurrency(heavy: boolean): number {
  const configured = environmentNumber('CONCURRENT_JOBS')
  if (configured > 0) return Math.floor(configured)
  const cores = availableParallelism()
  // One more than cores: while one job reads or writes, another computes. More gain nothing and take memory (measured).
  return heavy ? Math.max(Math.min(2, cores), Math.floor(cores / 2)) : cores + 1
}

/** Batches from this size on are kept small in memory. */
const MIN_LONG_BATCH = 16

/**
 * Keeps the space for young objects at the size it has. V8 enlarges it as long as work goes on, so that a batch of a
 * thousand files would need a quarter more memory than one of a hundred (measured); a batch spends its time in engines.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Runs `work` on every item, at most `concurrency` at a time, and gives the results in the order of the items.
 * `work` must not throw; returning false from `goOn` starts no further items (those stay undefined in the result).
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, index: number) => Promise<Result>,
  goOn: () => boolean = () => true,
): Promise<(Result | undefined)[]> {
  if (items.length >= MIN_LONG_BATCH) keepHeapSmall()
  const done = shareCores(Math.min(concurrency, items.length))
  try {
    return await mapConcurrently(items, concurrency, work, goOn)
  } finally {
    done()
  }
}
