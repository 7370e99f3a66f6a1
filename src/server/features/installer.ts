import type { FastifyBaseLogger } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { bundleState } from '../../models/bundles.ts'
import { install, type Requirement } from '../../models/install/install.ts'
import { isOver, type JobRecord } from '../../store/job-record.ts'
import type { JobQueue } from '../../store/queue.ts'
import type { AuditLog, Store } from '../../store/store.ts'
import { failed } from '../jobs/failure.ts'

interface Parts {
  store: Pick<Store, 'jobs' | 'workspace'> & { audit: AuditLog }
  queue: JobQueue
  /** Where the models of this instance are. */
  modelsFolder: string
  isOffline: boolean
  log: FastifyBaseLogger
}

/** Who asked for something, for the audit log. */
export interface Asker {
  userId: string
  username: string
  ip: string
}

/** What an install of a bundle is answered. */
export interface Asked {
  jobId: string
  /** Others are before it. */
  queued: boolean
}

const busy = (): MediaprocError => new MediaprocError('CONFLICT', 'An install is running or waiting')

/**
 * Installs bundles for the instance, one after the other, in the order asked. The records of the jobs are the queue: what
 * a stopped or killed server leaves is taken up at the next start, and what was fetched is not fetched again.
 */
export class FeatureInstaller {
  readonly #parts: Parts
  readonly #waiting: JobRecord[] = []
  /** Why the last install of a bundle failed. */
  readonly #failures = new Map<string, string>()
  #asking: Promise<unknown> = Promise.resolve()
  #current: { record: JobRecord; stop: AbortController; ended: Promise<void> } | undefined
  /** Something else changes the bundles. */
  #isExclusive = false
  #isClosing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The install of a bundle that is running or waits. */
  jobOf(bundleId: string): { record: JobRecord; isRunning: boolean } | undefined {
    const isOf = ({ install: task }: JobRecord): boolean => task?.bundle === bundleId
    if (this.#current && isOf(this.#current.record)) return { record: this.#current.record, isRunning: true }
    const record = this.#waiting.find(isOf)
    return record && { record, isRunning: false }
  }

  /** Why the last install of a bundle failed, if it did. */
  failureOf(bundleId: string): string | undefined {
    return this.#failures.get(bundleId)
  }

  /**
   * Puts a bundle into the queue. One that is there already is joined.
   * @throws MediaprocError OFFLINE, CONFLICT while the bundles are changed in another way
   */
  ask(requirement: Requirement & { bundle: string }, asker: Asker): Promise<Asked> {
    // One after the other, so that two who ask for the same bundle get the same job.
    const asked = this.#asking.then(() => this.#ask(requirement, asker))
    this.#asking = asked.catch(() => {})
    return asked
  }

  async #ask(requirement: Requirement & { bundle: string }, { userId, username, ip }: Asker): Promise<Asked> {
    const { store, isOffline } = this.#parts
    const known = this.jobOf(requirement.bundle)
    if (known) return { jobId: known.record.id, queued: !known.isRunning }
    if (isOffline)
      throw new MediaprocError('OFFLINE', 'This instance fetches no models', { hint: 'Import an archive.' })
    if (this.#isExclusive) throw busy()
    const { id } = await store.workspace.begin(userId)
    const record: JobRecord = {
      ...{ id, clientJobId: null, ownerId: userId, type: 'install', toolId: null, status: 'queued', percent: 0 },
      ...{ stage: null, createdAt: new Date().toISOString(), startedAt: null, completedAt: null, attempts: 0 },
      ...{ inputBytes: 0, outputs: [], result: null, error: null, expiresAt: null },
      install: { ...requirement, by: { username, ip } },
    }
    await store.jobs.create(record)
    this.#waiting.push(record)
    this.#next()
    return { jobId: id, queued: this.#current?.record.id !== id }
  }

  /** Takes up what a former run of the server left. */
  async resume(): Promise<void> {
    const { jobs } = this.#parts.store
    const left = (await jobs.unfinished()).filter(({ type }) => type === 'install')
    for (const record of left) this.#waiting.push(await jobs.update(record.id, { status: 'queued' }))
    this.#next()
  }

  #next(): void {
    const record = this.#current || this.#isExclusive || this.#isClosing ? undefined : this.#waiting.shift()
    if (!record) return
    const stop = new AbortController()
    const ended = this.#run(record, stop.signal).finally(() => {
      if (this.#current?.record.id === record.id) this.#current = undefined
      this.#next()
    })
    this.#current = { record, stop, ended }
  }

  /** Runs one install to its end. Never rejects. */
  async #run(queued: JobRecord, signal: AbortSignal): Promise<void> {
    const { store, modelsFolder, log } = this.#parts
    const { id, install: task } = queued
    const bundleId = task!.bundle
    try {
      const begun = {
        status: 'processing',
        startedAt: new Date().toISOString(),
        attempts: queued.attempts + 1,
      } as const
      this.#tell(await store.jobs.update(id, begun))
      this.#failures.delete(bundleId)
      // Users who may install have accepted what the list of bundles says of the licences; non-commercial models are in no tier.
      await install([task!], modelsFolder, {
        ...{ signal, acceptLicence: true },
        onProgress: (done, total, name) => void this.#progress(id, total > 0 ? done / total : 0, name).catch(() => {}),
        onWait: () => void this.#progress(id, 0, 'waiting for another process').catch(() => {}),
      })
      await this.#end(queued, { status: 'completed', percent: 100, result: { bundleId }, stage: null })
      await this.#note('FEATURE_INSTALLED', bundleId, queued)
    } catch (error) {
      // It goes on at the next start.
      if (this.#isClosing) return void (await store.jobs.update(id, { status: 'queued' }).catch(() => {}))
      const failure = failed(error).error!
      const isCanceled = failure.code === 'CANCELED'
      if (!isCanceled) this.#failures.set(bundleId, failure.message)
      if (failure.status >= 500) log.error({ err: error, bundleId }, 'a bundle could not be installed')
      await this.#end(queued, { status: isCanceled ? 'canceled' : 'failed', error: failure }).catch((lost: unknown) =>
        log.error({ err: lost, jobId: id }, 'the record of an install was lost'),
      )
    }
  }

  async #end({ id }: JobRecord, last: Partial<Omit<JobRecord, 'id'>>): Promise<void> {
    const { jobs, workspace } = this.#parts.store
    const record = await jobs.update(id, { ...last, completedAt: new Date().toISOString(), install: undefined })
    // A client that is notified of the end may request the state at once.
    this.#current = undefined
    this.#tell(record)
    await workspace.removeFiles(id)
    await jobs.settle(id, 0)
  }

  async #progress(id: string, fraction: number, stage: string): Promise<void> {
    if (this.#current?.record.id !== id) return
    const percent = Math.min(99, Math.floor(fraction * 100))
    let isNews = false
    const record = await this.#parts.store.jobs.note(id, (before) => {
      isNews = percent > before.percent || stage !== (before.stage ?? '')
      return isNews ? { percent: Math.max(before.percent, percent), stage: stage || null } : {}
    })
    if (record && isNews) this.#tell(record)
  }

  #tell(record: JobRecord): void {
    if (this.#current && !isOver(record)) this.#current.record = record
    this.#parts.queue.publish(record)
  }

  async #note(action: 'FEATURE_INSTALLED', bundleId: string, { ownerId, install: task }: JobRecord): Promise<void> {
    const { store, log } = this.#parts
    await store.audit
      .append({
        ...{ actorId: ownerId, actorUsername: task!.by.username, action, targetType: 'bundle', targetId: bundleId },
        ...{ details: { tier: task!.tier }, ipAddress: task!.by.ip },
      })
      .catch((error: unknown) => log.error({ err: error, action }, 'the audit log cannot be written'))
  }

  /** Stops an install. False when it is over. */
  async cancel({ id }: Pick<JobRecord, 'id'>): Promise<boolean> {
    const at = this.#waiting.findIndex((record) => record.id === id)
    const canceled = new MediaprocError('CANCELED', 'Canceled')
    if (at >= 0) {
      const [record] = this.#waiting.splice(at, 1)
      await this.#end(record!, { status: 'canceled', error: failed(canceled).error })
      return true
    }
    const current = this.#current
    if (current?.record.id !== id) return false
    current.stop.abort(canceled)
    await current.ended
    return true
  }

  /**
   * Does something that no install may run beside.
   * @throws MediaprocError CONFLICT while one runs or waits
   */
  async alone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#current || this.#waiting.length > 0 || this.#isExclusive) throw busy()
    this.#isExclusive = true
    try {
      return await work(new AbortController().signal)
    } finally {
      this.#isExclusive = false
      this.#next()
    }
  }

  /** Forgets why installs failed. */
  forgetFailures(): void {
    this.#failures.clear()
  }

  /** How a bundle of this instance stands. */
  stateOf(bundleId: string): ReturnType<typeof bundleState> {
    return bundleState(bundleId, this.#parts.modelsFolder)
  }

  /** Breaks off what runs; the next start takes it up. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#current?.stop.abort(new MediaprocError('SHUTTING_DOWN'))
    await this.#current?.ended
  }
}
