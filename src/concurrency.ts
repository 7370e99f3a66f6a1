import { availableParallelism } from 'node:os'

/**
 * Does `work` on every item, at most `limit` of them at the same time, started in the order of the items. Gives the
 * results in that order.
 * @param goOn asked before every start; once it says no, nothing more is started, and results that are missing stay undefined
 * @throws what `work` throws first; then, too, nothing more is started
 */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]>
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
  goOn: () => boolean,
): Promise<(Result | undefined)[]>
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
  goOn: () => boolean = () => true,
): Promise<(Result | undefined)[]> {
  const results = new Array<Result | undefined>(items.length)
  const waiting = items.entries()
  let hasFailed = false
  const lane = async (): Promise<void> => {
    while (!hasFailed && goOn()) {
      const next = waiting.next()
      if (next.done) return
      const [index, item] = next.value
      try {
        results[index] = await work(item, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  return results
}

/**
 * Makes a function that runs work, at most `limit` pieces of it at the same time: for work that comes one by one. The others wait
 * in their order.
 */
export function limiter(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next one takes over the place.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

let jobsAtOnce = 0
let processesAtOnce = 0

/**
 * Says that a number of jobs, in this process and beside it, share the cores, so that a program which one of them starts
 * takes its part only.
 * @param processes how many processes they run in, where each has its own engines
 * @returns what says that they are done
 */
export function shareCores(jobs: number, processes = 0): () => void {
  jobsAtOnce += jobs
  processesAtOnce += processes
  let isOver = false
  return () => {
    if (isOver) return
    isOver = true
    jobsAtOnce -= jobs
    processesAtOnce -= processes
  }
}

/** How many threads a program takes: undefined, as many as it likes, where its job is alone. */
export function threadsPerJob(): number | undefined {
  return jobsAtOnce > 1 ? Math.ceil(availableParallelism() / jobsAtOnce) : undefined
}

/**
 * How many threads an engine takes that the jobs of this process use one after the other, as they do a loaded model: a
 * batch would gain nothing from a part of the cores, processes beside this one take theirs.
 */
export function threadsPerProcess(): number {
  return Math.max(1, Math.round(availableParallelism() / Math.max(1, processesAtOnce)))
}
