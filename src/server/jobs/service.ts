import type { Caller } from '../../accounts/caller.ts'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { isOver, type JobRecord } from '../../store/job-record.ts'
import type { Jobs, Workspace } from '../../store/jobs.ts'
import type { JobListener, JobQueue } from '../../store/queue.ts'
import type { InstanceSettings } from '../instance/settings.ts'
import { shareOf } from '../library/fair-share.ts'
import { newRecord, type Submission } from './new-record.ts'
import { type JobRunner, NOTE_AFTER_MS } from './runner.ts'

/** Limits the attempts of a job that crashes the server each time it runs. */
const MAX_ATTEMPTS = 2

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

/** Job operations of the routes: submit, wait, listen, cancel and remove. */
export class JobService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.queue.work((id, signal) => parts.runner.run(id, signal))
  }

  get activeCount(): number {
    return this.#parts.queue.size
  }

  /** The server is stopping: unfinished jobs resume at the next start. */
  get isClosing(): boolean {
    return this.#parts.runner.isClosing
  }

  /** Reserves a slot for one more job of this user. Every user has a fair share of the queue. */
  async #takePlace(id: string, { userId, via }: Caller): Promise<void> {
    const { settings, queue, concurrentJobs, maxQueuedJobs } = this.#parts
    const most = await settings.number('maxConcurrentJobsPerUser', 0)
    const places = concurrentJobs + maxQueuedJobs
    const share = (others: number): number => {
      const own = via === 'nothing' ? places : Math.max(1, Math.floor(shareOf(places, others)))
      return Math.min(most || own, own)
    }
    await queue.admit({ id, ownerId: userId }, { places, share })
  }

  /**
   * Checks early that an id chosen by the client is free for a new job of this user.
   * @throws MediaprocError CONFLICT
   */
  async checkUnused({ userId }: Caller, chosen: string | undefined): Promise<void> {
    if (chosen === undefined) return
    const known = await this.#parts.jobs.named(chosen)
    if (known.some(({ ownerId }) => ownerId === userId))
      throw new MediaprocError('CONFLICT', `clientJobId ${chosen} was used before`)
  }

  /**
   * Writes the record and starts the job. The job is accepted when the promise resolves: a restart then resumes it. If
   * the caller waits for the end, only the end is written, because most jobs end quickly; the record of a job that
   * takes longer, or is answered earlier, is written at that point.
   * @throws MediaprocError CONCURRENCY_LIMIT when the user has the maximum number of jobs, QUEUE_UNAVAILABLE, and for a
   *   batch CONFLICT when the client's id was used before
   */
  async submit(submission: Submission, { isAwaited = false } = {}): Promise<JobRecord> {
    const { jobs, workspace, queue } = this.#parts
    const record = newRecord(submission)
    const { id, ownerId } = record
    await this.#takePlace(id, submission.caller)
    try {
      // Other clients may follow the job by the client's own id, so that record is written from the start.
      const mayBeLost = isAwaited && record.clientJobId === null
      await jobs.create(record, { isUnique: submission.type === 'batch', mayBeLost })
      workspace.count(id, record.inputBytes)
      await queue.enqueue({ id, ownerId })
    } catch (error) {
      await queue.leave(id)
      throw error
    }
    queue.publish(record)
    if (isAwaited) setTimeout(() => void this.#noteWaiting(id), NOTE_AFTER_MS).unref()
    return record
  }

  /** Writes the record of a job that is still waiting; the runner does so for running jobs. */
  async #noteWaiting(id: string): Promise<void> {
    const record = await this.#parts.jobs.note(id, () => ({}))
    if (record?.status === 'queued') await this.#parts.runner.keep(id)
  }

  /** Resumes the unfinished jobs of a former run of the server. */
  async resume(): Promise<void> {
    const { jobs, queue, runner } = this.#parts
    for (const record of await jobs.unfinished()) {
      // The installer resumes installs.
      if (record.type === 'install') continue
      if (record.attempts >= MAX_ATTEMPTS || !record.task) {
        await runner.interrupted(record)
        continue
      }
      await jobs.note(record.id, () => ({ status: 'queued' }))
      runner.resumes(record.id)
      await queue.enqueue(record)
    }
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
   */
  async follow(id: string, listener: JobListener): Promise<() => void> {
    // Listen before reading, so that no change is missed.
    const stop = this.listen(id, listener)
    try {
      const record = await this.#parts.jobs.get(id)
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
      void this.follow(record.id, (now) => {
        if (isDone) return
        last = now
        if (isOver(now) || isWanted(now) || this.isClosing) end()
      }).then((stopNow) => {
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
    if (isOver(last)) return last
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
    const { queue, jobs, runner } = this.#parts
    await queue.close(ms, async () => {
      runner.close()
      for (const id of queue.running()) {
        const record = await jobs.get(id)
        if (record) queue.publish(record)
      }
    })
  }
}
