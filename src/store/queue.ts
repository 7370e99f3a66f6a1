import type { JobRecord } from './job-record.ts'

/** A job to be run. */
export interface QueuedJob {
  id: string
  ownerId: string | null
}

/** Limits for the number of unfinished jobs. */
export interface QueueLimits {
  /** For all owners. */
  places: number
  /** For this owner, given the number of slots used by others. */
  share(others: number): number
}

/** Runs one job, from its record to its end. The signal requests a stop, with a reason. */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<void>

export type JobListener = (record: JobRecord) => void

/**
 * Passes jobs from submitters to workers, and distributes progress events. Records are stored elsewhere: at a start,
 * unfinished jobs are enqueued again from their records.
 */
export interface JobQueue {
  /**
   * Reserves a slot for a job whose record is being written; `enqueue` or `leave` must follow.
   * @throws CONCURRENCY_LIMIT when the owner's limit is reached, QUEUE_UNAVAILABLE when all slots are used
   */
  admit(job: QueuedJob, limits: QueueLimits): Promise<void>
  /** Releases the slot. */
  leave(id: string): Promise<void>
  /** Enqueues a job. */
  enqueue(job: QueuedJob): Promise<void>
  /** Registers the handler that runs jobs in this process. */
  work(handler: JobHandler): void
  /**
   * Stops a job and waits for its end. Returns false when it is not in the queue: it has ended, or was never submitted.
   */
  cancel(id: string, reason: Error): Promise<boolean>
  /** Waits until a job is not being run any more. */
  ended(id: string): Promise<void>
  /** Number of unfinished jobs. */
  readonly size: number
  /** Notifies the listeners of a job's state. */
  publish(record: JobRecord): void
  /** Listens to changes of a job and to the end of the server. Returns a function that stops listening. */
  listen(id: string, listener: JobListener): () => void
  /** Listens for the next job with this client id. Returns a function that stops listening. */
  expect(clientJobId: string, listener: JobListener): () => void
  /** Ids of the jobs that are running in this process. */
  running(): string[]
  /**
   * Waits for running jobs, at most the given number of milliseconds, then calls `late` and stops the rest, whose
   * handlers return them to the queue.
   */
  close(ms: number, late: () => Promise<void>): Promise<void>
}
