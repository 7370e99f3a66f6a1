import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import type { Done, Task } from '../../pool/messages.ts'
import type { Pool } from '../../pool/pool.ts'
import type { Blobs } from '../../store/blobs.ts'
import type { BatchMember, JobFile, JobRecord } from '../../store/job-record.ts'
import type { Jobs, Workspace } from '../../store/jobs.ts'
import type { JobQueue } from '../../store/queue.ts'
import type { Patch } from '../../store/repositories.ts'
import { runBatch } from './batch.ts'
import { failed, type Outcome } from './failure.ts'
import { packed, putResults, removeResults, resultOf } from './results.ts'
import { expiryOf } from './retention.ts'
import { shownSteps, stepFailure } from './steps.ts'

/** A job that runs longer than this is noted as begun, and one that waits longer is written; milliseconds. */
export const NOTE_AFTER_MS = 250

/** Puts a finished result into the file library as the next version of an item; gives the new item's id. */
export type SaveVersion = (record: JobRecord, path: string, file: JobFile) => Promise<string>

export interface RunnerParts {
  jobs: Jobs
  workspace: Workspace
  results: Blobs
  queue: JobQueue
  pool: Pool
  log: FastifyBaseLogger
  saveVersion: SaveVersion
  /** How long results are kept, in milliseconds; 0 = without expiry. */
  resultAgeMs(ownerId: string | null): Promise<number>
  /** Called when a job is over. */
  onEnd?(record: JobRecord, ms: number): void
  concurrentJobs: number
  /** Jobs of one owner that are over and stay known; 0 for no limit. */
  maxFinishedJobs: number
}

/** Works on jobs: from the record that says what is to be done to the one that says how it ended. */
export class JobRunner {
  readonly #parts: RunnerParts
  readonly #running = new Set<string>()
  /** Jobs of a former run of the server. */
  readonly #resumed = new Set<string>()
  #closing = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** The server stops: jobs that are not over go on at the next start. */
  get isClosing(): boolean {
    return this.#closing
  }

  /** From now on what is broken off is put back. */
  close(): void {
    this.#closing = true
  }

  /** A former run of the server left this job: that it begins is noted at once. */
  resumes(id: string): void {
    this.#resumed.add(id)
  }

  /** Runs a job to its end. Never rejects. */
  async run(id: string, signal: AbortSignal): Promise<void> {
    const { jobs, log } = this.#parts
    this.#running.add(id)
    try {
      const record = await jobs.get(id)
      if (record) await this.end(record, await this.#kept(id, this.#work(record, signal)).catch(failed))
    } catch (error) {
      log.error({ err: error, jobId: id }, 'the record of a job was lost')
    } finally {
      this.#running.delete(id)
      this.#resumed.delete(id)
    }
  }

  /** Puts what came out where it is fetched from. */
  async #kept(id: string, work: Promise<Outcome>): Promise<Outcome> {
    const outcome = await work
    await putResults(this.#parts, id, outcome.outputs, 'move')
    return outcome
  }

  async #work(record: JobRecord, signal: AbortSignal): Promise<Outcome> {
    const { id } = record
    const own = this.#parts.workspace.folderOf(id)
    const { inputs, secondary } = record.task!
    const at = ({ file, name, bytes, type }: JobFile) => ({
      path: join(own, file),
      name,
      ...(type && { known: { bytes, type } }),
    })
    if (record.type === 'batch')
      return runBatch({
        record,
        folder: own,
        signal,
        concurrency: this.#parts.concurrentJobs,
        run: (input, folder) => this.#process(record, { inputs: [at(input)], secondary: {} }, folder, signal),
        // They are packed, too.
        keep: (files) => putResults(this.#parts, id, files, 'copy'),
        begins: (filename) => this.#parts.jobs.note(id, () => ({ stage: filename })),
        changed: (members, isWorthSaving) => this.#changed(id, members, isWorthSaving),
      })
    const further = Object.fromEntries(Object.entries(secondary).map(([name, file]) => [name, at(file)]))
    const made = await this.#process(record, { inputs: inputs.map(at), secondary: further }, 'out', signal)
    const output = record.task!.kind === 'tool' ? findTool(record.task!.target).entry.output : undefined
    const result = await packed(made, own, 'out', output?.archive)
    const { files } = result
    const saved = record.library && files[0] ? await this.#save(record, join(own, files[0].file), files[0]) : {}
    const steps = made.steps ? { stepsCompleted: made.steps.length, steps: shownSteps(made.steps) } : {}
    return {
      outputs: [...files, ...result.members],
      result: { ...resultOf(id, made, result, record.inputBytes), ...steps, ...saved },
      error: null,
    }
  }

  /** One task in a process of the pool; outputs go into a folder of the job's. */
  async #process(record: JobRecord, part: Partial<Task>, folder: string, signal: AbortSignal): Promise<Done> {
    const { id, ownerId } = record
    const { kind, target, settings, steps, timeoutS, heavy } = record.task!
    const destination = join(this.#parts.workspace.folderOf(id), folder)
    const common = { id, ownerKey: ownerId ?? '', destination, timeoutS, heavy }
    const what = kind === 'tool' ? { kind, target, settings } : { kind, steps: steps! }
    const done = this.#parts.pool.run({ ...common, ...what, ...part } as Task, {
      signal,
      // It was let in when it was acknowledged.
      isAdmitted: true,
      onStart: () => void this.#began(id),
      ...(record.type !== 'batch' && {
        onProgress: (fraction: number, phase: string) => void this.#progress(id, fraction, phase),
      }),
    })
    return done.catch((error: unknown) => {
      this.#noteOwnFault(record, error)
      throw stepFailure(error)
    })
  }

  /** Clients are not told what is wrong with the server: its operator finds it in the log. */
  #noteOwnFault({ id, toolId }: JobRecord, error: unknown): void {
    const { code, message, detail } = toMediaprocError(error)
    if (code === 'INTERNAL' || code === 'INVALID_CONFIG')
      this.#parts.log.error(
        { jobId: id, toolId, code, error: message, detail },
        'a job failed by a fault of the server',
      )
  }

  async #save(record: JobRecord, path: string, file: JobFile): Promise<Record<string, unknown>> {
    return { savedFileId: await this.#parts.saveVersion(record, path, file) }
  }

  async #began(id: string): Promise<void> {
    let isFirst = false
    const record = await this.#parts.jobs.note(id, ({ status, attempts }) => {
      isFirst = status === 'queued'
      return isFirst ? { status: 'processing', startedAt: new Date().toISOString(), attempts: attempts + 1 } : {}
    })
    if (!record || !isFirst) return
    this.#parts.queue.publish(record)
    const keep = (): void => {
      if (this.#running.has(id) && !this.#closing) void this.keep(id)
    }
    // Only a restart reads this, and most jobs are over by then. One that ended the server before may do so at once.
    if (this.#resumed.has(id)) keep()
    else setTimeout(keep, NOTE_AFTER_MS).unref()
  }

  /** A state on the way that is not written costs some work after a crash, and is no reason to fail. */
  async keep(id: string, patch: Patch<JobRecord> = {}): Promise<JobRecord | undefined> {
    const { jobs, log } = this.#parts
    return jobs.update(id, patch).catch((error: unknown) => {
      log.warn({ err: error, jobId: id }, 'a job is not noted')
      return undefined
    })
  }

  async #progress(id: string, fraction: number, phase: string): Promise<void> {
    const percent = Math.min(99, Math.floor(fraction * 100))
    let isNews = false
    const record = await this.#parts.jobs.note(id, (before) => {
      isNews = percent > before.percent || phase !== (before.stage ?? '')
      return isNews ? { percent: Math.max(before.percent, percent), stage: phase || null } : {}
    })
    if (record && isNews) this.#parts.queue.publish(record)
  }

  /** A file of a batch is done. */
  async #changed(id: string, members: readonly BatchMember[], isWorthSaving: boolean): Promise<void> {
    const settled = members.filter(({ state }) => state !== 'waiting').length
    const percent = Math.min(99, Math.floor((settled / Math.max(1, members.length)) * 100))
    const record = await this.#parts.jobs.note(id, () => ({ members, percent }))
    if (isWorthSaving) await this.keep(id)
    if (record) this.#parts.queue.publish(record)
  }

  /** The last state, on disk before anybody hears of it. */
  async end({ id }: Pick<JobRecord, 'id'>, outcome: Outcome): Promise<void> {
    const { jobs, queue, resultAgeMs, onEnd } = this.#parts
    if (this.#closing && outcome.error) return this.#putBack(id)
    const before = await jobs.get(id)
    if (!before) return
    const status = outcome.error ? (outcome.error.code === 'CANCELED' ? 'canceled' : 'failed') : 'completed'
    const last = {
      ...outcome,
      status,
      percent: status === 'completed' ? 100 : before.percent,
      completedAt: new Date().toISOString(),
      expiresAt: expiryOf(await resultAgeMs(before.ownerId)),
      // Settings may hold passwords: they are not kept longer than the work needs them.
      task: undefined,
    } as const
    const saved = await jobs.update(id, last).catch((failure: unknown) => this.#endUnsaved(before, last, failure))
    const record = saved ?? (await jobs.get(id))
    if (!record) return
    queue.publish(record)
    const bytes = await this.#tidy(before, record)
    // What could not be written is run again after a restart.
    if (saved) await this.#settle(record, bytes)
    onEnd?.(record, Date.parse(last.completedAt) - Date.parse(record.createdAt))
  }

  /** One more that is over: the oldest of the owner makes room where there are too many. */
  async #settle({ id, ownerId }: JobRecord, bytes: number): Promise<void> {
    const { jobs, maxFinishedJobs } = this.#parts
    await jobs.settle(id, bytes)
    if (maxFinishedJobs === 0) return
    for (const oldest of await jobs.surplus(maxFinishedJobs, ownerId)) await jobs.remove(oldest)
  }

  /** Removes what only the work needed; gives the bytes of what stays. */
  async #tidy({ task }: JobRecord, record: JobRecord): Promise<number> {
    const { id, type, outputs } = record
    const { workspace } = this.#parts
    const inputs = task ? [...task.inputs, ...Object.values(task.secondary)] : []
    if (outputs.length === 0) await Promise.all([workspace.removeFiles(id), removeResults(this.#parts, record)])
    else for (const { file } of inputs) await workspace.removeFile(id, file)
    if (type === 'batch') return workspace.measure(id)
    const bytes = outputs.reduce((sum, file) => sum + file.bytes, 0)
    workspace.count(id, bytes)
    return bytes
  }

  /** What a stopping server breaks off is taken up again at the next start, and does not count as begun. */
  async #putBack(id: string): Promise<void> {
    const before = await this.#parts.jobs.get(id)
    if (!before) return
    const begun = before.status === 'processing' ? 1 : 0
    await this.keep(id, { status: 'queued', attempts: before.attempts - begun })
  }

  /** The last state could not be written: files of the job make room for it, and without its outputs it has failed. */
  async #endUnsaved(
    before: JobRecord,
    last: Outcome & Patch<JobRecord>,
    failure: unknown,
  ): Promise<JobRecord | undefined> {
    const { id } = before
    const patch = last.result ? { ...last, ...failed(failure), status: 'failed' as const } : last
    await this.#parts.workspace.removeFiles(id)
    await removeResults(this.#parts, { ...before, ...last })
    const saved = await this.keep(id, patch)
    if (!saved) await this.#parts.jobs.note(id, () => patch)
    return saved
  }

  /** Ends a job that cannot be run again. */
  interrupted(record: JobRecord): Promise<void> {
    return this.end(record, failed(new MediaprocError('INTERRUPTED', 'The server was stopped while this ran')))
  }
}
