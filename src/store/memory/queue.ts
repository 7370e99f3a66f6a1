import { MediaprocError } from '../../errors.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { Jobs } from '../jobs.ts'
import {
  allowedFor,
  type JobListener,
  type JobQueue,
  type JobWork,
  MAX_ATTEMPTS,
  type QueueLimits,
  type SubmitOptions,
} from '../queue.ts'
import { Listeners } from './listeners.ts'

interface QueuedJob {
  id: string
  ownerId: string | null
}

interface Running extends QueuedJob {
  stop: AbortController
  ended: Promise<void>
  /** Cleanup may still be running at that point. */
  isOver: boolean
}

/** Queue of a server that runs its own jobs: all are started at once, because the pool has its own queue. */
export class LocalQueue implements JobQueue {
  readonly reportsPresent = false
  readonly #jobs: Pick<Jobs, 'create' | 'get' | 'note' | 'unfinished'>
  readonly #admitted = new Map<string, QueuedJob>()
  readonly #running = new Map<string, Running>()
  readonly #listeners = new Listeners()
  readonly #expected = new Listeners()
  #work: JobWork | undefined

  constructor(jobs: Pick<Jobs, 'create' | 'get' | 'note' | 'unfinished'>) {
    this.#jobs = jobs
  }

  get #size(): number {
    return this.#admitted.size + this.#running.size
  }

  async submit(record: JobRecord, { limits, ...how }: SubmitOptions): Promise<void> {
    const { id, ownerId } = record
    this.#checkLimits(ownerId, limits)
    // From here on other callers see it: nothing was awaited since the check.
    this.#admitted.set(id, { id, ownerId })
    try {
      await this.#jobs.create(record, how)
      this.#start(record)
    } finally {
      this.#admitted.delete(id)
    }
  }

  #checkLimits(ownerId: string | null, limits: QueueLimits): void {
    const active = [...this.#running.values()].filter((one) => !one.isOver)
    const own = [...this.#admitted.values(), ...active].filter((one) => one.ownerId === ownerId).length
    const limit = allowedFor(limits, this.#size - own)
    if (own >= limit && own > 0) throw tooManyJobs(own, limit)
    if (this.#size >= limits.places) throw queueIsFull(this.#size)
  }

  #start({ id, ownerId }: QueuedJob, isRepeated = false): void {
    const stop = new AbortController()
    const ended = this.#work!.run(id, stop.signal, isRepeated).finally(() => {
      this.#running.delete(id)
      this.#listeners.forget(id)
    })
    this.#running.set(id, { id, ownerId, stop, ended, isOver: false })
  }

  work(work: JobWork): void {
    this.#work = work
  }

  async takeUp(): Promise<void> {
    for (const record of await this.#jobs.unfinished()) {
      // The installer resumes installs.
      if (record.type === 'install') continue
      if (record.attempts >= MAX_ATTEMPTS || !record.task) await this.#work!.giveUp(record)
      else {
        await this.#jobs.note(record.id, () => ({ status: 'queued' }))
        this.#start(record, true)
      }
    }
  }

  async cancel(id: string, reason: Error): Promise<boolean> {
    const running = this.#running.get(id)
    if (!running || running.isOver) return false
    running.stop.abort(reason)
    await running.ended
    return true
  }

  async ended(id: string): Promise<void> {
    await this.#running.get(id)?.ended
  }

  async size(): Promise<number> {
    return this.#size
  }

  publish(record: JobRecord): void {
    const running = this.#running.get(record.id)
    if (running && isOver(record)) running.isOver = true
    this.#listeners.notify(record.id, record)
    if (record.clientJobId !== null && record.status === 'queued') this.#expected.notify(record.clientJobId, record)
  }

  listen(id: string, listener: JobListener): () => void {
    return this.#listeners.add(id, listener)
  }

  expect(clientJobId: string, listener: JobListener): () => void {
    return this.#expected.add(clientJobId, listener)
  }

  async close(ms: number, late: () => void): Promise<void> {
    // Jobs of forms that were still being received when the shutdown began arrive later.
    const quiet = async (): Promise<void> => {
      while (this.#running.size > 0) await Promise.race([...this.#running.values()].map(({ ended }) => ended))
    }
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    const all = quiet()
    await Promise.race([all, over])
    clearTimeout(timer)
    late()
    for (const id of this.#running.keys()) {
      const record = await this.#jobs.get(id)
      if (record) this.publish(record)
    }
    for (const { stop } of this.#running.values()) stop.abort()
    await all
  }
}

/** An owner has as many jobs as allowed. */
export const tooManyJobs = (own: number, limit: number): MediaprocError =>
  new MediaprocError('CONCURRENCY_LIMIT', `${own} of your jobs are running; ${limit} are allowed`, {
    fields: { activeJobs: own, limit },
  })

export const queueIsFull = (jobs: number): MediaprocError =>
  new MediaprocError('QUEUE_UNAVAILABLE', `The queue is full: ${jobs} jobs are not over`)

export const clientIdUsed = (clientJobId: string | null): MediaprocError =>
  new MediaprocError('CONFLICT', `clientJobId ${clientJobId} was used before`)
