import type { JobRecord } from './job-record.ts'

/** A job that is to be worked on. */
export interface QueuedJob {
  id: string
  ownerId: string | null
}

/** How many jobs there may be that are not over. */
export interface QueueLimits {
  /** Of all owners. */
  places: number
  /** Of this owner, of whom so many others' places are taken. */
  share(others: number): number
}

/** Works on one job, from its record to its end. The signal says to stop, and why. */
export type JobHandler = (id: string, signal: AbortSignal) => Promise<void>

export type JobListener = (record: JobRecord) => void

/**
 * Jobs on their way from senders to workers, and their progress events. The records are
 * kept elsewhere: a job is put here again at a start when its record says that it is not over.
 */
export interface JobQueue {
  /**
   * Takes a place for a job that is being written down; `enqueue` or `leave` must follow.
   * @throws CONCURRENCY_LIMIT when the owner has all that he may, QUEUE_UNAVAILABLE when there is none at all
   */
  admit(job: QueuedJob, limits: QueueLimits): Promise<void>
  /** Gives the place back. */
  leave(id: string): Promise<void>
  /** Has a job worked on. */
  enqueue(job: QueuedJob): Promise<void>
  /** Works on jobs, here. */
  work(handler: JobHandler): void
  /** Stops a job and waits for its end. False when it is not here: it is over, or was never sent. */
  cancel(id: string, reason: Error): Promise<boolean>
  /** Waits until nobody works on a job. */
  ended(id: string): Promise<void>
  /** Jobs that are not over. */
  readonly size: number
  /** Tells who listens how a job stands. */
  publish(record: JobRecord): void
  /** Hears of every change of a job from now on, and of the end of the server. Call the result to stop. */
  listen(id: string, listener: JobListener): () => void
  /** Hears of the next job that a client gives this id. Call the result to stop. */
  expect(clientJobId: string, listener: JobListener): () => void
  /** Ids of the jobs that are worked on here. */
  running(): string[]
  /**
   * Waits for what is worked on, at most so many milliseconds, then calls `late` and stops the rest, whose handlers put it
   * back.
   */
  close(ms: number, late: () => Promise<void>): Promise<void>
}
