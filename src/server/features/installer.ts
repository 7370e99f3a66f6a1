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
  /** Folder of this server's models. */
  modelsFolder: string
  isOffline: boolean
  log: FastifyBaseLogger
}

/** The requester, for the audit log. */
export interface Asker {
  userId: string
  username: string
  ip: string
}

/** Result of a request to install a bundle. */
export interface Asked {
  jobId: string
  /** Other installs are ahead in the queue. */
  queued: boolean
}

const busy = (): MediaprocError => new MediaprocError('CONFLICT', 'An install is running or waiting')

/**
 * Installs bundles one at a time, in the order of the requests. The job records are the queue: the next start resumes
 * the installs of a server that was stopped or killed, and keeps the files that were already downloaded.
 */
export class FeatureInstaller {
  readonly #parts: Parts
  readonly #waiting: JobRecord[] = []
  /** Why the last install of a bundle failed. */
  readonly #failures = new Map<string, string>()
  #asking: Promise<unknown> = Promise.resolve()
  #current: { record: JobRecord; stop: AbortController; ended: Promise<void> } | undefined
  /** An operation other than an install is changing the bundles. */
  #isExclusive = false
  #isClosing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The running or queued install of a bundle. */
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
   * Queues a bundle. A second request for the same bundle joins the existing job.
   * @throws MediaprocError OFFLINE, CONFLICT while another operation changes the bundles
   */
  ask(requirement: Requirement & { bundle: string }, asker: Asker): Promise<Asked> {
    // Serialized, so that two requests for the same bundle get the same job.
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

  /** Resumes the installs of a former run of the server. */
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

  /** Runs one install to completion. Never rejects. */
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
      this.#notify(await store.jobs.update(id, begun))
      this.#failures.delete(bundleId)
      // Users who may install have accepted the licences shown in the bundle list; no tier has non-commercial models.
      await install([task!], modelsFolder, {
        ...{ signal, acceptLicence: true },
        onProgress: (done, total, name) => void this.#progress(id, total > 0 ? done / total : 0, name).catch(() => {}),
        onWait: () => void this.#progress(id, 0, 'waiting for another process').catch(() => {}),
      })
      await this.#end(queued, { status: 'completed', percent: 100, result: { bundleId }, stage: null })
      await this.#note('FEATURE_INSTALLED', bundleId, queued)
    } catch (error) {
      // Resumed at the next start.
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
    this.#notify(record)
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
    if (record && isNews) this.#notify(record)
  }

  #notify(record: JobRecord): void {
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

  /** Cancels an install. Returns false when it has ended. */
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
   * Runs an operation while no install is running.
   * @throws MediaprocError CONFLICT while an install is running or queued
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

  /** Clears the failures of earlier installs. */
  forgetFailures(): void {
    this.#failures.clear()
  }

  /** The state of a bundle on this server. */
  stateOf(bundleId: string): ReturnType<typeof bundleState> {
    return bundleState(bundleId, this.#parts.modelsFolder)
  }

  /** Aborts the running install; the next start resumes it. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#current?.stop.abort(new MediaprocError('SHUTTING_DOWN'))
    await this.#current?.ended
  }
}
