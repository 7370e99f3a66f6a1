import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'

/**
 * Runs `work` on every item, at most `limit` at a time, started in item order. Returns the results in that order.
 * @param goOn called before every start; when it returns false, nothing more is started, and missing results are
 * undefined
 * @throws the first error of `work`; nothing more is started then
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
 * Returns a function that runs work, at most `limit` calls at a time, for work that arrives over time. Other calls are
 * queued.
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
      // The next one takes over the slot.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Steps of synchronous work between two pauses. */
const STEPS_PER_TURN = 64

/**
 * Lets signals and timers run in the middle of synchronous work, such as looks at a hundred thousand files.
 * @param step its number, from 0; most return at once
 */
export async function letOthersRun(step: number): Promise<void> {
  if (step % STEPS_PER_TURN === 0) await setImmediate()
}

let jobsAtOnce = 0
let processesAtOnce = 0

/**
 * Announces that several jobs, in this process and others, share the cores, so that programs started by one of them use
 * only their share.
 * @param processes the number of processes they run in, if each has its own engines
 * @returns a function to call when they are done
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

/** The number of threads for a program: undefined (unlimited) if its job runs alone. */
export function threadsPerJob(): number | undefined {
  return jobsAtOnce > 1 ? Math.ceil(availableParallelism() / jobsAtOnce) : undefined
}

/**
 * The number of threads for an engine that the jobs of this process use one after the other, such as a loaded model: a
 * batch would not gain from fewer threads, but other processes use their share.
 */
export function threadsPerProcess(): number {
  return Math.max(1, Math.round(availableParallelism() / Math.max(1, processesAtOnce)))
}
