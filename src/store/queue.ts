import { shareOf } from './fair-share.ts'
import type { JobRecord, StoredTask } from './job-record.ts'

/** Limits for the number of unfinished jobs. */
export interface QueueLimits {
  /** For all owners. */
  places: number
  /** The part of the places left by others that this owner may use, 0 to 1; without it, all places. */
  share?: number
  /** The most for this owner in any case. */
  most?: number
}

/** The number of jobs that an owner may have, given the number of places used by others: at least one. */
export function allowedFor({ places, share, most = Number.POSITIVE_INFINITY }: QueueLimits, others: number): number {
  const part = share === undefined ? places : Math.max(1, Math.floor(shareOf(places, others, share)))
  return Math.min(most, part)
}

export interface SubmitOptions {
  limits: QueueLimits
  /** As in `Jobs.create`. */
  isUnique?: boolean
  /** As in `Jobs.create`. */
  mayBeLost?: boolean
}

/** What a job needs from the process that runs it. */
export interface JobNeeds {
  /** Tools: `image/resize`. */
  tools: readonly string[]
  /** Bundles whose models it may load. */
  bundles: readonly string[]
}

/** What a process does with jobs. */
export interface JobWork {
  /**
   * Runs one job, from its record to its end. Never rejects.
   * @param signal requests a stop, with a reason
   * @param isRepeated whether an earlier attempt was interrupted
   */
  run(id: string, signal: AbortSignal, isRepeated: boolean): Promise<void>
  /** Ends a job that cannot be run again, because it was interrupted too often. */
  giveUp(record: JobRecord): Promise<void>
  /** Tools that this version has: `image/resize`. */
  readonly tools: readonly string[]
  /** What a job needs from the process that runs it. */
  needsOf(task: StoredTask): JobNeeds
  /** Bundles whose models processes of this server have loaded. */
  loadedBundles(): readonly string[]
}

/** An unfinished job is given up after this many starts: it may crash the server each time it runs. */
export const MAX_ATTEMPTS = 2

export type JobListener = (record: JobRecord) => void

/**
 * Passes jobs from submitters to workers, and distributes progress events. The records are the truth: a queue that lost
 * its memory is filled again from them.
 */
export interface JobQueue {
  /**
   * Writes the record of a new job, and passes the job to a worker. The job is accepted when the promise resolves.
   * @throws CONCURRENCY_LIMIT when the owner's limit is reached, QUEUE_UNAVAILABLE when all slots are used; the errors of
   *   `Jobs.create`
   */
  submit(record: JobRecord, options: SubmitOptions): Promise<void>
  /** Registers how jobs are run in this process. */
  work(work: JobWork): void
  /** Takes up jobs that were interrupted, such as those of a former run. Submitted jobs do not wait for this. */
  takeUp(): Promise<void>
  /**
   * Stops a job and waits for its end. Returns false when it is not in the queue: it has ended, or was never submitted.
   */
  cancel(id: string, reason: Error): Promise<boolean>
  /** Waits until a job is not being run any more. */
  ended(id: string): Promise<void>
  /** Number of unfinished jobs. */
  size(): Promise<number>
  /** Notifies the listeners of a job's state. */
  publish(record: JobRecord): void
  /** Whether `listen` reports the present state as well, a moment later: then a caller with a recent one need not read it. */
  readonly reportsPresent: boolean
  /** Listens to changes of a job and to the end of the server. Returns a function that stops listening. */
  listen(id: string, listener: JobListener): () => void
  /** Listens for the next job with this client id. Returns a function that stops listening. */
  expect(clientJobId: string, listener: JobListener): () => void
  /**
   * Waits for the jobs that run in this process, at most the given number of milliseconds, then calls `late`, notifies all
   * listeners once more, and stops the rest, whose handlers return them to the queue.
   */
  close(ms: number, late: () => void): Promise<void>
}
