import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { mapConcurrently, shareCores } from '../concurrency.ts'
import { environmentNumber } from '../environment.ts'

/**
 * The default number of concurrent jobs: half the number of cores for multi-threaded engines, but two on two cores,
 * since a program that starts or reads leaves a core idle.
 */
export function defaultConcurrency(heavy: boolean): number {
  const configured = environmentNumber('CONCURRENT_JOBS')
  if (configured > 0) return Math.floor(configured)
  const cores = availableParallelism()
  // One more than cores: while one job reads or writes, another computes. More gain nothing and use memory (measured).
  return heavy ? Math.max(Math.min(2, cores), Math.floor(cores / 2)) : cores + 1
}

/** Batches from this size on run with limited memory growth. */
const MIN_LONG_BATCH = 16

/**
 * Keeps V8's young generation at its current size, 2 MiB when a server starts. V8 enlarges it to 16 during long work, so that
 * a batch of a thousand files would need a quarter more memory than one of a hundred; a batch spends its time in engines. For a
 * server, a small PNG to JPEG takes 0.82 times the processor time (bench/README.md): what it collects is then in the cache.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Runs `work` on every item, at most `concurrency` at a time, and returns the results in item order.
 * `work` must not throw; if `goOn` returns false, no more items are started (their results stay undefined).
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
