import type { Caller } from '../../accounts/caller.ts'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { SHARE } from '../../store/fair-share.ts'
import { isOver, type JobRecord } from '../../store/job-record.ts'
import type { Jobs, Workspace } from '../../store/jobs.ts'
import { clientIdUsed } from '../../store/memory/queue.ts'
import type { JobListener, JobQueue, QueueLimits } from '../../store/queue.ts'
import { catalogue } from '../../tool/registry.ts'
import type { InstanceSettings } from '../instance/settings.ts'
import { failed } from './failure.ts'
import { needsOf } from './needs.ts'
import { newRecord, type Submission } from './new-record.ts'
import { type JobRunner, NOTE_AFTER_MS } from './runner.ts'

/** Jobs removed concurrently. */
const MAX_REMOVALS = 16

interface Parts {
  jobs: Jobs
  workspace: Workspace
  queue: JobQueue
  runner: JobRunner
  settings: InstanceSettings
  concurrentJobs: number
  /** Maximum number of waiting jobs. */
  maxQueuedJobs: number
}

/** The end of a job whose record is gone: for those who wait for it. */
const withoutOutcome = (record: JobRecord): JobRecord => ({
  ...record,
  status: 'failed',
  ...failed(new MediaprocError('INTERRUPTED', 'The job was deleted, or a crash of the database lost it')),
})

/** Job operations of the routes: submit, wait, listen, cancel and remove. */
export class JobService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    const { runner } = parts
    parts.queue.work({
      run: (...job) => runner.run(...job),
      giveUp: (record) => runner.interrupted(record),
      tools: catalogue().map(({ section, id }) => `${section}/${id}`),
      needsOf,
      loadedBundles: () => runner.loadedBundles(),
    })
  }

  /** Number of unfinished jobs. */
  activeCount(): Promise<number> {
    return this.#parts.queue.size()
  }

  /** The server is stopping: unfinished jobs resume at the next start. */
  get isClosing(): boolean {
    return this.#parts.runner.isClosing
  }

  /** Limits for one more job of this user. Every user has a fair share of the queue. */
  async #limitsOf({ via }: Caller): Promise<QueueLimits> {
    const { settings, concurrentJobs, maxQueuedJobs } = this.#parts
    const most = await settings.number('maxConcurrentJobsPerUser', 0)
    const places = concurrentJobs + maxQueuedJobs
    return { places, ...(via !== 'nothing' && { share: SHARE }), ...(most > 0 && { most }) }
  }

  /**
   * Checks early that an id chosen by the client is free for a new job of this user.
   * @throws MediaprocError CONFLICT
   */
  async checkUnused({ userId }: Caller, chosen: string | undefined): Promise<void> {
    if (chosen === undefined) return
    const known = await this.#parts.jobs.named(chosen)
    if (known.some(({ ownerId }) => ownerId === userId)) throw clientIdUsed(chosen)
  }

  /**
   * Writes the record and starts the job. The job is accepted when the promise resolves: a restart then resumes it. If
   * the caller waits for the end, only the end is written, because most jobs end quickly; the record of a job that
   * takes longer, or is answered earlier, is written at that point.
   * @throws MediaprocError CONCURRENCY_LIMIT when the user has the maximum number of jobs, QUEUE_UNAVAILABLE, and for a
   *   batch CONFLICT when the client's id was used before
   */
  async submit(submission: Submission, { waitMs = 0 } = {}): Promise<JobRecord> {
    const { workspace, queue } = this.#parts
    // Other clients may follow the job by the client's own id, so that record is written from the start.
    const mayBeLost = waitMs > 0 && submission.clientJobId === undefined
    const task = { ...submission.task, ...(mayBeLost && { awaitedMs: waitMs }) }
    const record = newRecord({ ...submission, task })
    const { id, inputBytes } = record
    const limits = await this.#limitsOf(submission.caller)
    workspace.count(id, inputBytes)
    await queue.submit(record, { limits, isUnique: submission.type === 'batch', mayBeLost })
    queue.publish(record)
    if (waitMs > 0) setTimeout(() => void this.#noteWaiting(id), NOTE_AFTER_MS).unref()
    return record
  }

  /** Writes the record of a job that is still waiting; the runner does so for running jobs. */
  async #noteWaiting(id: string): Promise<void> {
    const record = await this.#parts.jobs.note(id, () => ({}))
    if (record?.status === 'queued') await this.#parts.runner.keep(id)
  }

  /** Takes up jobs that were interrupted, such as those of a former run. */
  resume(): Promise<void> {
    return this.#parts.queue.takeUp()
  }

  /** Listens to changes of a job and to the end of the server. Returns a function that stops listening. */
  listen(id: string, listener: JobListener): () => void {
    return this.#parts.queue.listen(id, listener)
  }

  /** Listens for the next job with this client id. Returns a function that stops listening. */
  expect(clientJobId: string, listener: JobListener): () => void {
    return this.#parts.queue.expect(clientJobId, listener)
  }

  /**
   * Reports the current state of a job, every change, and the end of the server. Returns a function that stops
   * listening.
   * @param listener is not called after the job is removed
   * @param recent a state of the job that was read, or written, just now
   */
  async follow(id: string, listener: JobListener, recent?: JobRecord): Promise<() => void> {
    // Listen before reading, so that no change is missed.
    const stop = this.listen(id, listener)
    try {
      const { jobs, queue } = this.#parts
      const record = recent && queue.reportsPresent ? recent : await jobs.get(id)
      if (record) listener(record)
      return stop
    } catch (error) {
      stop()
      throw error
    }
  }

  /**
   * Waits until a job meets a condition, ends, or the server stops, at most `ms` milliseconds. Returns the last known
   * state of the job.
   */
  async until(record: JobRecord, ms: number, isWanted: (record: JobRecord) => boolean): Promise<JobRecord> {
    let last = record
    return new Promise((resolve) => {
      let stop = (): void => {}
      let isDone = false
      const end = (): void => {
        isDone = true
        clearTimeout(timer)
        stop()
        resolve(last)
      }
      const timer = setTimeout(end, ms)
      const listener: JobListener = (now) => {
        if (isDone) return
        last = now
        if (isOver(now) || isWanted(now) || this.isClosing) end()
      }
      void this.follow(record.id, listener, record).then((stopNow) => {
        stop = stopNow
        if (isDone) stop()
      }, end)
    })
  }

  /**
   * Returns the record of a finished job; undefined when it does not end within `ms` milliseconds, or the server stops.
   * In that case the record is on disk, and a restart resumes the job.
   * @throws DISK_FULL when the record cannot be written; the job is then canceled
   */
  async settled(record: JobRecord, ms: number): Promise<JobRecord | undefined> {
    const last = await this.until(record, ms, () => false)
    if (isOver(last)) return last.error || last.result ? last : withoutOutcome(last)
    // A job without a waiting caller was written when it was submitted.
    if (ms === 0) return undefined
    const { jobs, queue } = this.#parts
    try {
      const now = await jobs.update(record.id, {})
      return isOver(now) ? now : undefined
    } catch (error) {
      await queue.cancel(record.id, toMediaprocError(error))
      throw error
    }
  }

  /** Cancels a job. Returns false when it has already ended. */
  async cancel({ id, type }: JobRecord): Promise<boolean> {
    if (!(await this.#parts.queue.cancel(id, new MediaprocError('CANCELED', 'Canceled')))) return false
    const record = await this.#parts.jobs.get(id)
    return record?.status === 'canceled' || record?.error?.code === 'CANCELED' || type === 'batch'
  }

  /** Removes a job with all its files; cancels it first if it has not ended. */
  async remove(id: string): Promise<void> {
    const { queue, jobs } = this.#parts
    await queue.cancel(id, new MediaprocError('CANCELED', 'Canceled'))
    // The cleanup of a finished job may still be running.
    await queue.ended(id)
    await jobs.remove(id)
  }

  /** Removes all jobs and uploads of a user. */
  async removeOwner(userId: string): Promise<void> {
    await mapConcurrently(await this.#parts.jobs.idsOf(userId), MAX_REMOVALS, (id) => this.remove(id))
  }

  /** Waits for running jobs, at most `ms` milliseconds; the others stay queued on disk for the next start. */
  async close(ms: number): Promise<void> {
    const { queue, runner } = this.#parts
    await queue.close(ms, () => runner.close())
  }
}
