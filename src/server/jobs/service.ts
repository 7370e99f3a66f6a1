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

/** A job that ends the server each time it runs must not do so without end. */
const MAX_ATTEMPTS = 2

/** Jobs that are removed at the same time. */
const MAX_REMOVALS = 16

interface Parts {
  jobs: Jobs
  workspace: Workspace
  queue: JobQueue
  runner: JobRunner
  settings: InstanceSettings
  concurrentJobs: number
  /** Jobs that may wait. */
  maxQueuedJobs: number
}

/** What the routes do with jobs: send, wait for, listen to, cancel and remove them. */
export class JobService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    parts.queue.work((id, signal) => parts.runner.run(id, signal))
  }

  get activeCount(): number {
    return this.#parts.queue.size
  }

  /** The server stops: jobs that are not over go on at the next start. */
  get isClosing(): boolean {
    return this.#parts.runner.isClosing
  }

  /** Takes a place for one more job of this user, where there is one: of the queue everybody has a share. */
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
   * Whether an id that a client chose is free for a job of this user, as far as is known before it is sent.
   * @throws MediaprocError CONFLICT
   */
  async checkUnused({ userId }: Caller, chosen: string | undefined): Promise<void> {
    if (chosen === undefined) return
    const known = await this.#parts.jobs.named(chosen)
    if (known.some(({ ownerId }) => ownerId === userId))
      throw new MediaprocError('CONFLICT', `clientJobId ${chosen} was used before`)
  }

  /**
   * Writes the record and starts the work. The job is acknowledged when this settles: a restart takes it up again. Where the
   * caller waits for the end, most jobs are over in a moment, and their end is all that is written: what lasts longer, or is
   * answered before its end, is written then.
   * @throws MediaprocError CONCURRENCY_LIMIT when the user has as many jobs as are allowed, QUEUE_UNAVAILABLE, and of a
   *   batch CONFLICT when the client's id was used before
   */
  async submit(submission: Submission, { isAwaited = false } = {}): Promise<JobRecord> {
    const { jobs, workspace, queue } = this.#parts
    const record = newRecord(submission)
    const { id, ownerId } = record
    await this.#takePlace(id, submission.caller)
    try {
      // By the client's own id others may follow the job: it is known from the beginning.
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

  /** What is begun is noted by who runs it. */
  async #noteWaiting(id: string): Promise<void> {
    const record = await this.#parts.jobs.note(id, () => ({}))
    if (record?.status === 'queued') await this.#parts.runner.keep(id)
  }

  /** Takes up what a former run of the server left unfinished. */
  async resume(): Promise<void> {
    const { jobs, queue, runner } = this.#parts
    for (const record of await jobs.unfinished()) {
      // Installs are taken up by who installs.
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

  /** Hears of every change of a job from now on, and of the end of the server. Call the result to stop. */
  listen(id: string, listener: JobListener): () => void {
    return this.#parts.queue.listen(id, listener)
  }

  /** Hears of the next job that a client gives this id. Call the result to stop. */
  expect(clientJobId: string, listener: JobListener): () => void {
    return this.#parts.queue.expect(clientJobId, listener)
  }

  /**
   * Hears how a job stands now, and of every change, and of the end of the server. Call the result to stop.
   * @param listener is not called any more when the job is gone
   */
  async follow(id: string, listener: JobListener): Promise<() => void> {
    // Listened to first, so that no change falls in between.
    const stop = this.listen(id, listener)
    const record = await this.#parts.jobs.get(id)
    if (record) listener(record)
    return stop
  }

  /**
   * Waits until a job is as somebody wants it, or is over, or the server stops, at most `ms` milliseconds. Gives the job as
   * it was last heard of.
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
   * The record of a job that is over; undefined when it is not within `ms` milliseconds, or the server stops: from then on
   * a restart takes it up again.
   * @throws DISK_FULL where that cannot be written; the job is stopped then
   */
  async settled(record: JobRecord, ms: number): Promise<JobRecord | undefined> {
    const last = await this.until(record, ms, () => false)
    if (isOver(last)) return last
    // What nobody waits for was written when it came.
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

  /** Stops a job. False when it was over already. */
  async cancel({ id, type }: JobRecord): Promise<boolean> {
    if (!(await this.#parts.queue.cancel(id, new MediaprocError('CANCELED', 'Canceled')))) return false
    const record = await this.#parts.jobs.get(id)
    return record?.status === 'canceled' || record?.error?.code === 'CANCELED' || type === 'batch'
  }

  /** Removes a job with all its files; stops it where it is not over. */
  async remove(id: string): Promise<void> {
    const { queue, jobs } = this.#parts
    await queue.cancel(id, new MediaprocError('CANCELED', 'Canceled'))
    // One that is over may still be cleared away.
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
