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
import { untilAvailable } from '../../store/until-available.ts'
import { runBatch } from './batch.ts'
import { failed, type Outcome } from './failure.ts'
import { packed, putResults, removeResults, resultOf } from './results.ts'
import { expiryOf } from './retention.ts'
import { shownSteps, stepFailure } from './steps.ts'

/** A job that runs or waits longer than this has its state written to disk, in milliseconds. */
export const NOTE_AFTER_MS = 250

/** Adds a finished result to the file library as the next version of an item; returns the new item's id. */
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
  /** Called when a job has ended. */
  onEnd?(record: JobRecord, ms: number): void
  concurrentJobs: number
  /** Finished jobs kept per owner; 0 for no limit. */
  maxFinishedJobs: number
}

/** Runs jobs: from the record that describes the task to the one that holds the outcome. */
export class JobRunner {
  readonly #parts: RunnerParts
  readonly #running = new Set<string>()
  /** Ids of jobs from a former run of the server. */
  readonly #resumed = new Set<string>()
  #closing = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** The server is stopping: unfinished jobs resume at the next start. */
  get isClosing(): boolean {
    return this.#closing
  }

  /** From now on, aborted jobs return to the queue. */
  close(): void {
    this.#closing = true
  }

  /** Marks a job of a former run of the server: its start is written to disk at once. */
  resumes(id: string): void {
    this.#resumed.add(id)
  }

  /** Runs a job to completion. Never rejects. */
  async run(id: string, signal: AbortSignal): Promise<void> {
    const { jobs, log } = this.#parts
    this.#running.add(id)
    try {
      const record = await jobs.get(id)
      if (record) await this.end(record, await this.#kept(id, this.#work(record, signal)).catch(failed))
    } catch (error) {
      log.error({ err: error, jobId: id }, 'the end of a job is not recorded: the next start runs it again')
    } finally {
      this.#running.delete(id)
      this.#resumed.delete(id)
    }
  }

  /** Moves the outputs to where downloads read them. */
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
        // The archive contains them as well.
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

  /** Runs one task in a process of the pool; outputs go into a subfolder of the job. */
  async #process(record: JobRecord, part: Partial<Task>, folder: string, signal: AbortSignal): Promise<Done> {
    const { id, ownerId } = record
    const { kind, target, settings, steps, timeoutS, heavy } = record.task!
    const destination = join(this.#parts.workspace.folderOf(id), folder)
    const common = { id, ownerKey: ownerId ?? '', destination, timeoutS, heavy }
    const what = kind === 'tool' ? { kind, target, settings } : { kind, steps: steps! }
    const done = this.#parts.pool.run({ ...common, ...what, ...part } as Task, {
      signal,
      // Admitted when the job was accepted.
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

  /** Hides server problems from clients; the operator finds them in the log. */
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
    // Only a restart reads this, and most jobs end before. A job that crashed the server before may do so again at
    // once.
    if (this.#resumed.has(id)) keep()
    else setTimeout(keep, NOTE_AFTER_MS).unref()
  }

  /** Failing to write an intermediate state only costs repeated work after a crash, so the job does not fail. */
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

  /** Records a finished file of a batch. */
  async #changed(id: string, members: readonly BatchMember[], isWorthSaving: boolean): Promise<void> {
    const settled = members.filter(({ state }) => state !== 'waiting').length
    const percent = Math.min(99, Math.floor((settled / Math.max(1, members.length)) * 100))
    const record = await this.#parts.jobs.note(id, () => ({ members, percent }))
    if (isWorthSaving) await this.keep(id)
    if (record) this.#parts.queue.publish(record)
  }

  /** Writes the final state to disk before any listener is notified. */
  async end({ id }: Pick<JobRecord, 'id'>, outcome: Outcome): Promise<void> {
    const { jobs, queue, resultAgeMs, onEnd } = this.#parts
    if (this.#closing && outcome.error) return this.#putBack(id)
    const before = await jobs.get(id)
    if (!before) return
    const expiresAt = expiryOf(await this.#untilAvailable(() => resultAgeMs(before.ownerId)))
    const status = outcome.error ? (outcome.error.code === 'CANCELED' ? 'canceled' : 'failed') : 'completed'
    const last = {
      ...outcome,
      status,
      percent: status === 'completed' ? 100 : before.percent,
      completedAt: new Date().toISOString(),
      expiresAt,
      // Settings may contain passwords, so they are removed when the job ends.
      task: undefined,
    } as const
    const saved = await this.#untilAvailable(() => jobs.update(id, last)).catch((failure: unknown) => {
      if (toMediaprocError(failure).code === 'STORE_UNAVAILABLE') throw failure
      return this.#endUnsaved(before, last, failure)
    })
    const record = saved ?? (await jobs.get(id))
    if (!record) return
    queue.publish(record)
    const bytes = await this.#tidy(before, record)
    // A job without a saved end runs again after a restart.
    if (saved) await this.#settle(record, bytes)
    onEnd?.(record, Date.parse(last.completedAt) - Date.parse(record.createdAt))
  }

  /** The end of a job outlives a restart of the database; a server that stops leaves it to the next start. */
  #untilAvailable<R>(work: () => Promise<R>): Promise<R> {
    return untilAvailable(work, () => this.#closing)
  }

  /** Counts a finished job; removes the owner's oldest ones above the limit. */
  async #settle({ id, ownerId }: JobRecord, bytes: number): Promise<void> {
    const { jobs, maxFinishedJobs } = this.#parts
    await this.#untilAvailable(() => jobs.settle(id, bytes))
    if (maxFinishedJobs === 0) return
    for (const oldest of await jobs.surplus(maxFinishedJobs, ownerId)) await jobs.remove(oldest)
  }

  /** Removes working files; returns the size of the remaining ones in bytes. */
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

  /** Returns a job to the queue that a stopping server aborted. The next start runs it; the attempt does not count. */
  async #putBack(id: string): Promise<void> {
    const before = await this.#parts.jobs.get(id)
    if (!before) return
    const begun = before.status === 'processing' ? 1 : 0
    await this.keep(id, { status: 'queued', attempts: before.attempts - begun })
  }

  /** If the final state cannot be written, removes the job's files to make room; without outputs the job has failed. */
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
