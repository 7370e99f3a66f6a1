import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { findTool } from '../../pipeline/find-tool.ts'
import type { Done, Task } from '../../pool/messages.ts'
import type { Pool } from '../../pool/pool.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { JobRecords } from '../../store/job-records.ts'
import { expiryOf } from '../result-age.ts'
import type { InstanceSettings } from '../settings.ts'
import { shareOf } from '../share.ts'
import { runBatch } from './batch.ts'
import { failureOf } from './failure.ts'
import { isOver } from './frames.ts'
import { type Listener, Listeners } from './listeners.ts'
import { newRecord, type Submission } from './new-record.ts'
import { packed, resultOf } from './results.ts'
import { shownSteps, stepFailure } from './steps.ts'

/** A job that ends the server each time it runs must not do so for ever. */
const MAX_ATTEMPTS = 2

/** Jobs that are removed at the same time. */
const MAX_REMOVALS = 16

/** A job that runs longer than this is noted as begun, milliseconds. */
const NOTE_START_MS = 250

/** Puts a finished result into the file library as the next version of an item; gives the new item's id. */
export type SaveVersion = (record: JobRecord, path: string, file: JobFile) => Promise<string>

interface Parts {
  records: JobRecords
  pool: Pool
  settings: InstanceSettings
  log: FastifyBaseLogger
  saveVersion: SaveVersion
  /** How long results are kept, in milliseconds; 0 for ever. */
  resultAgeMs(): Promise<number>
  /** Called when a job is over. */
  onEnd?(record: JobRecord, ms: number): void
  concurrentJobs: number
  /** Jobs that may wait. */
  maxQueuedJobs: number
}

interface Running {
  stop: AbortController
  ended: Promise<void>
}

/** Runs the jobs of the server: from the form that came in to the record that says how it ended. */
export class JobService {
  readonly #parts: Parts
  readonly #running = new Map<string, Running>()
  readonly #listeners = new Listeners()
  readonly #expected = new Listeners()
  /** Jobs of a former run of the server. */
  readonly #resumed = new Set<string>()
  /** Jobs that are being written down, before they run. */
  readonly #starting = new Map<string, Submission>()
  #closing = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** How many jobs of this user are not over. */
  activeOf(userId: string | null): number {
    const starting = [...this.#starting.values()].filter(({ caller }) => caller.userId === userId)
    const running = [...this.#running.keys()].filter((id) => {
      const record = this.#parts.records.get(id)
      // One that is over may still be cleared away.
      return record?.ownerId === userId && !isOver(record)
    })
    return starting.length + running.length
  }

  get activeCount(): number {
    return this.#starting.size + this.#running.size
  }

  /** The server stops: jobs that are not over go on at the next start. */
  get isClosing(): boolean {
    return this.#closing
  }

  /** Whether one more job of this user may begin, and wait: of the queue everybody has a share. */
  #checkPlace({ userId, via }: Caller, most: number): void {
    const { concurrentJobs, maxQueuedJobs } = this.#parts
    const activeJobs = this.activeOf(userId)
    const places = concurrentJobs + maxQueuedJobs
    const share = via === 'nothing' ? places : Math.max(1, Math.floor(shareOf(places, this.activeCount - activeJobs)))
    const limit = Math.min(most || share, share)
    if (activeJobs >= limit && activeJobs > 0)
      throw new MediaprocError('CONCURRENCY_LIMIT', `${activeJobs} of your jobs are running; ${limit} are allowed`, {
        fields: { activeJobs, limit },
      })
    if (this.activeCount >= places)
      throw new MediaprocError('QUEUE_UNAVAILABLE', `The queue is full: ${this.activeCount} jobs are not over`)
  }

  /**
   * Whether an id that a client chose is free for a job of this user.
   * @throws MediaprocError CONFLICT
   */
  checkUnused({ userId }: Caller, chosen: string | undefined): void {
    if (chosen === undefined) return
    const isTaken =
      this.#parts.records.named(chosen).some(({ ownerId }) => ownerId === userId) ||
      [...this.#starting.values()].some(({ caller, clientJobId }) => caller.userId === userId && clientJobId === chosen)
    if (isTaken) throw new MediaprocError('CONFLICT', `clientJobId ${chosen} was used before`)
  }

  /**
   * Writes the record and starts the work. The job is acknowledged when this settles: a restart takes it up again.
   * @throws MediaprocError CONCURRENCY_LIMIT when the user has as many jobs as are allowed, QUEUE_UNAVAILABLE, and of a
   *   batch CONFLICT when the client's id was used before
   */
  async submit(submission: Submission): Promise<JobRecord> {
    this.#checkPlace(submission.caller, await this.#parts.settings.number('maxConcurrentJobsPerUser', 0))
    if (submission.type === 'batch') this.checkUnused(submission.caller, submission.clientJobId)
    const record = newRecord(submission)
    // From here on others see it: between the look and the place nothing may be waited for.
    this.#starting.set(record.id, submission)
    try {
      await this.#parts.records.save(record)
      this.#parts.records.count(record.id, record.inputBytes)
      this.#start(record)
    } finally {
      this.#starting.delete(record.id)
    }
    if (record.clientJobId !== null) this.#expected.tell(record.clientJobId, record)
    return record
  }

  /** Takes up what a former run of the server left unfinished. */
  async resume(): Promise<void> {
    const unfinished = [...this.#parts.records.all()].filter((record) => !isOver(record) && record.type !== 'upload')
    unfinished.sort((a, b) => a.createdAt.localeCompare(b.createdAt))
    for (const record of unfinished) {
      if (record.attempts < MAX_ATTEMPTS && record.task) {
        record.status = 'queued'
        this.#resumed.add(record.id)
        this.#start(record)
      } else await this.#end(record, new MediaprocError('INTERRUPTED', 'The server was stopped while this ran'))
    }
  }

  #start(record: JobRecord): void {
    const stop = new AbortController()
    const ended = this.#run(record, stop.signal)
      .then(
        () => this.#end(record),
        (error: unknown) => this.#end(record, error),
      )
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error, jobId: record.id }, 'the record of a job was lost'),
      )
      .finally(() => {
        this.#running.delete(record.id)
        this.#resumed.delete(record.id)
        this.#listeners.forget(record.id)
      })
    this.#running.set(record.id, { stop, ended })
  }

  /** One task in a process of the pool; outputs go into a folder of the job's. */
  async #process(record: JobRecord, part: Partial<Task>, folder: string, signal: AbortSignal): Promise<Done> {
    const own = this.#parts.records.folderOf(record.id)
    const { kind, target, settings, steps, timeoutS, heavy } = record.task!
    const destination = join(own, folder)
    const common = { id: record.id, ownerKey: record.ownerId ?? '', destination, timeoutS, heavy }
    const what = kind === 'tool' ? { kind, target, settings } : { kind, steps: steps! }
    const done = this.#parts.pool.run({ ...common, ...what, ...part } as Task, {
      signal,
      // It was let in when it was acknowledged.
      isAdmitted: true,
      onStart: () => this.#began(record),
      ...(record.type !== 'batch' && {
        onProgress: (fraction: number, phase: string) => this.#progress(record, fraction, phase),
      }),
    })
    return done.catch((error: unknown) => {
      this.#noteOwnFault(record, error)
      throw stepFailure(error)
    })
  }

  /** Clients are not told what is wrong with the server: whoever runs it finds it in the log. */
  #noteOwnFault({ id, toolId }: JobRecord, error: unknown): void {
    const { code, message, detail } = toMediaprocError(error)
    if (code === 'INTERNAL' || code === 'INVALID_CONFIG')
      this.#parts.log.error(
        { jobId: id, toolId, code, error: message, detail },
        'a job failed by a fault of the server',
      )
  }

  async #run(record: JobRecord, signal: AbortSignal): Promise<void> {
    const { records } = this.#parts
    const own = records.folderOf(record.id)
    const { inputs, secondary } = record.task!
    const at = ({ file, name }: JobFile) => ({ path: join(own, file), name })
    if (record.type === 'batch') {
      await runBatch({
        record,
        folder: own,
        signal,
        concurrency: this.#parts.concurrentJobs,
        run: (input, folder) => this.#process(record, { inputs: [at(input)], secondary: {} }, folder, signal),
        changed: (isWorthSaving) => this.#changed(record, isWorthSaving),
      })
      return
    }
    const further = Object.fromEntries(Object.entries(secondary).map(([name, file]) => [name, at(file)]))
    const made = await this.#process(record, { inputs: inputs.map(at), secondary: further }, 'out', signal)
    const output = record.task!.kind === 'tool' ? findTool(record.task!.target).entry.output : undefined
    const result = await packed(made, own, 'out', output?.archive)
    const { files } = result
    record.outputs = [...files, ...result.members]
    const saved = record.library && files[0] ? await this.#save(record, join(own, files[0].file), files[0]) : {}
    const steps = made.steps ? { stepsCompleted: made.steps.length, steps: shownSteps(made.steps) } : {}
    record.result = { ...resultOf(record.id, made, result, record.inputBytes), ...steps, ...saved }
  }

  async #save(record: JobRecord, path: string, file: JobFile): Promise<Record<string, unknown>> {
    return { savedFileId: await this.#parts.saveVersion(record, path, file) }
  }

  #began(record: JobRecord): void {
    if (record.status !== 'queued') return
    record.status = 'processing'
    record.startedAt = new Date().toISOString()
    record.attempts += 1
    this.#tell(record)
    const note = (): void => {
      if (!isOver(record) && !this.#closing) void this.#saveIfPossible(record)
    }
    // Only a restart reads this, and most jobs are over by then. One that ended the server before may do so at once.
    if (this.#resumed.has(record.id)) note()
    else setTimeout(note, NOTE_START_MS).unref()
  }

  /** A state on the way that is not written costs some work after a crash, and is no reason to fail. */
  async #saveIfPossible(record: JobRecord): Promise<void> {
    await this.#parts.records
      .save(record)
      .catch((error: unknown) => this.#parts.log.warn({ err: error, jobId: record.id }, 'a job is not noted'))
  }

  #progress(record: JobRecord, fraction: number, phase: string): void {
    const percent = Math.min(99, Math.floor(fraction * 100))
    if (percent <= record.percent && phase === (record.stage ?? '')) return
    record.percent = Math.max(record.percent, percent)
    record.stage = phase || null
    this.#tell(record)
  }

  async #changed(record: JobRecord, isWorthSaving: boolean): Promise<void> {
    const members = record.members ?? []
    const settled = members.filter(({ state }) => state !== 'waiting').length
    record.percent = Math.min(99, Math.floor((settled / Math.max(1, members.length)) * 100))
    if (isWorthSaving) await this.#saveIfPossible(record)
    this.#tell(record)
  }

  /** The last state, on disk before anybody hears of it. */
  async #end(record: JobRecord, error?: unknown): Promise<void> {
    if (this.#closing && error !== undefined) return this.#putBack(record)
    const { records } = this.#parts
    if (error !== undefined) fail(record, error)
    const canceled = record.error?.code === 'CANCELED'
    record.status = record.error ? (canceled ? 'canceled' : 'failed') : 'completed'
    record.completedAt = new Date().toISOString()
    record.expiresAt = expiryOf(await this.#parts.resultAgeMs())
    if (record.status === 'completed') record.percent = 100
    const inputs = record.task ? [...record.task.inputs, ...Object.values(record.task.secondary)] : []
    // Settings may hold passwords: they are not kept longer than the work needs them.
    delete record.task
    await records.save(record).catch((failure: unknown) => this.#endUnsaved(record, failure))
    this.#tell(record)
    if (record.outputs.length === 0) await records.removeFiles(record.id)
    else for (const { file } of inputs) await records.removeFile(record.id, file)
    if (record.type === 'batch') await records.measure(record.id)
    else
      records.count(
        record.id,
        record.outputs.reduce((sum, { bytes }) => sum + bytes, 0),
      )
    this.#parts.onEnd?.(record, Date.parse(record.completedAt) - Date.parse(record.createdAt))
  }

  /** What a stopping server breaks off is taken up again at the next start, and does not count as begun. */
  async #putBack(record: JobRecord): Promise<void> {
    if (record.status === 'processing') record.attempts -= 1
    record.status = 'queued'
    await this.#saveIfPossible(record)
  }

  /** The last state could not be written: files of the job make room for it, and without its outputs it has failed. */
  async #endUnsaved(record: JobRecord, failure: unknown): Promise<void> {
    if (record.result) {
      fail(record, failure)
      record.status = 'failed'
    }
    await this.#parts.records.removeFiles(record.id)
    await this.#saveIfPossible(record)
  }

  #tell(record: JobRecord): void {
    this.#listeners.tell(record.id, record)
  }

  /** Hears of every change of a job from now on, and of the end of the server. Call the result to stop. */
  listen(id: string, listener: Listener): () => void {
    return this.#listeners.add(id, listener)
  }

  /** Hears of the next job that a client gives this id. Call the result to stop. */
  expect(clientJobId: string, listener: Listener): () => void {
    return this.#expected.add(clientJobId, listener)
  }

  /** Waits until a job is over, or the server stops, at most `ms` milliseconds. True when it is over. */
  async settled(record: JobRecord, ms: number): Promise<boolean> {
    if (isOver(record) || this.#closing) return isOver(record)
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        stop()
        resolve(isOver(record))
      }
      const stop = this.listen(record.id, () => {
        if (isOver(record) || this.#closing) end()
      })
      const timer = setTimeout(end, ms)
    })
  }

  /** Stops a job. False when it was over already. */
  async cancel(record: JobRecord): Promise<boolean> {
    const running = this.#running.get(record.id)
    if (!running || isOver(record)) return false
    running.stop.abort(new MediaprocError('CANCELED', 'Canceled'))
    await running.ended
    return record.status === 'canceled' || record.error?.code === 'CANCELED' || record.type === 'batch'
  }

  /** Removes a job with all its files; stops it where it is not over. */
  async remove(record: JobRecord): Promise<void> {
    await this.cancel(record)
    // One that is over may still be cleared away.
    await this.#running.get(record.id)?.ended
    await this.#parts.records.remove(record.id)
  }

  /** Removes all jobs and uploads of a user. */
  async removeOwner(userId: string): Promise<void> {
    const own = [...this.#parts.records.all()].filter(({ ownerId }) => ownerId === userId)
    await mapConcurrently(own, MAX_REMOVALS, (record) => this.remove(record))
  }

  /** Waits for running jobs, at most `ms` milliseconds; the others stay queued on disk for the next start. */
  async close(ms: number): Promise<void> {
    // Jobs of forms that were on their way when the end began come later.
    const quiet = async (): Promise<void> => {
      while (this.#running.size > 0) await Promise.race([...this.#running.values()].map(({ ended }) => ended))
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    const all = quiet()
    await Promise.race([all, late])
    clearTimeout(timer)
    this.#closing = true
    for (const id of this.#running.keys()) this.#tell(this.#parts.records.get(id)!)
    for (const { stop } of this.#running.values()) stop.abort()
    await all
  }
}

function fail(record: JobRecord, error: unknown): void {
  record.error = failureOf(error)
  record.result = null
  record.outputs = []
}
