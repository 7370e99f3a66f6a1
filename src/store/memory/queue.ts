import { MediaprocError } from '../../errors.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { JobHandler, JobListener, JobQueue, QueuedJob, QueueLimits } from '../queue.ts'
import { Listeners } from './listeners.ts'

interface Running extends QueuedJob {
  stop: AbortController
  ended: Promise<void>
  /** Cleanup may still be running at that point. */
  isOver: boolean
}

/** Queue of a server that runs its own jobs: all are started at once, because the pool has its own queue. */
export class LocalQueue implements JobQueue {
  readonly #admitted = new Map<string, QueuedJob>()
  readonly #running = new Map<string, Running>()
  readonly #listeners = new Listeners()
  readonly #expected = new Listeners()
  #handler: JobHandler | undefined

  async admit(job: QueuedJob, { places, share }: QueueLimits): Promise<void> {
    const active = [...this.#running.values()].filter((one) => !one.isOver)
    const own = [...this.#admitted.values(), ...active].filter(({ ownerId }) => ownerId === job.ownerId).length
    const limit = share(this.size - own)
    if (own >= limit && own > 0)
      throw new MediaprocError('CONCURRENCY_LIMIT', `${own} of your jobs are running; ${limit} are allowed`, {
        fields: { activeJobs: own, limit },
      })
    if (this.size >= places)
      throw new MediaprocError('QUEUE_UNAVAILABLE', `The queue is full: ${this.size} jobs are not over`)
    // From here on other callers see it: nothing was awaited since the check.
    this.#admitted.set(job.id, job)
  }

  async leave(id: string): Promise<void> {
    this.#admitted.delete(id)
  }

  async enqueue({ id, ownerId }: QueuedJob): Promise<void> {
    const stop = new AbortController()
    const ended = this.#handler!(id, stop.signal).finally(() => {
      this.#running.delete(id)
      this.#listeners.forget(id)
    })
    this.#running.set(id, { id, ownerId, stop, ended, isOver: false })
    this.#admitted.delete(id)
  }

  work(handler: JobHandler): void {
    this.#handler = handler
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

  get size(): number {
    return this.#admitted.size + this.#running.size
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

  running(): string[] {
    return [...this.#running.keys()]
  }

  async close(ms: number, late: () => Promise<void>): Promise<void> {
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
    await late()
    for (const { stop } of this.#running.values()) stop.abort()
    await all
  }
}
