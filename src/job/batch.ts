import { availableParallelism } from 'node:os'
import { environmentNumber } from '../environment.ts'

/** How many jobs run at the same time when nobody says: engines that use many threads themselves get half the cores. */
export function defaultConcurrency(heavy: boolean): number {
  const configured = environmentNumber('CONCURRENT_JOBS')
  if (configured > 0) return Math.floor(configured)
  const cores = availableParallelism()
  return heavy ? Math.max(1, Math.floor(cores / 2)) : cores
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
  const results = new Array<Result | undefined>(items.length)
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length && goOn()) {
      const index = next
      next += 1
      results[index] = await work(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane))
  return results
}
